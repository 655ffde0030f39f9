#include "modules/templates/html_walker.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace pure::modules {
namespace {

constexpr size_t kNameBytesMax = 64;
constexpr uint8_t kForeignDepthMax = 100;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool EndsTagName(char c) { return IsSpace(c) || c == '/' || c == '>'; }
bool IsLetter(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); }
bool IsTagByte(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-'; }
bool IsAttributeByte(char c) {
  return IsTagByte(c) || c == '_' || c == ':' || c == '.' || c == '@';
}
char Lower(char c) { return absl::ascii_tolower(static_cast<unsigned char>(c)); }

// Between < and >, and not in a value.
bool IsInTag(HtmlPlace::State state) {
  using State = HtmlPlace::State;
  switch (state) {
    case State::kTagName:
    case State::kTag:
    case State::kAttribute:
    case State::kAfterName:
    case State::kAfterValue:
    case State::kAttributeEnds:
      return true;
    default:
      return false;
  }
}

bool IsBehindBlank(HtmlPlace::State state) {
  return state == HtmlPlace::State::kTag || state == HtmlPlace::State::kAfterName;
}

}  // namespace

void HtmlWalker::Refuse(size_t offset, std::string what, std::string help) {
  if (refused_) return;
  refused_ = true;
  diagnostics_.Add(static_cast<uint32_t>(offset), std::move(what), std::move(help));
}

void HtmlWalker::Text(const Segment& segment) {
  offset_ = segment.offset;
  for (const char c : segment.text) {
    if (refused_) return;
    Step(c);
    ++offset_;
  }
}

void HtmlWalker::Step(char c) {
  switch (now_.state) {
    case State::kText:
      if (c == '<') now_.state = State::kTagOpen;
      return;
    case State::kTagOpen:
      return OpenTag(c);
    case State::kEndTagOpen:
      if (IsLetter(c)) return BeginName(c, true);
      return RefuseHere("a `</` here begins no tag", "write < as &lt;");
    case State::kMarkup:
    case State::kMarkupDash:
      return InMarkup(c);
    case State::kComment:
      return InComment(c);
    case State::kDoctype:
      if (c == '>') now_.state = State::kText;
      return;
    case State::kTagName:
      return InTagName(c);
    case State::kTag:
      return InTag(c, true);
    case State::kAfterName:
      if (c == '=') {
        now_.state = State::kBeforeValue;
        return;
      }
      return InTag(c, true);
    case State::kAfterValue:
    case State::kAttributeEnds:
      return InTag(c, false);
    case State::kSlash:
      if (c == '>') return CloseTag(true);
      return RefuseHere("a `/` stands only at the end of a tag");
    case State::kAttribute:
      return InAttribute(c);
    case State::kBeforeValue:
      return BeforeValue(c);
    case State::kUnquoted:
      return InUnquoted(c);
    case State::kValue:
      return InValue(c);
    case State::kRaw:
    case State::kOnlyText:
      return InElement(c);
  }
}

void HtmlWalker::OpenTag(char c) {
  if (c == '!') {
    now_.state = State::kMarkup;
  } else if (c == '/') {
    now_.state = State::kEndTagOpen;
  } else if (IsLetter(c)) {
    BeginName(c, false);
  } else {
    RefuseHere("a `<` here begins no tag", "write it as &lt;");
  }
}

void HtmlWalker::BeginName(char c, bool end_tag) {
  now_.state = State::kTagName;
  now_.end_tag = end_tag;
  now_.tag = Lower(c);
}

void HtmlWalker::InMarkup(char c) {
  if (c == '-') {
    const bool comment = now_.state == State::kMarkupDash;
    now_.state = comment ? State::kComment : State::kMarkupDash;
    now_.dashes = comment ? 2 : 0;  // <!--> is a whole one
  } else if (now_.state == State::kMarkup && Lower(c) == 'd') {
    now_.state = State::kDoctype;
  } else {
    RefuseHere("behind `<!` stands `doctype`, or `--` for a comment");
  }
}

void HtmlWalker::InComment(char c) {
  if (c == '>' && now_.dashes == 2) {
    now_.dashes = 0;
    now_.state = State::kText;
  } else if (c == '!' && now_.dashes == 2) {
    RefuseHere("browsers end a comment at `--!`, but it does not look so", "end it with -->");
  } else if (c == '-') {
    if (now_.dashes < 2) ++now_.dashes;
  } else {
    now_.dashes = 0;
  }
}

