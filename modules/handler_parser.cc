#include "modules/handler_parser.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "modules/parser.h"
#include "modules/template_parser.h"

namespace pure::modules {
namespace {

// Whatever a browser may read as markup is escaped as such.
PageKind PageKindOf(const HandlerNode& handler) {
  const Bytes type = handler.content_type.text;
  if (handler.content_type_is_word) {
    return type == "html" ? PageKind::kHtml : type == "csv" ? PageKind::kCsv : PageKind::kPlain;
  }
  const std::string lower = absl::AsciiStrToLower(type.substr(0, type.find(';')));
  const bool markup = absl::StrContains(lower, "html") || absl::StrContains(lower, "xml");
  return markup ? PageKind::kHtml : PageKind::kPlain;
}

}  // namespace

bool HandlerParser::Parse(HandlerKind kind, HandlerNode* handler) {
  const Bytes word = tokens_->current().text;
  tokens_->Advance();
  handler->kind = kind;
  if (!tokens_->ExpectName(absl::StrCat("the ", word), &handler->name)) return false;
  if (tokens_->At(TokenKind::kLeftParen)) ParseParameters(&handler->parameters);
  ParseOptions(handler);
  if (!tokens_->failed() && tokens_->At(TokenKind::kTemplate)) {
    if (kind != HandlerKind::kView) {
      tokens_->FailHere("only a view has a template");
      return true;
    }
    handler->is_template = true;
    handler->body = ParseTemplate(text_, tokens_->current(), PageKindOf(*handler),
                                  tokens_->diagnostics(), ast_);
    tokens_->Advance();
  } else {
    handler->body = statements_.ParseBlock();
  }
  return true;
}

void HandlerParser::ParseParameters(std::vector<ParameterNode>* parameters) {
  tokens_->Advance();
  while (!tokens_->failed() && !tokens_->At(TokenKind::kRightParen)) {
    ParameterNode parameter;
    if (!tokens_->ExpectName("a parameter", &parameter.name)) return;
    tokens_->Expect(TokenKind::kColon, "`:` and the parameter's type");
    parameter.type = types_.Parse();
    if (parameters->size() == kParametersMax) {
      return tokens_->FailHere(absl::StrCat("there are at most ", kParametersMax, " parameters"));
    }
    parameters->push_back(parameter);
    if (!tokens_->Accept(TokenKind::kComma)) break;
  }
  tokens_->Expect(TokenKind::kRightParen, "`,` or `)`");
}

void HandlerParser::ParseOptions(HandlerNode* handler) {
  while (!tokens_->failed()) {
    if (tokens_->At(Word::kFault)) {
      ParseFault(handler);
    } else if (tokens_->At(Word::kAs)) {
      ParseContentType(&handler->content_type, &handler->content_type_is_word);
    } else if (tokens_->AtName("at")) {
      ParseText("at \"/path\"", &handler->path);
    } else if (tokens_->At(Word::kSee)) {
      ParseText("see \"/path\"", &handler->see);
    } else if (!SkipUnsupportedOption()) {
      return;
    }
  }
}

// The text behind an option's word.
void HandlerParser::ParseText(Bytes what, Name* text) {
  if (!text->text.empty()) {
    tokens_->diagnostics()->Add(tokens_->current().offset,
                                absl::StrCat("`", tokens_->current().text, "` is given twice"));
  }
  tokens_->Advance();
  *text = {tokens_->current().text, tokens_->current().offset};
  if (!tokens_->Accept(TokenKind::kText)) {
    return tokens_->FailExpected("a path in quotes", absl::StrCat("for example ", what));
  }
  if (text->text.empty()) tokens_->diagnostics()->Add(text->offset, "a path is not empty");
}

void HandlerParser::ParseContentType(Name* content_type, bool* is_word) {
  const uint32_t offset = tokens_->current().offset;
  tokens_->Advance();
  if (!content_type->text.empty()) {
    tokens_->diagnostics()->Add(offset, "the content type is given twice");
  }
  const Name name = {tokens_->current().text, tokens_->current().offset};
  *is_word = tokens_->Accept(TokenKind::kName);
  if (!*is_word && !tokens_->Accept(TokenKind::kText)) {
    return tokens_->FailExpected("a content type",
                                 "as \"text/markdown; charset=utf-8\", or html, text, json, csv");
  }
  if (name.text.empty())
    return tokens_->diagnostics()->Add(
        name.offset, "this is no content type",
        "for example \"text/markdown; charset=utf-8\": printable ASCII");
  *content_type = name;
}

bool HandlerParser::AtOption() const {
  return tokens_->At(Word::kAs) || tokens_->At(Word::kFault) || tokens_->At(Word::kSee) ||
         tokens_->At(Word::kLater) || tokens_->AtName("at");
}

bool HandlerParser::SkipUnsupportedOption() {
  if (!tokens_->At(Word::kLater)) return false;
  tokens_->diagnostics()->Add(tokens_->current().offset, NotSupportedYet(tokens_->current().text));
  do {
    tokens_->Advance();
    if (tokens_->At(TokenKind::kLeftParen)) tokens_->SkipGroup();
  } while (!tokens_->At(TokenKind::kEnd) && !tokens_->At(TokenKind::kLeftBrace) && !AtOption() &&
           !tokens_->AtItemStart() && !tokens_->At(TokenKind::kTemplate));
  return true;
}

void HandlerParser::ParseFault(HandlerNode* handler) {
  tokens_->Advance();
  FaultNode fault;
  if (!tokens_->ExpectName("the fault", &fault.name)) return;
  fault.status = tokens_->current().number;
  fault.status_offset = tokens_->current().offset;
  if (!tokens_->Accept(TokenKind::kInt)) {
    return tokens_->FailExpected("the fault's status", "fault large 413 \"The note is full.\"");
  }
  fault.text = tokens_->current().text;
  fault.text_offset = tokens_->current().offset;
  if (!tokens_->Accept(TokenKind::kText)) {
    return tokens_->FailExpected("the fault's text", "fault large 413 \"The note is full.\"");
  }
  if (handler->faults.size() == kFaultsMax) {
    return tokens_->diagnostics()->Add(fault.name.offset,
                                       absl::StrCat("there are at most ", kFaultsMax, " faults"));
  }
  handler->faults.push_back(fault);
}

}  // namespace pure::modules
