#include "modules/templates/html_context.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace pure::modules {
namespace {

enum class State : uint8_t {
  kText,
  kTagOpen,  // behind <
  kTagName,
  kTag,          // between attributes
  kAttribute,    // in the name of one
  kAfterName,    // behind it
  kBeforeValue,  // behind =
  kValue,        // in quotes
  kComment,      // <!-- ... --> and <! ... >
  kRaw,          // script, style: up to the end tag
  kTitle,        // title, textarea: text, but no tags
};

struct Context {
  State state = State::kText;
  char quote = '"';
  bool end_tag = false;
  bool value_started = false;  // something stands in the value before this
  bool in_query = false;       // behind a / ? or # of it
  std::string tag;
  std::string attribute;

  friend bool operator==(const Context&, const Context&) = default;
};

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

bool IsOneOf(Bytes name, std::initializer_list<Bytes> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool HoldsUrl(Bytes attribute) {
  return IsOneOf(attribute, {"href", "src", "action", "formaction", "poster", "cite", "data",
                             "background", "manifest", "ping", "longdesc", "usemap"});
}

// Attributes that are programs, or are read in another way than as a text.
bool IsRefused(Bytes attribute) {
  return attribute.substr(0, 2) == "on" ||
         IsOneOf(attribute, {"style", "srcset", "srcdoc", "imagesrcset", "http-equiv"}) ||
         attribute.find(':') != Bytes::npos;
}

class Walker {
 public:
  explicit Walker(Diagnostics* diagnostics) : diagnostics_(*diagnostics) {}

  const Context& context() const { return now_; }
  void Go(const Context& context) { now_ = context; }

  void Text(const Segment& segment) {
    const Bytes text = segment.text;
    for (size_t i = 0; i < text.size() && !refused_; ++i) {
      Step(text, &i, segment.offset);
    }
  }

  Escape Hole(const Segment& segment) {
    switch (now_.state) {
      case State::kText:
      case State::kTitle:
        return Escape::kHtml;
      case State::kValue:
        return ValueHole(segment);
      default:
        break;
    }
    Refuse(segment.offset, Place());
    return Escape::kHtml;
  }

  bool refused() const { return refused_; }

  void Refuse(size_t offset, std::string what, std::string help = "") {
    if (refused_) return;
    refused_ = true;
    diagnostics_.Add(static_cast<uint32_t>(offset), std::move(what), std::move(help));
  }

 private:
  // Why nothing may be put in here.
  std::string Place() const {
    switch (now_.state) {
      case State::kRaw:
        return absl::StrCat("nothing can be put into a `", now_.tag, "` safely");
      case State::kComment:
        return "nothing is put into a comment";
      case State::kBeforeValue:
        return "an attribute with a hole has quotes around its value";
      default:
        return "a hole stands in a text or in the quoted value of an attribute";
    }
  }

  Escape ValueHole(const Segment& segment) {
    const bool started = std::exchange(now_.value_started, true);
    if (IsRefused(now_.attribute)) {
      Refuse(segment.offset,
             absl::StrCat("nothing can be put into the attribute `", now_.attribute, "` safely"));
    }
    if (!HoldsUrl(now_.attribute)) return Escape::kHtml;
    if (!started) return Escape::kUrl;
    if (!now_.in_query) {
      Refuse(segment.offset, "this hole could change where the address leads",
             "put a `/`, `?` or `#` before it, or the whole address into one hole");
    }
    return Escape::kUrlPart;
  }

  // Takes the character at *i, and more of them when they belong together.
  void Step(Bytes text, size_t* i, uint32_t offset) {
    const char c = text[*i];
    switch (now_.state) {
      case State::kText:
        if (c == '<') now_.state = State::kTagOpen;
        return;
      case State::kTagOpen:
        return OpenTag(text, i, offset);
      case State::kTagName:
        if (IsSpace(c) || c == '/' || c == '>') return AfterTagName(c);
        if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-') {
          return Refuse(offset + *i, "this is no name of a tag");
        }
        now_.tag.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
        return;
      case State::kTag:
      case State::kAttribute:
      case State::kAfterName:
      case State::kBeforeValue:
        return InTag(c, offset + *i);
      case State::kValue:
        if (c == now_.quote) {
          now_.state = State::kTag;
          now_.attribute.clear();
          now_.value_started = now_.in_query = false;
          return;
        }
        now_.value_started = true;
        now_.in_query |= c == '/' || c == '?' || c == '#';
        return;
      case State::kComment:
        return InComment(text, *i);
      case State::kRaw:
      case State::kTitle:
        return InRaw(text, *i);
    }
  }

  void OpenTag(Bytes text, size_t* i, uint32_t offset) {
    const char c = text[*i];
    now_.tag.clear();
    now_.end_tag = false;
    if (text.substr(*i, 3) == "!--") {
      *i += 2;
      now_.state = State::kComment;
      now_.tag = "--";
    } else if (c == '!') {
      now_.state = State::kComment;
    } else if (c == '/' && *i + 1 < text.size() &&
               absl::ascii_isalpha(static_cast<unsigned char>(text[*i + 1]))) {
      now_.end_tag = true;
      now_.state = State::kTagName;
    } else if (absl::ascii_isalpha(static_cast<unsigned char>(c))) {
      now_.state = State::kTagName;
      now_.tag.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
    } else {
      Refuse(offset + *i, "a `<` here begins no tag", "write it as &lt;");
    }
  }

  void AfterTagName(char c) {
    now_.state = State::kTag;
    if (c == '>') CloseTag();
  }

  void CloseTag() {
    now_.state = State::kText;
    if (!now_.end_tag) {
      if (IsOneOf(now_.tag, {"script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext",
                             "noscript", "template", "svg", "math"})) {
        now_.state = State::kRaw;
      } else if (now_.tag == "title" || now_.tag == "textarea") {
        now_.state = State::kTitle;
      }
    }
    if (now_.state == State::kText) now_.tag.clear();
    now_.end_tag = false;
    now_.attribute.clear();
  }

  void InTag(char c, size_t offset) {
    if (now_.state == State::kBeforeValue) {
      if (IsSpace(c)) return;
      if (c == '"' || c == '\'') {
        now_.quote = c;
        now_.state = State::kValue;
        now_.value_started = now_.in_query = false;
        return;
      }
      if (c == '>') return CloseTag();
      // A value without quotes: it may hold no hole, and ends with a space or the tag.
      now_.state = State::kAttribute;
      now_.attribute = "=";
      return;
    }
    if (c == '>') return CloseTag();
    if (c == '<' || c == '"' || c == '\'') {
      return Refuse(offset, absl::StrCat("a `", std::string(1, c), "` does not belong here"));
    }
    if (IsSpace(c) || c == '/') {
      now_.state =
          now_.state == State::kAttribute && now_.attribute != "=" ? State::kAfterName : now_.state;
      if (now_.attribute == "=") {
        now_.state = State::kTag;
        now_.attribute.clear();
      }
      return;
    }
    if (c == '=' && now_.attribute != "=") {
      now_.state = State::kBeforeValue;
      return;
    }
    if (now_.attribute == "=") return;  // still in the value without quotes
    if (now_.state != State::kAttribute) now_.attribute.clear();
    now_.state = State::kAttribute;
    now_.attribute.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
  }

  void InComment(Bytes text, size_t i) {
    if (text[i] != '>') return;
    const bool ends = now_.tag != "--" || (i >= 2 && text.substr(i - 2, 2) == "--");
    if (!ends) return;
    now_.state = State::kText;
    now_.tag.clear();
  }

  // Up to the end tag of the same name.
  void InRaw(Bytes text, size_t i) {
    if (text[i] != '>') return;
    const std::string end = absl::StrCat("</", now_.tag);
    size_t open = text.rfind('<', i);
    if (open == Bytes::npos) return;
    Bytes tag = text.substr(open, i - open);
    while (!tag.empty() && IsSpace(tag.back())) tag.remove_suffix(1);
    if (!absl::EqualsIgnoreCase(tag, end)) return;
    now_.state = State::kText;
    now_.tag.clear();
  }

  Diagnostics& diagnostics_;
  Context now_;
  bool refused_ = false;
};

// The context where each block was opened, and where its first part ended.
struct Block {
  Context opened;
  Context first_end;
  bool has_else = false;
  bool is_if = false;
};

}  // namespace