void HtmlWalker::InTagName(char c) {
  if (EndsTagName(c)) {
    EndTagName();
    return InTag(c, false);
  }
  if (!IsTagByte(c)) return RefuseHere("this is no name of a tag");
  if (now_.tag.size() == kNameBytesMax) return RefuseHere("a name of a tag is shorter");
  now_.tag.push_back(Lower(c));
}

void HtmlWalker::InTag(char c, bool begins) {
  if (c == '>') return CloseTag(false);
  if (c == '/' || IsSpace(c)) {
    if (now_.state == State::kAfterName && c != '/') return;
    now_.attribute.clear();
    now_.state = c == '/' ? State::kSlash : State::kTag;
    return;
  }
  if (!IsAttributeByte(c)) {
    return RefuseHere(absl::StrCat("a `", Bytes(&c, 1), "` does not belong here"));
  }
  if (!begins) return RefuseHere("a blank stands between attributes");
  now_.attribute = Lower(c);
  now_.state = State::kAttribute;
}

void HtmlWalker::InAttribute(char c) {
  if (IsAttributeByte(c)) {
    if (now_.attribute.size() == kNameBytesMax) {
      return RefuseHere("a name of an attribute is shorter");
    }
    now_.attribute.push_back(Lower(c));
    return;
  }
  EndAttributeName();
  now_.state = State::kAfterName;
  if (IsSpace(c)) return;
  if (c == '=') {
    now_.state = State::kBeforeValue;
    return;
  }
  InTag(c, false);
}

void HtmlWalker::BeforeValue(char c) {
  if (IsSpace(c)) return;
  if (c == '"' || c == '\'') {
    now_.quote = c;
    now_.state = State::kValue;
    now_.hole = HoleIn(now_.tag, now_.attribute, !now_.foreign.empty());
    return;
  }
  now_.state = State::kUnquoted;
  if (c == '>') return RefuseHere("there is no value behind the `=`");
  InUnquoted(c);
}

void HtmlWalker::InUnquoted(char c) {
  if (IsSpace(c)) {
    now_.attribute.clear();
    now_.state = State::kTag;
  } else if (c == '>') {
    CloseTag(false);
  } else if (c == '"' || c == '\'' || c == '<' || c == '=' || c == '`') {
    RefuseHere(absl::StrCat("a `", Bytes(&c, 1), "` does not belong into a value without quotes"));
  }
}

void HtmlWalker::InValue(char c) {
  if (c == now_.quote) {
    now_.state = State::kAfterValue;
    now_.quote = '"';
    now_.attribute.clear();
    now_.hole = AttributeHole::kText;
    now_.url = {};
    return;
  }
  if (now_.hole != AttributeHole::kUrl && now_.hole != AttributeHole::kPath) return;
  if (!now_.url.Take(c)) {
    RefuseHere(absl::StrCat("a `", Bytes(&c, 1),
                            "` here changes where the address leads when the hole before it "
                            "is empty or a part of it"),
               "put a name before the hole, as in `/users/{id}/`");
  }
}

// In an element that only its end tag ends.
void HtmlWalker::InElement(char c) {
  switch (now_.raw_end.Take(c, now_.tag)) {
    case RawEnd::Found::kNothing:
      return;
    case RawEnd::Found::kEnd:
      now_.end_tag = true;
      now_.state = State::kTagName;
      return InTag(c, false);
    case RawEnd::Found::kStray:
      if (now_.state == State::kRaw) return;
      return RefuseHere(absl::StrCat("a `<` in a `", now_.tag, "` begins its end tag"),
                        "write it as &lt;");
    case RawEnd::Found::kComment:
      return RefuseHere(absl::StrCat("a `<!--` in a `", now_.tag, "` begins no comment"));
  }
}

