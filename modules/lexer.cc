#include "modules/lexer.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "modules/utf8.h"

namespace pure::modules {
namespace {

constexpr size_t kShownBytesMax = 40;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameByte(char c) { return IsLower(c) || IsUpper(c) || IsDigit(c) || c == '_'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// What a size's unit multiplies by; 0 when it is no size.
uint64_t SizeUnit(Bytes unit) {
  if (unit == "KiB") return uint64_t{1} << 10;
  if (unit == "MiB") return uint64_t{1} << 20;
  if (unit == "GiB") return uint64_t{1} << 30;
  return 0;
}

// Milliseconds of a duration's unit; 0 when it is none.
uint64_t DurationUnit(Bytes unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1000;
  if (unit == "m") return 60 * 1000;
  if (unit == "h") return 3600 * 1000;
  if (unit == "d") return 86400 * 1000;
  return 0;
}

struct Symbol {
  Bytes text;
  TokenKind kind;
};

// Longer ones before their beginnings.
constexpr Symbol kSymbols[] = {
    {"..", TokenKind::kDotDot},       {"==", TokenKind::kEqual},
    {"!=", TokenKind::kNotEqual},     {"<=", TokenKind::kLessEqual},
    {">=", TokenKind::kGreaterEqual}, {"+=", TokenKind::kPlusAssign},
    {"-=", TokenKind::kMinusAssign},  {"(", TokenKind::kLeftParen},
    {")", TokenKind::kRightParen},    {"{", TokenKind::kLeftBrace},
    {"}", TokenKind::kRightBrace},    {"[", TokenKind::kLeftBracket},
    {"]", TokenKind::kRightBracket},  {",", TokenKind::kComma},
    {":", TokenKind::kColon},         {";", TokenKind::kSemicolon},
    {".", TokenKind::kDot},           {"?", TokenKind::kQuestion},
    {"=", TokenKind::kAssign},        {"<", TokenKind::kLess},
    {">", TokenKind::kGreater},       {"+", TokenKind::kPlus},
    {"-", TokenKind::kMinus},         {"*", TokenKind::kStar},
    {"/", TokenKind::kSlash},         {"%", TokenKind::kPercent},
};

// The hexadecimal digits of \u{...} at `raw`, which starts after the brace; kBadCodePoint when it
// is none.
constexpr uint32_t kBadCodePoint = 0xFFFFFFFF;
uint32_t CodePoint(Bytes digits) {
  if (digits.empty() || digits.size() > 6) return kBadCodePoint;
  uint32_t value = 0;
  for (char c : digits) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return kBadCodePoint;
    const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
    value = value * 16 + static_cast<uint32_t>(IsDigit(lower) ? lower - '0' : lower - 'a' + 10);
  }
  if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return kBadCodePoint;
  return value;
}

}  // namespace

Lexer::Lexer(Bytes text, Diagnostics* diagnostics, uint32_t begin)
    : text_(text), diagnostics_(diagnostics), position_(begin) {
  if (begin == 0 && text_.substr(0, 3) == "\xEF\xBB\xBF") position_ = 3;  // a byte order mark
}

char Lexer::Peek(size_t ahead) const {
  return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
}

// Passes over space and comments.
void Lexer::SkipSpace() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '/' && Peek(1) == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (IsSpace(c)) {
      newline_ |= c == '\n';
      ++position_;
    } else {
      return;
    }
  }
}

Token Lexer::Start(TokenKind kind) const {
  Token token;
  token.kind = kind;
  token.newline_before = newline_;
  token.offset = static_cast<uint32_t>(position_);
  return token;
}

void Lexer::Finish(Token* token) const {
  token->text = text_.substr(token->offset, position_ - token->offset);
}

