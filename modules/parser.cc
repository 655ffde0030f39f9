#include "modules/parser.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/expression_parser.h"
#include "modules/handler_parser.h"
#include "modules/token_stream.h"
#include "modules/type_parser.h"

namespace pure::modules {
namespace {

class Parser {
 public:
  Parser(Bytes text, Diagnostics* diagnostics)
      : tokens_(text, diagnostics),
        types_(&tokens_, &ast_),
        expressions_(&tokens_, &ast_),
        statements_(&tokens_, &ast_),
        handlers_(text, &tokens_, &ast_) {}

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
  void ParseFunction();
  void ParseState();
  void ParseDocument();
  void ParseDocumentOptions(DocumentItem* document);
  void ParseMessage();
  void ParseHandler(HandlerKind kind);
  void ParseTest();
  template <typename T>
  void Keep(ItemKind kind, T item, std::vector<T>* items);

  Ast ast_;
  TokenStream tokens_;
  TypeParser types_;
  ExpressionParser expressions_;
  StatementParser statements_;
  HandlerParser handlers_;
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
  switch (tokens_.At(TokenKind::kWord) ? tokens_.current().word : Word::kNotReserved) {
    case Word::kType:
      return ParseType();
    case Word::kFn:
      return ParseFunction();
    case Word::kState:
      return ParseState();
    case Word::kDocument:
      return ParseDocument();
    case Word::kMessage:
      return ParseMessage();
    case Word::kInput:
      return ParseHandler(HandlerKind::kInput);
    case Word::kView:
      return ParseHandler(HandlerKind::kView);
    case Word::kTest:
      return ParseTest();
    default:
      return RefuseItem();
  }
}

// Adds a finished item, unless there are too many of its kind.
template <typename T>
void Parser::Keep(ItemKind kind, T item, std::vector<T>* items) {
  if (items->size() == kItemsMax) {
    return tokens_.diagnostics()->Add(
        item.name.offset, absl::StrCat("a module has at most ", kItemsMax, " items of one kind"));
  }
  ast_.items.push_back({kind, items->size()});
  items->push_back(std::move(item));
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
      "`type`, `fn`, `state`, `input`, `view`, `document`, `message` or `test`",
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
  Keep(ItemKind::kType, item, &ast_.types);
}

// fn name(parameters): type = expr
void Parser::ParseFunction() {
  tokens_.Advance();
  FunctionItem item;
  if (!tokens_.ExpectName("the function", &item.name)) return;
  if (tokens_.At(TokenKind::kLeftParen)) {
    handlers_.ParseParameters(&item.parameters);
  } else {
    tokens_.FailExpected("`(`", "fn double(n: int): int = n * 2");
  }
  tokens_.Expect(TokenKind::kColon, "`:` and the result's type");
  item.type = types_.Parse();
  tokens_.Expect(TokenKind::kAssign, "`=` and the result");
  if (!tokens_.failed()) item.expr = expressions_.Parse();
  Keep(ItemKind::kFunction, std::move(item), &ast_.functions);
}

// state name: type [= expr]
void Parser::ParseState() {
  tokens_.Advance();
  StateItem item;
  if (!tokens_.ExpectName("the state", &item.name)) return;
  tokens_.Expect(TokenKind::kColon, "`:` and the state's type");
  item.type_offset = tokens_.current().offset;
  item.type = types_.Parse();
  if (tokens_.Accept(TokenKind::kAssign)) item.expr = expressions_.Parse();
  Keep(ItemKind::kState, item, &ast_.states);
}

void Parser::ParseHandler(HandlerKind kind) {
  HandlerNode handler;
  if (!handlers_.Parse(kind, &handler)) return;
  Keep(ItemKind::kHandler, std::move(handler), &ast_.handlers);
}

// test "text" { ... }
void Parser::ParseTest() {
  tokens_.Advance();
  TestItem item;
  item.name = {tokens_.current().text, tokens_.current().offset};
  if (!tokens_.Accept(TokenKind::kText)) {
    return tokens_.FailExpected("what the test shows, in quotes",
                                "test \"signs and shows\" { ... }");
  }
  item.body = statements_.ParseTestBlock();
  Keep(ItemKind::kTest, item, &ast_.tests);
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
  Keep(ItemKind::kDocument, std::move(document), &ast_.documents);
}

void Parser::ParseDocumentOptions(DocumentItem* document) {
  while (!tokens_.failed()) {
    if (tokens_.At(Word::kAs)) {
      handlers_.ParseContentType(&document->content_type, &document->content_type_is_word);
    } else if (!handlers_.SkipUnsupportedOption()) {
      break;
    }
  }
  if (tokens_.failed() || tokens_.At(TokenKind::kEnd) || tokens_.AtItemStart()) return;
  std::string help = "each message starts on a line of its own";
  if (tokens_.At(TokenKind::kLeftBrace))
    help = "messages follow a document without braces around them";
  tokens_.FailExpected("`as` or a message", Misspelt(help));
}

void Parser::ParseMessage() {
  const uint32_t offset = tokens_.current().offset;
  HandlerNode message;
  if (!handlers_.Parse(HandlerKind::kMessage, &message)) return;
  if (ast_.documents.empty()) {
    if (!ast_.unsupported_items) {
      tokens_.diagnostics()->Add(offset,
                                 "a message belongs to a document, and none stands above it");
    }
    return;
  }
  std::vector<HandlerNode>& messages = ast_.documents.back().messages;
  if (messages.size() == kMessagesMax) {
    return tokens_.diagnostics()->Add(
        offset, absl::StrCat("a document has at most ", kMessagesMax, " messages"));
  }
  messages.push_back(std::move(message));
}

}  // namespace

Ast Parse(Bytes text, Diagnostics* diagnostics) { return Parser(text, diagnostics).Run(); }

}  // namespace pure::modules
