// Any template that is taken keeps its structure whatever is put in: the page has the same tags
// with the same attributes, and each address leads to the same place, as with a harmless value.

#include <cstdio>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "modules/templates/escape.h"
#include "modules/templates/html_context.h"
#include "modules/templates/reference_tokenizer.h"
#include "modules/templates/template_scanner.h"
#include "tests/testing/effort.h"

namespace pure::modules {
namespace {

using Random = std::mt19937;

constexpr char kHarmless[] = "zqz";
constexpr uint64_t kTemplates = 60'000;

constexpr const char* kHostile[] = {
    "",
    "/",
    "//evil.example/",
    "\\\\evil.example",
    "evil.example",
    "javascript:alert(1)",
    "javascript",
    "java\nscript:alert(1)",
    "&#106;avascript:alert(1)",
    "https://evil.example/",
    ":",
    "\"><script>alert(1)</script>",
    "' onload='alert(1)",
    " onload=alert(1) ",
    "</title><script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</textarea><b>",
    "--><b>",
    "-",
    ">",
    "<",
    "!--",
    "=",
    "`",
    "&",
};

// Pieces of pages, whole ones and such that break others.
constexpr const char* kPieces[] = {"<a href=\"",
                                   "<a href='",
                                   "<a href=",
                                   "<p title=\"",
                                   "<p title='",
                                   "<p title=",
                                   "<p ",
                                   "<p",
                                   "<img src=\"",
                                   "<input value=\"",
                                   "<script>",
                                   "<script src=\"",
                                   "</script>",
                                   "<style>",
                                   "</style>",
                                   "<title>",
                                   "</title>",
                                   "<textarea>",
                                   "</textarea>",
                                   "<svg>",
                                   "</svg>",
                                   "<math>",
                                   "</math>",
                                   "<svg/>",
                                   "<!--",
                                   "-->",
                                   "--!>",
                                   "<!-->",
                                   "<!doctype html>",
                                   "<![CDATA[",
                                   "]]>",
                                   "<noscript>",
                                   "</noscript>",
                                   "<xmp>",
                                   "</xmp>",
                                   "<plaintext>",
                                   "<br/>",
                                   "</p>",
                                   "</a>",
                                   "<",
                                   ">",
                                   "\">",
                                   "'>",
                                   "\"",
                                   "'",
                                   "=",
                                   " ",
                                   "/",
                                   "/>",
                                   "//",
                                   "\\",
                                   ":",
                                   "?",
                                   "#",
                                   "&",
                                   "&#58;",
                                   "&colon;",
                                   "javascript:",
                                   "http:",
                                   "https://own.example",
                                   "mailto:",
                                   "x",
                                   "x/",
                                   "/x/",
                                   " checked",
                                   " class=\"",
                                   " onclick=\"",
                                   " href=\"",
                                   " x",
                                   "-",
                                   "!",
                                   "\n",
                                   "{h}",
                                   "{h}",
                                   "{h}",
                                   "{h}",
                                   "{h}",
                                   "{h}",
                                   "{h}",
                                   "{if c}",
                                   "{if c}",
                                   "{for e in c}",
                                   "{else}",
                                   "{end}",
                                   "{end}",
                                   "{end}"};

std::string MakeTemplate(Random* random) {
  std::string text;
  const size_t pieces = 2 + (*random)() % 8;
  int open = 0;
  for (size_t i = 0; i < pieces; ++i) {
    const Bytes piece = kPieces[(*random)() % std::size(kPieces)];
    if (piece == "{end}" && open == 0) continue;
    if (piece == "{else}" && open == 0) continue;
    open += piece.substr(0, 3) == "{if" || piece.substr(0, 4) == "{for" ? 1 : 0;
    open -= piece == "{end}" ? 1 : 0;
    absl::StrAppend(&text, piece);
  }
  for (; open > 0; --open) text.append("{end}");
  // Most pages end in a text.
  const Bytes closings[] = {"", ">", "\">", "'>", "</title>", "</script>", "-->"};
  absl::StrAppend(&text, closings[(*random)() % std::size(closings)]);
  return text;
}

class Renderer {
 public:
  // The holes show the one value and the other by turns.
  Renderer(const std::vector<Segment>& segments, const std::vector<Escape>& escapes, Bytes value,
           Bytes other, uint32_t choices)
      : segments_(segments), escapes_(escapes), values_{value, other}, choices_(choices) {}

