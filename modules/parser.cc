#include "modules/parser.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/statement_parser.h"
#include "modules/token_stream.h"
#include "modules/type_parser.h"

namespace pure::modules {
namespace {

class Parser {
 public:
  Parser(Bytes text, Diagnostics* diagnostics)
      : tokens_(text, diagnostics), types_(&tokens_, &ast_), statements_(&tokens_, &ast_) {}

  Ast Run() {
    ParseHeader();
    while (!tokens_.At(TokenKind::kEnd)) {
      const uint32_t start = tokens_.current().offset;
      ParseItem();
      if (!tokens_.failed() && !tokens_.current().newline_before) {
        tokens_.FailExpected("the end of the line");
      }
      if (tokens_.failed()) {
        tokens_.Recover();
        if (!tokens_.AtItemStart() || tokens_.current().offset == start) tokens_.SkipItem();
      }
    }
    return std::move(ast_);
  }

 private:
  void ParseHeader();
  void ParseItem();
  void RefuseItem();
  std::string Misspelt(std::string otherwise) const;
  void ParseType();
  void ParseDocument();
  void ParseDocumentOptions(DocumentItem* document);
  void ParseContentType(DocumentItem* document);
  void ParseMessage();
  void ParseParameters(MessageNode* message);
  void ParseMessageOptions(MessageNode* message);
  void ParseFault(MessageNode* message);
  bool SkipUnsupportedOption();

