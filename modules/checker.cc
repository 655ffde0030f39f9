#include "modules/checker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "modules/message_checker.h"
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
      : ast_(ast), diagnostics_(*diagnostics), types_(ast, &checked_.choices, diagnostics) {
    checked_.exprs.resize(ast.exprs.size());
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
        case ItemKind::kDocument:
          CheckDocument(ast_.documents[item.index]);
          break;
      }
    }
    if (diagnostics_.empty() && !checked_.document.there) {
      diagnostics_.Add(ast_.name.offset, "this module has no document, so it would serve nothing",
                       "document note(key: slug(64)): bytes(..1MiB)");
    }
    return std::move(checked_);
  }

 private:
  void CheckDocument(const DocumentItem& item);
  Type CheckKeyType(const DocumentItem& item);
  Type CheckValueType(const DocumentItem& item);
  std::string CheckContentType(const DocumentItem& item, const Type& type);
  void CheckMessage(const DocumentItem& item, const MessageNode& node);

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
  document.content_type = CheckContentType(item, document.type);
  for (const MessageNode& node : item.messages) CheckMessage(item, node);
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

std::string Checker::CheckContentType(const DocumentItem& item, const Type& type) {
  if (!item.has_content_type) {
    return type.kind == TypeKind::kText ? "text/plain; charset=utf-8" : "application/octet-stream";
  }
  const Bytes written = item.content_type.text;
  if (!item.content_type_is_word) {
    std::string content_type = DecodeText(written);
    if (!IsContentType(content_type)) {
      diagnostics_.Add(item.content_type.offset, "this is no content type",
                       "for example \"text/markdown; charset=utf-8\": printable ASCII");
    }
    return content_type;
  }
  for (const ContentTypeWord& word : kContentTypeWords) {
    if (word.word == written) return std::string(word.content_type);
  }
  diagnostics_.Add(item.content_type.offset,
                   absl::StrCat("`", Shortened(written), "` is no content type"),
                   "html, text, json, csv, or one in quotes");
  return "";
}

void Checker::CheckMessage(const DocumentItem& item, const MessageNode& node) {
  std::vector<CheckedMessage>& messages = checked_.document.messages;
  for (const CheckedMessage& message : messages) {
    if (message.name != node.name.text) continue;
    diagnostics_.Add(node.name.offset,
                     absl::StrCat("the message `", node.name.text, "` stands twice"));
    return;
  }
  std::vector<Type> parameter_types;
  for (const ParameterNode& parameter : node.parameters) {
    parameter_types.push_back(types_.Resolve(parameter.type));
  }
  CheckedMessage message;
  MessageChecker(ast_, &checked_, &diagnostics_).Check(node, item.key, parameter_types, &message);
  messages.push_back(std::move(message));
}

}  // namespace

Checked Check(const Ast& ast, Diagnostics* diagnostics) { return Checker(ast, diagnostics).Run(); }

}  // namespace pure::modules
