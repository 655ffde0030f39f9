#include "modules/checker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "modules/handler_checker.h"
#include "modules/limits.h"
#include "modules/test_checker.h"
#include "modules/type_resolver.h"
#include "runtime/limits.h"

namespace pure::modules {
namespace {

constexpr size_t kContentTypeBytesMax = 128;

struct ContentTypeWord {
  Bytes word;
  Bytes content_type;
};

constexpr ContentTypeWord kContentTypeWords[] = {
    {"csv", "text/csv; charset=utf-8"},
    {"html", "text/html; charset=utf-8"},
    {"json", "application/json"},
    {"text", "text/plain; charset=utf-8"},
};

// A character of a token, RFC 9110 section 5.6.2.
bool IsTokenByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         Bytes("!#$%&'*+-.^_`|~").find(c) != Bytes::npos;
}

// TYPE/SUBTYPE, then nothing or parameters: printable ASCII, so that it can not break out of its
// header line.
bool IsContentType(Bytes text) {
  if (text.size() > kContentTypeBytesMax) return false;
  const size_t end = std::min({text.find(';'), text.find(' '), text.size()});
  const Bytes media = text.substr(0, end);
  const size_t slash = media.find('/');
  if (slash == Bytes::npos || slash == 0 || slash + 1 == media.size()) return false;
  const auto printable = [](char c) { return c >= 0x20 && c < 0x7F; };
  return std::all_of(media.begin(), media.begin() + slash, IsTokenByte) &&
         std::all_of(media.begin() + slash + 1, media.end(), IsTokenByte) &&
         std::all_of(text.begin(), text.end(), printable) && text.back() != ' ' &&
         (end == text.size() || text[end] == ';');
}

class Checker {
 public:
  Checker(const Ast& ast, Diagnostics* diagnostics)
      : ast_(ast), diagnostics_(*diagnostics), types_(ast, &checked_.shapes, diagnostics) {
    checked_.exprs.resize(ast.exprs.size());
    checked_.clauses.resize(ast.clauses.size());
    checked_.stmt_slots.resize(ast.stmts.size());
    for (const BuiltinFaultText& fault : kBuiltinFaults) {
      checked_.faults.push_back({std::string(fault.name), fault.status, std::string(fault.text)});
    }
  }

  Checked Run() {
    for (const Item& item : ast_.items) {
      switch (item.kind) {
        case ItemKind::kType:
          types_.Define(ast_.types[item.index]);
          break;
        case ItemKind::kFunction:
          CheckFunction(ast_.functions[item.index]);
          break;
        case ItemKind::kState:
          CheckState(ast_.states[item.index]);
          break;
        case ItemKind::kDocument:
          CheckDocument(ast_.documents[item.index]);
          break;
        case ItemKind::kHandler:
          CheckHandler(ast_.handlers[item.index]);
          break;
        case ItemKind::kTest:
          break;  // once everything that it may use is known
      }
    }
    for (const TestItem& item : ast_.tests) {
      checked_.tests.push_back(TestChecker(ast_, &checked_, &diagnostics_).Check(item));
    }
    if (diagnostics_.empty() && !checked_.document.there && checked_.handlers.empty()) {
      diagnostics_.Add(ast_.name.offset,
                       "this module has no view, input or document, so it would serve nothing",
                       "document note(key: slug(64)): bytes(..1MiB)");
    }
    return std::move(checked_);
  }

 private:
  void CheckDocument(const DocumentItem& item);
  Type CheckKeyType(const DocumentItem& item);
  Type CheckValueType(const DocumentItem& item);
  std::string ContentTypeOf(const Name& written, bool is_word);
  void CheckFunction(const FunctionItem& item);
  void CheckState(const StateItem& item);
  void CheckHandler(const HandlerNode& node);
  std::string CheckPath(const Name& path, bool is_route);
  bool CheckNewName(const Name& name, Bytes kind);
  std::vector<Type> ParameterTypes(const std::vector<ParameterNode>& parameters);
  void CheckMessage(const DocumentItem& item, const HandlerNode& node);