  std::string Run() {
    size_t at = 0;
    Block(&at, true);
    return std::move(out_);
  }

 private:
  void Block(size_t* at, bool shown) {
    for (; *at < segments_.size(); ++*at) {
      const Segment& segment = segments_[*at];
      switch (segment.kind) {
        case SegmentKind::kText:
          if (shown) absl::StrAppend(&out_, segment.text);
          break;
        case SegmentKind::kHole:
          if (shown) AppendEscaped(escapes_[*at], values_[holes_++ % 2], &out_);
          break;
        case SegmentKind::kFor:
        case SegmentKind::kIf: {
          const size_t body = ++*at;
          const uint32_t times = choices_ % (segment.kind == SegmentKind::kFor ? 3 : 2);
          choices_ = choices_ / 2 * 7 + 3;
          Block(at, shown && times > 0);
          const size_t behind = *at;
          for (uint32_t i = 1; i < times; ++i) {
            *at = body;
            Block(at, shown);
          }
          *at = behind;
          if (segments_[*at].kind == SegmentKind::kElse) {
            ++*at;
            Block(at, shown && times == 0);
          }
          break;
        }
        case SegmentKind::kElse:
        case SegmentKind::kEnd:
          return;
      }
    }
  }

  const std::vector<Segment>& segments_;
  const std::vector<Escape>& escapes_;
  const Bytes values_[2];
  uint32_t holes_ = 0;
  uint32_t choices_;
  std::string out_;
};

bool IsAddress(Bytes attribute) { return attribute == "href" || attribute == "src"; }

// What differs between the two pages; empty: nothing that matters.
std::string Difference(Bytes harmless, Bytes hostile, bool raw) {
  const std::vector<ReferenceTag> expected = TokenizeAsBrowser(harmless, raw);
  const std::vector<ReferenceTag> found = TokenizeAsBrowser(hostile, raw);
  if (expected.size() != found.size()) return "other tags";
  for (size_t i = 0; i < found.size(); ++i) {
    if (expected[i].name != found[i].name) return absl::StrCat("a tag is ", found[i].name);
    if (expected[i].attributes.size() != found[i].attributes.size()) return "other attributes";
    for (size_t j = 0; j < found[i].attributes.size(); ++j) {
      const auto& [name, value] = found[i].attributes[j];
      const auto& [old_name, old_value] = expected[i].attributes[j];
      if (name != old_name) return absl::StrCat("an attribute is ", name);
      if (!IsAddress(name) || value == old_value) continue;
      const auto [scheme, host] = LeadsTo(value);
      const auto [old_scheme, old_host] = LeadsTo(old_value);
      if (scheme != "http" && scheme != "https" && scheme != "mailto") return "a scheme";
      if (Bytes(old_value).substr(0, sizeof(kHarmless) - 1) == kHarmless) continue;
      if (scheme != old_scheme || host != old_host) return absl::StrCat("it leads to ", host);
    }
  }
  return "";
}

TEST(HtmlPropertyTest, WhatIsPutInChangesNothingAround) {
  Random random(static_cast<uint32_t>(20 + pure::testing::FirstSeed()));
  uint64_t taken = 0;
  for (uint64_t i = 0; i < kTemplates * pure::testing::Effort(); ++i) {
    const std::string text = MakeTemplate(&random);
    Diagnostics diagnostics;
    const std::vector<Segment> segments =
        ScanTemplate(text, 0, static_cast<uint32_t>(text.size()), &diagnostics);
    const std::vector<Escape> escapes = FindHtmlEscapes(segments, &diagnostics);
    if (!diagnostics.empty()) continue;
    ++taken;
    const auto choices = static_cast<uint32_t>(random());
    const std::string harmless = Renderer(segments, escapes, kHarmless, kHarmless, choices).Run();
    for (const Bytes value : kHostile) {
      const Bytes other = kHostile[random() % std::size(kHostile)];
      const std::string hostile = Renderer(segments, escapes, value, other, choices).Run();
      for (const bool raw : {true, false}) {
        ASSERT_EQ(Difference(harmless, hostile, raw), "")
            << text << "\nwith " << value << " and " << other << "\ngives " << hostile;
      }
    }
  }
  std::printf("%llu templates taken\n", static_cast<unsigned long long>(taken));
  EXPECT_GT(taken, kTemplates / 50);
}

}  // namespace
}  // namespace pure::modules