Token Lexer::Next() {
  while (true) {
    SkipSpace();
    Token token = Start(TokenKind::kEnd);
    if (position_ == text_.size()) {
      token.newline_before = true;
      return token;
    }
    const char c = Peek();
    if (IsLower(c) || IsUpper(c)) {
      LexName(&token);
    } else if (IsDigit(c)) {
      LexNumber(&token);
    } else if (c == '"') {
      LexText(&token);
    } else if (text_.substr(position_, 3) == "<<<") {
      LexTemplate(&token);
    } else if (!LexSymbol(&token)) {
      SkipUnknown();
      continue;
    }
    newline_ = false;
    return token;
  }
}

bool Lexer::LexSymbol(Token* token) {
  for (const Symbol& symbol : kSymbols) {
    if (text_.substr(position_, symbol.text.size()) != symbol.text) continue;
    token->kind = symbol.kind;
    position_ += symbol.text.size();
    Finish(token);
    return true;
  }
  return false;
}

void Lexer::LexName(Token* token) {
  while (IsNameByte(Peek())) ++position_;
  Finish(token);
  const Bytes name = token->text;
  if (name.size() > kNameBytesMax) {
    diagnostics_->Add(token->offset,
                      absl::StrCat("a name has at most ", kNameBytesMax, " characters"));
  }
  if (IsUpper(name[0])) {
    token->kind = TokenKind::kTypeName;
    if (name.find('_') != Bytes::npos) {
      diagnostics_->Add(token->offset, absl::StrCat("`", Shortened(name), "` is no name of a type"),
                        "names of types are letters and digits, the first a capital");
    }
    return;
  }
  token->word = WordOf(name);
  token->kind = token->word == Word::kNotReserved ? TokenKind::kName : TokenKind::kWord;
  if (std::any_of(name.begin(), name.end(), IsUpper)) {
    diagnostics_->Add(
        token->offset, absl::StrCat("`", Shortened(name), "` is no name"),
        absl::StrCat("names are lower case: `", Shortened(absl::AsciiStrToLower(name)),
                     "`; names of types start with a capital"));
  }
}

void Lexer::LexNumber(Token* token) {
  token->kind = TokenKind::kInt;
  bool overflow = false;
  bool misplaced = false;
  for (char last = '_'; IsDigit(Peek()) || Peek() == '_'; ++position_) {
    const char c = Peek();
    misplaced |= c == '_' && (last == '_' || !IsDigit(Peek(1)));
    last = c;
    if (c == '_') continue;
    overflow |= __builtin_mul_overflow(token->number, uint64_t{10}, &token->number);
    overflow |=
        __builtin_add_overflow(token->number, static_cast<uint64_t>(c - '0'), &token->number);
  }
  const size_t digits_end = position_;
  const Bytes digits = text_.substr(token->offset, digits_end - token->offset);
  if (Peek() == '.' && IsDigit(Peek(1))) {
    ++position_;
    while (IsNameByte(Peek())) ++position_;
    diagnostics_->Add(token->offset, "numbers with a fraction are not supported yet");
  } else if (misplaced) {
    diagnostics_->Add(token->offset, "`_` stands between digits only");
  } else if (digits.size() > 1 && digits[0] == '0') {
    diagnostics_->Add(token->offset, "a number does not start with 0");
  } else if (IsNameByte(Peek())) {
    LexUnit(token, digits_end);
  } else if (overflow) {
    diagnostics_->Add(token->offset, "this number is too large", "numbers have 64 bits");
  }
  Finish(token);
}

void Lexer::LexUnit(Token* token, size_t digits_end) {
  while (IsNameByte(Peek())) ++position_;
  const Bytes unit = text_.substr(digits_end, position_ - digits_end);
  uint64_t factor = SizeUnit(unit);
  if (factor == 0) {
    factor = DurationUnit(unit);
    if (factor != 0) token->kind = TokenKind::kDuration;
  }
  if (factor == 0) {
    diagnostics_->Add(static_cast<uint32_t>(digits_end),
                      absl::StrCat("`", Shortened(unit), "` is no unit"),
                      "sizes end in KiB, MiB or GiB, times in ms, s, m, h or d");
  } else if (__builtin_mul_overflow(token->number, factor, &token->number)) {
    diagnostics_->Add(token->offset, "this number is too large", "numbers have 64 bits");
  }
}

