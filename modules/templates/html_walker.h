#pragma once

// HtmlWalker: goes through a page as a browser's tokenizer does ("HTML", WHATWG, section 13.2.5)
// and knows at each hole where it stands. What browsers accept though it is an error (attributes
// that run into each other, stray quotes, half a tag) is refused instead of followed, so that the
// two can not come to differ.
//
// Thread: one at a time. Cost: O(1) for each octet.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "modules/diagnostics.h"
#include "modules/templates/escape.h"
#include "modules/templates/html_names.h"
#include "modules/templates/raw_end.h"
#include "modules/templates/template_scanner.h"
#include "modules/templates/url_place.h"

namespace pure::modules {

// Where in a page. Names are short, so a copy is cheap.
struct HtmlPlace {
  enum class State : uint8_t {
    kText,
    kTagOpen,     // behind <
    kEndTagOpen,  // behind </
    kMarkup,      // behind <!
    kMarkupDash,  // behind <!-
    kComment,     // behind <!--
    kDoctype,     // to the next >
    kTagName,
    kTag,            // before the name of an attribute
    kSlash,          // behind a / that ends the tag
    kAttribute,      // in the name of one
    kAfterName,      // behind it and a blank
    kBeforeValue,    // behind =
    kUnquoted,       // in a value without quotes
    kValue,          // in one with quotes
    kAfterValue,     // behind its quote
    kAttributeEnds,  // behind a block: no attribute goes on here
    kRaw,            // in a script, a style ...
    kOnlyText,       // in a title, a textarea
  };

  State state = State::kText;
  char quote = '"';
  bool end_tag = false;
  bool has_hole = false;    // the tag
  bool http_equiv = false;  // the tag, a meta
  uint8_t dashes = 0;       // of the end of a comment
  uint8_t foreign_depth = 0;
  std::string foreign;  // svg or math, or not in one
  std::string tag;
  std::string attribute;
  AttributeHole hole = AttributeHole::kText;  // of the value at hand
  UrlPlace url;
  RawEnd raw_end;

  friend bool operator==(const HtmlPlace&, const HtmlPlace&) = default;
};

class HtmlWalker {
 public:
  explicit HtmlWalker(Diagnostics* diagnostics) : diagnostics_(*diagnostics) {}

  const HtmlPlace& place() const { return now_; }
  void Go(const HtmlPlace& place) { now_ = place; }

  // After something was refused nothing is looked at any more.
  bool refused() const { return refused_; }
  // Reports it, at that octet of the module.
  void Refuse(size_t offset, std::string what, std::string help = "");

  void Text(const Segment& segment);
  Escape Hole(const Segment& segment);

  // Goes to where both of two ways through a block lead. False: they do not lead to one place.
  bool Join(HtmlPlace one, HtmlPlace other);

 private:
  using State = HtmlPlace::State;

  void Step(char c);
  void OpenTag(char c);
  void BeginName(char c, bool end_tag);
  void InMarkup(char c);
  void InComment(char c);
  void InTagName(char c);
  // Between the parts of a tag; `begins`: an attribute may begin with c.
  void InTag(char c, bool begins);
  void InAttribute(char c);
  void BeforeValue(char c);
  void InUnquoted(char c);
  void InValue(char c);
  void InElement(char c);
  void CloseTag(bool self_closing);
  void LeaveTag();

  void EndTagName();
  void EndAttributeName();
  void EndNames();
  void CheckMeta();

  void RefuseHere(std::string what, std::string help = "") {
    Refuse(offset_, std::move(what), std::move(help));
  }
  std::string WhyNot() const;
  Escape ValueHole();

  Diagnostics& diagnostics_;
  HtmlPlace now_;
  size_t offset_ = 0;  // of the octet that is looked at
  bool refused_ = false;
};

}  // namespace pure::modules