void HtmlWalker::CloseTag(bool self_closing) {
  now_.attribute.clear();
  const bool in_foreign = !now_.foreign.empty();
  if (now_.end_tag) {
    if (now_.tag == now_.foreign && --now_.foreign_depth == 0) now_.foreign.clear();
    return LeaveTag();
  }
  if (in_foreign && self_closing) return LeaveTag();
  switch (ContentOf(now_.tag)) {
    case ElementContent::kRaw:
      now_.state = State::kRaw;
      break;
    case ElementContent::kText:
      now_.state = State::kOnlyText;
      break;
    case ElementContent::kForeign:
      if (self_closing) return LeaveTag();
      if (now_.foreign_depth == kForeignDepthMax || (in_foreign && now_.tag != now_.foreign)) {
        return RefuseHere(absl::StrCat("there is a `", now_.foreign, "` around this already"));
      }
      now_.foreign = now_.tag;
      ++now_.foreign_depth;
      return LeaveTag();
    default:
      return LeaveTag();
  }
  now_.has_hole = now_.http_equiv = false;
}

void HtmlWalker::LeaveTag() {
  now_.state = State::kText;
  now_.tag.clear();
  now_.end_tag = now_.has_hole = now_.http_equiv = false;
}

void HtmlWalker::EndTagName() {
  if (ContentOf(now_.tag) == ElementContent::kNoEnd) {
    RefuseHere(absl::StrCat("nothing ends a `", now_.tag, "`"));
  } else if (!now_.foreign.empty() && !MayStandInForeign(now_.tag)) {
    RefuseHere(absl::StrCat("a `", now_.tag, "` does not stand in `", now_.foreign, "`"));
  }
}

void HtmlWalker::EndAttributeName() {
  if (now_.tag == "meta" && now_.attribute == "http-equiv") now_.http_equiv = true;
  CheckMeta();
}

void HtmlWalker::CheckMeta() {
  if (now_.http_equiv && now_.has_hole) {
    RefuseHere("nothing can be put into a `meta` with `http-equiv` safely");
  }
}

void HtmlWalker::EndNames() {
  if (now_.state == State::kTagName) EndTagName();
  if (now_.state == State::kAttribute) EndAttributeName();
  now_.attribute.clear();
}

Escape HtmlWalker::Hole(const Segment& segment) {
  offset_ = segment.offset;
  switch (now_.state) {
    case State::kText:
      return Escape::kHtml;
    case State::kOnlyText:
      if (!now_.raw_end.begun()) return Escape::kHtml;
      break;
    case State::kValue:
      return ValueHole();
    default:
      break;
  }
  RefuseHere(WhyNot());
  return Escape::kHtml;
}

std::string HtmlWalker::WhyNot() const {
  switch (now_.state) {
    case State::kRaw:
      return absl::StrCat("nothing can be put into a `", now_.tag, "` safely");
    case State::kComment:
      return "nothing is put into a comment";
    case State::kBeforeValue:
    case State::kUnquoted:
      return "an attribute with a hole has quotes around its value";
    default:
      return "a hole stands in a text or in the quoted value of an attribute";
  }
}

Escape HtmlWalker::ValueHole() {
  now_.has_hole = true;
  CheckMeta();
  Escape escape = Escape::kHtml;
  switch (now_.hole) {
    case AttributeHole::kText:
      return escape;
    case AttributeHole::kRefused:
      RefuseHere(absl::StrCat("nothing can be put into the attribute `", now_.attribute, "` of a `",
                              now_.tag, "` safely"));
      return escape;
    case AttributeHole::kUrl:
    case AttributeHole::kPath:
      break;
  }
  if (!now_.url.TakeHole(&escape)) {
    RefuseHere("this hole could change where the address leads",
               "put a `/`, `?` or `#` before it, or the whole address into one hole");
  } else if (now_.hole == AttributeHole::kPath && escape == Escape::kUrl) {
    RefuseHere(absl::StrCat("a hole can not be the whole address of a `", now_.tag, "`"),
               "begin it with a path of yours, as in `/files/{name}`");
  }
  return escape;
}

bool HtmlWalker::Join(HtmlPlace one, HtmlPlace other) {
  if (!(one == other) && IsInTag(one.state) && IsInTag(other.state)) {
    const bool behind_blank = IsBehindBlank(one.state) && IsBehindBlank(other.state);
    for (HtmlPlace* place : {&one, &other}) {
      std::swap(now_, *place);
      EndNames();
      now_.state = behind_blank ? State::kTag : State::kAttributeEnds;
      std::swap(now_, *place);
    }
  }
  now_ = one;
  now_.has_hole |= other.has_hole;
  now_.http_equiv |= other.http_equiv;
  CheckMeta();
  other.has_hole = now_.has_hole;
  other.http_equiv = now_.http_equiv;
  return now_ == other;
}

}  // namespace pure::modules