void Lexer::LexText(Token* token) {
  token->kind = TokenKind::kText;
  ++position_;
  while (true) {
    const char c = Peek();
    if (position_ == text_.size() || c == '\n') {
      diagnostics_->Add(token->offset, "this text has no closing quote on its line",
                        "write a line end in it as \\n");
      Finish(token);
      token->text.remove_prefix(1);
      return;
    }
    if (c == '"') break;
    if (c == '\\') {
      CheckEscape();
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      diagnostics_->Add(static_cast<uint32_t>(position_), "a control character in a text",
                        "write it as \\t, \\r, \\n or \\u{...}");
    }
    ++position_;
  }
  ++position_;
  Finish(token);
  token->text = token->text.substr(1, token->text.size() - 2);
}

// Passes over an escape.
void Lexer::CheckEscape() {
  const size_t start = position_;
  const char kind = Peek(1);
  if (kind == 'n' || kind == 't' || kind == 'r' || kind == '"' || kind == '\\') {
    position_ += 2;
    return;
  }
  if (kind == 'u' && Peek(2) == '{') {
    position_ += 3;
    while (absl::ascii_isxdigit(static_cast<unsigned char>(Peek()))) ++position_;
    const Bytes digits = text_.substr(start + 3, position_ - start - 3);
    if (Peek() == '}' && CodePoint(digits) != kBadCodePoint) {
      ++position_;
      return;
    }
  } else {
    ++position_;
  }
  diagnostics_->Add(static_cast<uint32_t>(start), "this is no escape",
                    "escapes are \\n \\t \\r \\\" \\\\ and \\u{1F600}");
}

void Lexer::LexTemplate(Token* token) {
  token->kind = TokenKind::kTemplate;
  const size_t end = text_.find(">>>", position_ + 3);
  if (end == Bytes::npos) {
    diagnostics_->Add(token->offset, "this template has no closing `>>>`");
    position_ = text_.size();
  } else {
    position_ = end + 3;
  }
  Finish(token);
}

// Passes over a run of octets that no token starts with, and reports it once.
void Lexer::SkipUnknown() {
  const size_t start = position_;
  const char c = Peek();
  const auto unknown = [this] {
    const char next = Peek();
    return position_ < text_.size() && !IsSpace(next) && !IsNameByte(next) && next != '"' &&
           next != '{' && next != '}' && next != '(' && next != ')';
  };
  do {
    position_ += std::max<size_t>(1, Utf8CharacterSize(text_.substr(position_)));
  } while (unknown());
  const Bytes run = text_.substr(start, position_ - start);
  std::string what = "this can not stand here";
  if (c >= 0x20 && c < 0x7F) what = absl::StrCat("`", Bytes(&c, 1), "` can not stand here");
  std::string help;
  if (c == '\'') help = "texts stand in double quotes: \"...\"";
  if (run == "&&") help = "write `and`";
  if (run == "||") help = "write `or`";
  if (run == "!") help = "write `not`";
  if (c == '#') help = "comments start with //";
  diagnostics_->Add(static_cast<uint32_t>(start), what, help);
}

std::string DecodeText(Bytes raw) {
  std::string decoded;
  decoded.reserve(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      decoded.push_back(raw[i]);
      continue;
    }
    const char kind = raw[++i];
    if (kind == 'u') {
      const size_t close = std::min(raw.find('}', i), raw.size());
      const uint32_t code_point =
          CodePoint(raw.substr(std::min(i + 2, close), close - std::min(i + 2, close)));
      char octets[4];
      if (code_point != kBadCodePoint) decoded.append(octets, EncodeUtf8(code_point, octets));
      i = close;
    } else {
      decoded.push_back(kind == 'n' ? '\n' : kind == 't' ? '\t' : kind == 'r' ? '\r' : kind);
    }
  }
  return decoded;
}

Bytes Shortened(Bytes name) { return name.substr(0, kShownBytesMax); }

}  // namespace pure::modules
