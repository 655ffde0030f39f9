#include "modules/templates/template_scanner.h"

#include <algorithm>

namespace pure::modules {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsNameByte(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// The word at the start of `text` with something else behind it.
bool StartsWithWord(Bytes text, Bytes word) {
  return text.substr(0, word.size()) == word &&
         (text.size() == word.size() || !IsNameByte(text[word.size()]));
}

class Scanner {
 public:
  Scanner(Bytes module, uint32_t begin, uint32_t end, Diagnostics* diagnostics)
      : module_(module), at_(begin), end_(end), diagnostics_(*diagnostics) {}

  std::vector<Segment> Run() {
    SkipLineEnd();
    text_begin_ = at_;
    while (at_ < end_ && !failed_) {
      if (module_[at_] == '{' && Peek(1) == '{') {
        Brace();
      } else if (module_[at_] == '}' && Peek(1) == '}') {
        Brace();
      } else if (module_[at_] == '{') {
        Hole();
      } else if (module_[at_] == '}') {
        Fail(at_, "this `}` has no `{` before it", "a brace of the text is written twice: }}");
      } else {
        ++at_;
      }
    }
    EndText(at_);
    if (failed_) segments_.clear();
    return std::move(segments_);
  }

 private:
  char Peek(size_t ahead) const { return at_ + ahead < end_ ? module_[at_ + ahead] : '\0'; }

  void Fail(size_t offset, const char* what, const char* help) {
    diagnostics_.Add(static_cast<uint32_t>(offset), what, help);
    failed_ = true;
  }

  void EndText(size_t end) {
    if (end > text_begin_) {
      segments_.push_back({SegmentKind::kText,
                           static_cast<uint32_t>(text_begin_),
                           module_.substr(text_begin_, end - text_begin_),
                           {},
                           0});
    }
    text_begin_ = at_;
  }

  // Two braces stand for one: the text ends behind the first.
  void Brace() {
    clean_ = false;
    ++at_;
    EndText(at_);
    text_begin_ = ++at_;
  }

  void SkipLineEnd() {
    size_t next = at_;
    while (next < end_ && IsBlank(module_[next])) ++next;
    if (next < end_ && module_[next] == '\n') at_ = next + 1;
  }

  // Where the brace closes that opens before `from`; npos: it does not. Texts in quotes are passed
  // over, and braces in it pair up. *colon: the last one outside of brackets.
  size_t FindClose(size_t from, size_t* colon) const {
    int depth = 0;
    *colon = Bytes::npos;
    for (size_t i = from; i < end_; ++i) {
      const char c = module_[i];
      if (c == '"') {
        for (++i; i < end_ && module_[i] != '"' && module_[i] != '\n'; ++i) {
          if (module_[i] == '\\') ++i;
        }
        if (i >= end_ || module_[i] != '"') return Bytes::npos;
      } else if (c == '{' || c == '(' || c == '[') {
        ++depth;
      } else if (c == '}' && depth == 0) {
        return i;
      } else if (c == '}' || c == ')' || c == ']') {
        --depth;
      } else if (c == ':' && depth == 0) {
        *colon = i;
      } else if (c == '\n' && depth == 0) {
        return Bytes::npos;
      }
    }
    return Bytes::npos;
  }

  void Hole() {
    const size_t open = at_;
    size_t colon = 0;
    const size_t close = FindClose(open + 1, &colon);
    if (close == Bytes::npos) {
      return Fail(open, "this `{` has no `}` on its line",
                  "a brace of the text is written twice: {{");
    }
    size_t begin = open + 1;
    while (begin < close && IsBlank(module_[begin])) ++begin;
    const Bytes inner = module_.substr(begin, close - begin);
    const Bytes word = inner.substr(0, inner.find_last_not_of(" \t\r") + 1);
    Segment segment{SegmentKind::kHole, static_cast<uint32_t>(begin), inner, {}, 0};
    const auto behind = [&segment](SegmentKind kind, size_t size) {
      segment.kind = kind;
      segment.text.remove_prefix(size);
      segment.offset += static_cast<uint32_t>(size);
    };
    if (StartsWithWord(inner, "for")) {
      behind(SegmentKind::kFor, 3);
    } else if (StartsWithWord(inner, "if")) {
      behind(SegmentKind::kIf, 2);
    } else if (word == "else") {
      segment.kind = SegmentKind::kElse;
    } else if (word == "end") {
      segment.kind = SegmentKind::kEnd;
    } else if (colon != Bytes::npos) {
      segment.text = module_.substr(begin, colon - begin);
      segment.format = module_.substr(colon + 1, close - colon - 1);
      segment.format_offset = static_cast<uint32_t>(colon + 1);
    }
    Place(segment, open, close + 1);
  }

  // Puts the segment behind the text before it. Marks alone on a line take it with them.
  void Place(const Segment& segment, size_t open, size_t behind) {
    size_t text_end = open;
    at_ = behind;
    if (segment.kind != SegmentKind::kHole) {
      size_t line = open;
      while (line > text_begin_ && IsBlank(module_[line - 1])) --line;
      const bool starts = line == text_begin_ ? clean_ : module_[line - 1] == '\n';
      size_t next = at_;
      while (next < end_ && IsBlank(module_[next])) ++next;
      const bool ends = next < end_ && module_[next] == '\n';
      // Other marks may follow on the line.
      const bool more = next < end_ && module_[next] == '{' && IsMark(next);
      if (starts && (ends || more)) {
        text_end = line;
        at_ = ends ? next + 1 : next;
      }
      clean_ = starts && (ends || more);
    } else {
      clean_ = false;
    }
    const size_t resume = at_;
    at_ = open;
    EndText(text_end);
    at_ = resume;
    text_begin_ = at_;
    segments_.push_back(segment);
  }

  bool IsMark(size_t open) const {
    size_t begin = open + 1;
    while (begin < end_ && IsBlank(module_[begin])) ++begin;
    const Bytes rest = module_.substr(begin, std::min<size_t>(5, end_ - begin));
    return StartsWithWord(rest, "for") || StartsWithWord(rest, "if") ||
           StartsWithWord(rest, "else") || StartsWithWord(rest, "end");
  }

  const Bytes module_;
  size_t at_;
  const size_t end_;
  Diagnostics& diagnostics_;
  size_t text_begin_ = 0;
  bool clean_ = true;  // nothing but marks since the start of the line
  bool failed_ = false;
  std::vector<Segment> segments_;
};

}  // namespace

std::vector<Segment> ScanTemplate(Bytes module, uint32_t begin, uint32_t end,
                                  Diagnostics* diagnostics) {
  return Scanner(module, begin, end, diagnostics).Run();
}

}  // namespace pure::modules
