#include "modules/templates/html_names.h"

#include <algorithm>
#include <initializer_list>

namespace pure::modules {
namespace {

bool IsOneOf(Bytes name, std::initializer_list<Bytes> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool HoldsUrl(Bytes attribute) {
  return IsOneOf(attribute, {"href", "src", "action", "formaction", "poster", "cite", "data",
                             "background", "manifest", "longdesc", "usemap"});
}

// Frameworks read names with such marks as programs.
bool IsProgram(Bytes attribute) {
  return attribute.substr(0, 2) == "on" || attribute.find_first_of(":@.") != Bytes::npos ||
         IsOneOf(attribute,
                 {"style", "srcset", "srcdoc", "imagesrcset", "http-equiv", "ping", "sandbox"});
}

// What SVG animations make of another attribute of theirs.
bool IsAnimated(Bytes attribute) {
  return IsOneOf(attribute, {"attributename", "by", "from", "to", "values"});
}

}  // namespace

ElementContent ContentOf(Bytes element) {
  if (IsOneOf(element, {"script", "style", "xmp", "iframe", "noembed", "noframes", "noscript"})) {
    return ElementContent::kRaw;
  }
  if (IsOneOf(element, {"title", "textarea"})) return ElementContent::kText;
  if (IsOneOf(element, {"svg", "math"})) return ElementContent::kForeign;
  return element == "plaintext" ? ElementContent::kNoEnd : ElementContent::kMarkup;
}

bool MayStandInForeign(Bytes element) {
  if (ContentOf(element) == ElementContent::kRaw || element == "textarea") return false;
  return !IsOneOf(element, {"annotation-xml",
                            "b",
                            "big",
                            "blockquote",
                            "body",
                            "br",
                            "center",
                            "code",
                            "dd",
                            "desc",
                            "div",
                            "dl",
                            "dt",
                            "em",
                            "embed",
                            "font",
                            "foreignobject",
                            "h1",
                            "h2",
                            "h3",
                            "h4",
                            "h5",
                            "h6",
                            "head",
                            "hr",
                            "i",
                            "img",
                            "li",
                            "listing",
                            "menu",
                            "meta",
                            "mi",
                            "mn",
                            "mo",
                            "ms",
                            "mtext",
                            "nobr",
                            "ol",
                            "p",
                            "plaintext",
                            "pre",
                            "ruby",
                            "s",
                            "small",
                            "span",
                            "strike",
                            "strong",
                            "sub",
                            "sup",
                            "table",
                            "tt",
                            "u",
                            "ul",
                            "var"});
}

AttributeHole HoleIn(Bytes element, Bytes attribute, bool in_foreign) {
  if (IsProgram(attribute)) return AttributeHole::kRefused;
  if (IsOneOf(element, {"base", "object", "embed", "applet", "param", "frame", "frameset"})) {
    return AttributeHole::kRefused;
  }
  if (element == "script" || element == "link") {
    const Bytes address = element == "script" ? "src" : "href";
    return attribute == address ? AttributeHole::kPath : AttributeHole::kRefused;
  }
  if (element == "iframe" && attribute == "src") return AttributeHole::kPath;
  if (element == "iframe" && attribute == "allow") return AttributeHole::kRefused;
  if (element == "meta") {
    return attribute == "content" ? AttributeHole::kText : AttributeHole::kRefused;
  }
  if (in_foreign && (HoldsUrl(attribute) || IsAnimated(attribute))) return AttributeHole::kRefused;
  return HoldsUrl(attribute) ? AttributeHole::kUrl : AttributeHole::kText;
}

}  // namespace pure::modules