  Ast ast_;
  TokenStream tokens_;
  TypeParser types_;
  StatementParser statements_;
};

void Parser::ParseHeader() {
  if (!tokens_.Accept(Word::kModule)) {
    tokens_.FailExpected("`module`", "a module starts with its name and version: module notes 1");
  }
  tokens_.ExpectName("the module", &ast_.name);
  if (!tokens_.failed()) {
    ast_.version = tokens_.current().number;
    if (ast_.version == 0 || ast_.version > INT32_MAX) {
      tokens_.FailExpected("the module's version, from 1 on", "module notes 1");
    }
    tokens_.Expect(TokenKind::kInt, "the module's version");
  }
  if (!tokens_.failed()) return;
  tokens_.Recover();
  // Whatever stands in the way of the first item belongs to the header.
  while (!tokens_.At(TokenKind::kEnd) && (!tokens_.AtItemStart() || tokens_.At(Word::kModule))) {
    tokens_.Advance();
  }
}

void Parser::ParseItem() {
  if (tokens_.At(Word::kType)) return ParseType();
  if (tokens_.At(Word::kDocument)) return ParseDocument();
  if (tokens_.At(Word::kMessage)) return ParseMessage();
  RefuseItem();
}

void Parser::RefuseItem() {
  const Token token = tokens_.current();
  if (tokens_.At(Word::kLaterItem) || tokens_.At(Word::kLater)) {
    ast_.unsupported_items = true;
    return tokens_.FailHere(NotSupportedYet(token.text));
  }
  if (tokens_.At(Word::kModule)) {
    return tokens_.FailHere("a file holds one module", "`module` stands in its first line only");
  }
  tokens_.FailExpected(
      "`type`, `document` or `message`",
      Misspelt(tokens_.At(TokenKind::kRightBrace) ? "there is one `}` too many" : ""));
}

// The help for a name that stands where an item should: the word that it resembles, else
// `otherwise`.
std::string Parser::Misspelt(std::string otherwise) const {
  const Bytes nearest = tokens_.At(TokenKind::kName)
                            ? tokens_.diagnostics()->Nearest(tokens_.current().text, ItemWords())
                            : Bytes();
  return nearest.empty() ? otherwise : absl::StrCat("did you mean `", nearest, "`?");
}

void Parser::ParseType() {
  tokens_.Advance();
  TypeItem item;
  item.name = {tokens_.current().text, tokens_.current().offset};
  if (!tokens_.Accept(TokenKind::kTypeName)) {
    tokens_.FailExpected("the type's name",
                         "names of types start with a capital: type Line = text(..80)");
  }
  tokens_.Expect(TokenKind::kAssign, "`=`");
  item.type = types_.Parse();
  if (item.name.text.empty() || item.type == kNoIndex) return;
  ast_.items.push_back({ItemKind::kType, ast_.types.size()});
  ast_.types.push_back(item);
}

void Parser::ParseDocument() {
  DocumentItem document;
  document.name.offset = tokens_.current().offset;
  tokens_.Advance();
  tokens_.ExpectName("the document", &document.name);
  if (!tokens_.Expect(TokenKind::kLeftParen, "`(`")) {
    // Its messages are read all the same.
  } else if (tokens_.ExpectName("the key", &document.key)) {
    tokens_.Expect(TokenKind::kColon, "`:` and the key's type");
    document.key_type = types_.Parse();
    tokens_.Expect(TokenKind::kRightParen, "`)`");
    tokens_.Expect(TokenKind::kColon, "`:` and the value's type");
    document.type_offset = tokens_.current().offset;
    document.type = types_.Parse();
    if (!tokens_.failed()) ParseDocumentOptions(&document);
  }
  ast_.items.push_back({ItemKind::kDocument, ast_.documents.size()});
  ast_.documents.push_back(std::move(document));
}

void Parser::ParseDocumentOptions(DocumentItem* document) {
  while (!tokens_.failed()) {
    if (tokens_.At(Word::kAs)) {
      ParseContentType(document);
    } else if (!SkipUnsupportedOption()) {
      break;
    }
  }
  if (tokens_.failed() || tokens_.At(TokenKind::kEnd) || tokens_.AtItemStart()) return;
  std::string help = "each message starts on a line of its own";
  if (tokens_.At(TokenKind::kLeftBrace))
    help = "messages follow a document without braces around them";
  tokens_.FailExpected("`as` or a message", Misspelt(help));
}

void Parser::ParseContentType(DocumentItem* document) {
  const uint32_t offset = tokens_.current().offset;
  tokens_.Advance();
  if (document->has_content_type) {
    tokens_.diagnostics()->Add(offset, "the content type is given twice");
  }
  document->content_type = {tokens_.current().text, tokens_.current().offset};
  if (tokens_.Accept(TokenKind::kName)) {
    document->content_type_is_word = true;
  } else if (!tokens_.Accept(TokenKind::kText)) {
    return tokens_.FailExpected("a content type",
                                "as \"text/markdown; charset=utf-8\", or html, text, json, csv");
  }
  document->has_content_type = true;
}

// Reports and passes over an option of a later version, if one stands here.
bool Parser::SkipUnsupportedOption() {
  const bool is_word = tokens_.At(Word::kLater);
  if (!is_word && !tokens_.AtName("at")) return false;
  tokens_.diagnostics()->Add(tokens_.current().offset, NotSupportedYet(tokens_.current().text));
  do {
    tokens_.Advance();
    if (tokens_.At(TokenKind::kLeftParen)) tokens_.SkipGroup();
  } while (!tokens_.At(TokenKind::kEnd) && !tokens_.At(TokenKind::kLeftBrace) &&
           !tokens_.At(Word::kAs) && !tokens_.At(Word::kFault) && !tokens_.At(Word::kLater) &&
           !tokens_.AtName("at") && !tokens_.AtItemStart() && !tokens_.At(TokenKind::kTemplate));
  return true;
}

void Parser::ParseMessage() {
  const uint32_t offset = tokens_.current().offset;
  tokens_.Advance();
  MessageNode message;
  if (!tokens_.ExpectName("the message", &message.name)) return;
  if (tokens_.At(TokenKind::kLeftParen)) ParseParameters(&message);
  ParseMessageOptions(&message);
  message.body = statements_.ParseBlock();
  if (ast_.documents.empty()) {
    if (!ast_.unsupported_items) {
      tokens_.diagnostics()->Add(offset,
                                 "a message belongs to a document, and none stands above it");
    }
    return;
  }
  std::vector<MessageNode>& messages = ast_.documents.back().messages;
  if (messages.size() == kMessagesMax) {
    return tokens_.diagnostics()->Add(
        offset, absl::StrCat("a document has at most ", kMessagesMax, " messages"));
  }
  messages.push_back(std::move(message));
}

void Parser::ParseParameters(MessageNode* message) {
  tokens_.Advance();
  while (!tokens_.failed() && !tokens_.At(TokenKind::kRightParen)) {
    ParameterNode parameter;
    if (!tokens_.ExpectName("a parameter", &parameter.name)) return;
    tokens_.Expect(TokenKind::kColon, "`:` and the parameter's type");
    parameter.type = types_.Parse();
    if (message->parameters.size() == kParametersMax) {
      return tokens_.FailHere(
          absl::StrCat("a message has at most ", kParametersMax, " parameters"));
    }
    message->parameters.push_back(parameter);
    if (!tokens_.Accept(TokenKind::kComma)) break;
  }
  tokens_.Expect(TokenKind::kRightParen, "`,` or `)`");
}

void Parser::ParseMessageOptions(MessageNode* message) {
  while (!tokens_.failed()) {
    if (tokens_.At(Word::kFault)) {
      ParseFault(message);
    } else if (tokens_.At(Word::kAs)) {
      tokens_.diagnostics()->Add(
          tokens_.current().offset,
          "`as` of a message is not supported yet: it stands at the document");
      tokens_.Advance();
      tokens_.Advance();
    } else if (!SkipUnsupportedOption()) {
      return;
    }
  }
}

void Parser::ParseFault(MessageNode* message) {
  tokens_.Advance();
  FaultNode fault;
  if (!tokens_.ExpectName("the fault", &fault.name)) return;
  fault.status = tokens_.current().number;
  fault.status_offset = tokens_.current().offset;
  if (!tokens_.Accept(TokenKind::kInt)) {
    return tokens_.FailExpected("the fault's status", "fault large 413 \"The note is full.\"");
  }
  fault.text = tokens_.current().text;
  fault.text_offset = tokens_.current().offset;
  if (!tokens_.Accept(TokenKind::kText)) {
    return tokens_.FailExpected("the fault's text", "fault large 413 \"The note is full.\"");
  }
  if (message->faults.size() == kFaultsMax) {
    return tokens_.diagnostics()->Add(
        fault.name.offset, absl::StrCat("a message has at most ", kFaultsMax, " faults"));
  }
  message->faults.push_back(fault);
}

}  // namespace

Ast Parse(Bytes text, Diagnostics* diagnostics) { return Parser(text, diagnostics).Run(); }

}  // namespace pure::modules