std::vector<Escape> FindHtmlEscapes(const std::vector<Segment>& segments,
                                    Diagnostics* diagnostics) {
  std::vector<Escape> escapes(segments.size(), Escape::kPlain);
  Walker walker(diagnostics);
  std::vector<Block> blocks;
  const auto differ = [&walker](const Segment& segment) {
    walker.Refuse(segment.offset, "the page is not in the same place at both ends of this block",
                  "a block opens and closes its own tags and quotes");
  };
  for (size_t i = 0; i < segments.size() && !walker.refused(); ++i) {
    const Segment& segment = segments[i];
    switch (segment.kind) {
      case SegmentKind::kText:
        walker.Text(segment);
        break;
      case SegmentKind::kHole:
        escapes[i] = walker.Hole(segment);
        break;
      case SegmentKind::kFor:
      case SegmentKind::kIf:
        blocks.push_back({walker.context(), {}, false, segment.kind == SegmentKind::kIf});
        break;
      case SegmentKind::kElse:
        if (!blocks.back().is_if && !(walker.context() == blocks.back().opened)) differ(segment);
        blocks.back().first_end = walker.context();
        blocks.back().has_else = true;
        walker.Go(blocks.back().opened);
        break;
      case SegmentKind::kEnd: {
        const Block& block = blocks.back();
        const Context& wanted = block.has_else ? block.first_end : block.opened;
        if (!(walker.context() == wanted)) differ(segment);
        blocks.pop_back();
        break;
      }
    }
  }
  if (!walker.refused() && !segments.empty() && walker.context().state != State::kText) {
    walker.Refuse(segments.back().offset, "the page ends inside of a tag, a quote or a comment");
  }
  return escapes;
}

}  // namespace pure::modules