  const Ast& ast_;
  Diagnostics& diagnostics_;
  Checked checked_;
  TypeResolver types_;
};

void Checker::CheckDocument(const DocumentItem& item) {
  CheckedDocument& document = checked_.document;
  if (document.there) {
    diagnostics_.Add(item.name.offset, "a module has one document, and one stands above");
    return;
  }
  document.there = true;
  document.name = std::string(item.name.text);
  document.key_type = CheckKeyType(item);
  document.type = CheckValueType(item);
  document.content_type = !item.content_type.text.empty()
                              ? ContentTypeOf(item.content_type, item.content_type_is_word)
                          : document.type.kind == TypeKind::kText ? "text/plain; charset=utf-8"
                                                                  : "application/octet-stream";
  for (const HandlerNode& node : item.messages) CheckMessage(item, node);
}

Type Checker::CheckKeyType(const DocumentItem& item) {
  const Type type = types_.Resolve(item.key_type);
  if (item.key_type == kNoIndex || type.is_error()) return ErrorType();
  if (item.key.text == "value" || item.key.text == "revision") {
    diagnostics_.Add(item.key.offset, absl::StrCat("`", item.key.text, "` is there already"),
                     "call it `key`");
  }
  if (type.kind != TypeKind::kSlug || type.option ||
      type.high > static_cast<int64_t>(kKeyBytesMax)) {
    diagnostics_.Add(ast_.type_nodes[item.key_type].name.offset,
                     absl::StrCat("a key is a slug of at most ", kKeyBytesMax, " bytes"),
                     absl::StrCat(item.key.text, ": slug(", kKeyBytesMax, ")"));
    return ErrorType();
  }
  return type;
}

Type Checker::CheckValueType(const DocumentItem& item) {
  const Type type = types_.Resolve(item.type);
  if (item.type == kNoIndex || type.is_error()) return ErrorType();
  if (type.kind != TypeKind::kText && type.kind != TypeKind::kBytes) {
    diagnostics_.Add(item.type_offset, "the value of a document is text or bytes in this version",
                     "for example bytes(..1MiB)");
    return ErrorType();
  }
  if (type.option) {
    diagnostics_.Add(item.type_offset,
                     "the value of a document may always be absent: leave out the `?`");
  }
  Type value = type;
  value.option = false;
  return value;
}

std::string Checker::ContentTypeOf(const Name& written, bool is_word) {
  if (!is_word) {
    std::string content_type = DecodeText(written.text);
    if (!IsContentType(content_type)) {
      diagnostics_.Add(written.offset, "this is no content type",
                       "for example \"text/markdown; charset=utf-8\": printable ASCII");
    }
    return content_type;
  }
  for (const ContentTypeWord& word : kContentTypeWords) {
    if (word.word == written.text) return std::string(word.content_type);
  }
  diagnostics_.Add(written.offset,
                   absl::StrCat("`", Shortened(written.text), "` is no content type"),
                   "html, text, json, csv, or one in quotes");
  return "";
}

// States, functions, inputs and views have names of their own.
bool Checker::CheckNewName(const Name& name, Bytes kind) {
  const auto taken = [&name](const auto& items) {
    return std::any_of(items.begin(), items.end(),
                       [&name](const auto& item) { return item.name == name.text; });
  };
  constexpr Bytes kBuiltins[] = {"all", "any",    "count",  "first",    "key",  "max", "min",
                                 "now", "commit", "random", "revision", "size", "sum", "value"};
  const bool is_handler = kind == "view" || kind == "input";
  const bool builtin = !is_handler && std::find(std::begin(kBuiltins), std::end(kBuiltins),
                                                name.text) != std::end(kBuiltins);
  if (!builtin && !taken(checked_.states) && !taken(checked_.functions) &&
      !taken(checked_.handlers) && checked_.document.name != name.text) {
    return true;
  }
  diagnostics_.Add(
      name.offset, absl::StrCat("`", name.text, "` is taken"),
      builtin ? absl::StrCat("it has a meaning of its own: give the ", kind, " another name")
              : "something else has this name above");
  return false;
}

std::vector<Type> Checker::ParameterTypes(const std::vector<ParameterNode>& parameters) {
  std::vector<Type> types;
  for (const ParameterNode& parameter : parameters) types.push_back(types_.Resolve(parameter.type));
  return types;
}

void Checker::CheckFunction(const FunctionItem& item) {
  CheckedFunction function;
  function.parameters = ParameterTypes(item.parameters);
  function.type = types_.Resolve(item.type);
  function.expr = item.expr;
  Scope scope;
  for (size_t i = 0; i < item.parameters.size(); ++i) {
    const Name& name = item.parameters[i].name;
    if (scope.Find(name.text) >= 0) {
      diagnostics_.Add(name.offset, absl::StrCat("`", name.text, "` is taken"));
    }
    scope.Add({name.text, name.offset, false, KnownOf(function.parameters[i])});
  }
  ExpressionChecker expressions(ast_, &checked_, &scope, &diagnostics_);
  if (item.expr != kNoIndex) {
    expressions.CheckInto(item.expr, function.type, absl::StrCat("`", item.name.text, "`"));
  }
  function.slot_count = scope.size_max();
  if (!CheckNewName(item.name, "function")) return;
  function.name = item.name.text;
  checked_.functions.push_back(std::move(function));
}

void Checker::CheckState(const StateItem& item) {
  CheckedState state;
  state.type = types_.Resolve(item.type);
  state.expr = item.expr;
  Scope scope;
  ExpressionChecker expressions(ast_, &checked_, &scope, &diagnostics_);
  if (item.expr != kNoIndex) {
    expressions.CheckInto(item.expr, state.type, absl::StrCat("`", item.name.text, "`"));
  } else if (!state.type.is_error() && !state.type.is_collection() && !state.type.option) {
    diagnostics_.Add(item.name.offset, absl::StrCat("`", item.name.text, "` has no first value"),
                     absl::StrCat("write it behind the type: state ", item.name.text, ": ",
                                  TypeText(state.type, checked_.shapes), " = ..."));
  }
  state.slot_count = scope.size_max();
  if (!CheckNewName(item.name, "state")) return;
  state.name = std::string(item.name.text);
  checked_.states.push_back(std::move(state));
}

// A path of the server, as `at` and `see` name one.
std::string Checker::CheckPath(const Name& path, bool is_route) {
  if (path.text.empty()) return "";
  std::string text = DecodeText(path.text);
  const auto plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           Bytes("-._~/!$&'()*+,;=:@").find(c) != Bytes::npos;
  };
  const Bytes route = Bytes(text).substr(0, is_route ? Bytes::npos : text.find('?'));
  if (text[0] != '/' || text.size() > kPathBytesMax ||
      !std::all_of(route.begin(), route.end(), plain) || Bytes(text).find("//") != Bytes::npos) {
    diagnostics_.Add(path.offset, "this is no path of this server",
                     "it starts with `/` and is made of letters, digits and -._~/, for example "
                     "\"/sign\"");
    return "";
  }
  const auto below = [&text](Bytes prefix) { return text.compare(0, prefix.size(), prefix) == 0; };
  if (is_route && (below("/-/") || below("/objects/") || below("/views/") || below("/inputs/"))) {
    diagnostics_.Add(path.offset, "paths below /-/, /objects/, /views/ and /inputs/ are taken");
  }
  return text;
}

void Checker::CheckHandler(const HandlerNode& node) {
  const bool view = node.kind == HandlerKind::kView;
  const bool named = CheckNewName(node.name, view ? "view" : "input");
  CheckedHandler handler;
  handler.path = CheckPath(node.path, true);
  handler.see = CheckPath(node.see, false);
  for (const CheckedHandler& other : checked_.handlers) {
    // The same path may be read and written.
    if (handler.path.empty() || other.path != handler.path || other.node->kind != node.kind)
      continue;
    diagnostics_.Add(node.path.offset, absl::StrCat("`", other.name, "` is at this path already"));
  }
  if (view && !node.see.text.empty()) {
    diagnostics_.Add(node.see.offset, "a view shows something, and does not lead on by `see`");
  }
  if (!view && !node.content_type.text.empty()) {
    diagnostics_.Add(node.content_type.offset, "an input answers JSON, or leads on by `see`");
  }
  handler.content_type = node.content_type.text.empty()
                             ? "application/json"
                             : ContentTypeOf(node.content_type, node.content_type_is_word);
  if (node.is_template && node.content_type.text.empty()) {
    diagnostics_.Add(node.name.offset, "a template needs to know what it makes",
                     absl::StrCat("view ", node.name.text, " as html <<<"));
  }
  HandlerChecker(ast_, &checked_, &diagnostics_)
      .Check(node, Name(), ParameterTypes(node.parameters), &handler);
  if (named) checked_.handlers.push_back(std::move(handler));
}

void Checker::CheckMessage(const DocumentItem& item, const HandlerNode& node) {
  std::vector<CheckedHandler>& messages = checked_.document.messages;
  for (const CheckedHandler& message : messages) {
    if (message.name != node.name.text) continue;
    diagnostics_.Add(node.name.offset,
                     absl::StrCat("the message `", node.name.text, "` stands twice"));
    return;
  }
  for (const Name* option : {&node.path, &node.see, &node.content_type}) {
    if (option->text.empty()) continue;
    diagnostics_.Add(option->offset, "`at`, `see` and `as` are of inputs and views");
  }
  CheckedHandler message;
  HandlerChecker(ast_, &checked_, &diagnostics_)
      .Check(node, item.key, ParameterTypes(node.parameters), &message);
  messages.push_back(std::move(message));
}

}  // namespace

Checked Check(const Ast& ast, Diagnostics* diagnostics) { return Checker(ast, diagnostics).Run(); }

}  // namespace pure::modules
