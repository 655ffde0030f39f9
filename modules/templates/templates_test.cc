// Templates as far as they know nothing of types: how they are cut, where holes stand, how they are
// escaped.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "modules/templates/escape.h"
#include "modules/templates/html_context.h"
#include "modules/templates/template_scanner.h"

namespace pure::modules {
namespace {

std::vector<Segment> Scan(const std::string& text, Diagnostics* diagnostics) {
  return ScanTemplate(text, 0, static_cast<uint32_t>(text.size()), diagnostics);
}

// "text|{hole:format}|<for ...>|", or the first error with its place.
std::string Cut(const std::string& text) {
  Diagnostics diagnostics;
  std::string out;
  for (const Segment& segment : Scan(text, &diagnostics)) {
    switch (segment.kind) {
      case SegmentKind::kText:
        absl::StrAppend(&out, segment.text);
        break;
      case SegmentKind::kHole:
        absl::StrAppend(&out, "{", segment.text, segment.format.empty() ? "" : " AS ",
                        segment.format, "}");
        break;
      case SegmentKind::kFor:
        absl::StrAppend(&out, "<for", segment.text, ">");
        break;
      case SegmentKind::kIf:
        absl::StrAppend(&out, "<if", segment.text, ">");
        break;
      case SegmentKind::kElse:
        out.append("<else>");
        break;
      case SegmentKind::kEnd:
        out.append("<end>");
        break;
    }
  }
  for (const Diagnostic& error : diagnostics.InFileOrder()) {
    return absl::StrCat(error.offset, ": ", error.what);
  }
  return out;
}

TEST(TemplateScannerTest, TextsHolesAndMarks) {
  EXPECT_EQ(Cut(""), "");
  EXPECT_EQ(Cut("a {b} c"), "a {b} c");
  EXPECT_EQ(Cut("{e.at:iso}{x[1..2]}{\"a:b}\"}{(if a then \"{\" else b)}"),
            "{e.at AS iso}{x[1..2]}{\"a:b}\"}{(if a then \"{\" else b)}");
  EXPECT_EQ(Cut("{{a}} {{{b}}}"), "{a} {{b}}");
  EXPECT_EQ(Cut("{for x in xs}{x}{else}no{end}{if a}b{end}"),
            "<for x in xs>{x}<else>no<end><if a>b<end>");
  EXPECT_EQ(Cut("{ if a }b{ else }c{end }"), "<if a >b<else>c<end>");
  EXPECT_EQ(Cut("{format}{iffy}{ending}"), "{format}{iffy}{ending}") << "names that begin alike";
}

TEST(TemplateScannerTest, LinesOfMarksAloneLeaveNoEmptyLines) {
  EXPECT_EQ(Cut("\na\n{for x in xs}\n  {x}\n{else}\nno\n{end}\nb\n"),
            "a\n<for x in xs>  {x}\n<else>no\n<end>b\n");
  EXPECT_EQ(Cut("a\n  {if b} {if c}\nd\n {end}{end} \ne"), "a\n<if b><if c>d\n<end><end>e");
  EXPECT_EQ(Cut("a {if b}\nc{end}\n"), "a <if b>\nc<end>\n") << "there is more on these lines";
}

TEST(TemplateScannerTest, BracesThatDoNotMatchAreRefused) {
  EXPECT_EQ(Cut("ab {c"), "3: this `{` has no `}` on its line");
  EXPECT_EQ(Cut("ab {c\n}"), "3: this `{` has no `}` on its line");
  EXPECT_EQ(Cut("ab } c"), "3: this `}` has no `{` before it");
  EXPECT_EQ(Cut("{\"a}"), "0: this `{` has no `}` on its line");
}

// The escape of each hole by its first letter, or the first error with its place.
std::string Html(const std::string& text) {
  Diagnostics diagnostics;
  const std::vector<Segment> segments = Scan(text, &diagnostics);
  const std::vector<Escape> escapes = FindHtmlEscapes(segments, &diagnostics);
  for (const Diagnostic& error : diagnostics.InFileOrder()) {
    return absl::StrCat(error.offset, ": ", error.what);
  }
  std::string out;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].kind != SegmentKind::kHole) continue;
    absl::StrAppend(&out, escapes[i] == Escape::kHtml      ? "h"
                          : escapes[i] == Escape::kUrl     ? "u"
                          : escapes[i] == Escape::kUrlPart ? "p"
                                                           : "?");
  }
  return out;
}

TEST(HtmlContextTest, TextsAttributesAndAddresses) {
  EXPECT_EQ(Html("<!doctype html><p>{a}</p>{b}"), "hh");
  EXPECT_EQ(Html("<p title=\"{a}\" class='x {b}'>{c}"), "hhh");
  EXPECT_EQ(Html("<a href=\"{a}\">{b}</a>"), "uh");
  EXPECT_EQ(Html("<a HREF = '/x/{a}?y={b}#{c}'>"), "ppp");
  EXPECT_EQ(Html("<img src=\"{a}/x?{b}\">"), "up");
  EXPECT_EQ(Html("<input value=\"{a}\" disabled/><br/>{b}"), "hh");
  EXPECT_EQ(Html("<title>{a}</title><textarea>{b}</textarea >{c}"), "hhh");
  EXPECT_EQ(Html("<!-->{a}<!--->{b}<!----->{c}<!-- <!-- -->{d}"), "hhhh");
  EXPECT_EQ(Html("<script>a</scripty></ script><</SCRIPT\n>{a}"), "h");
  EXPECT_EQ(Html("<svg width=\"{a}\"><title>{b}</title><g/><text>{c}</text></svg><p>{d}"), "hhhh");
  EXPECT_EQ(Html("<svg/><p>{a}<svg><svg></svg><g></svg><p>{b}"), "hh");
  EXPECT_EQ(Html("<meta name=description content=\"{a}\"><base href=/x>{b}"), "hh");
  EXPECT_EQ(Html("<!-- <p> -->{a}<!-- -> -->{b}"), "hh");
  EXPECT_EQ(Html("<script>if (a < b) {{}}</script>{a}"), "h");
  EXPECT_EQ(Html("{if a}<b>{x}</b>{else}{y}{end}"), "hh");
}

TEST(HtmlContextTest, AddressesThatStayWhereTheyLead) {
  EXPECT_EQ(Html("<a href=\"http://a.example/{a}\"><a href='//a.example?{b}'>"), "pp");
  EXPECT_EQ(Html("<a href=\"x/{a}/{b}\"><a href=\"/x{a}/{b}\"><a href=\"/{a}?{b}\">"), "pppppp");
  EXPECT_EQ(Html("<a href=\"mailto:{a}?subject={b}\"><a href=\"?a=b&amp;c={c}\">"), "ppp");
  EXPECT_EQ(Html("<script src=\"/x/{a}.js\"></script><link href='/{b}.css'>"), "pp");
  EXPECT_EQ(Html("<a href=\"javascript:f()\" title=\"{a}\">"), "h") << "it has no hole itself";
  for (const char* text :
       {"<a href=\"{a}://{b}\">", "<a href=\"{a}:x\">", "<a href=\"{a}&colon;x\">",
        "<a href=\"{a}{b}\">", "<a href=\"javascript:f('/{a}')\">", "<a href=\"data:/{a}\">",
        "<a href=\" /{a}\">", "<a href=\"http:{a}\">", "<a href=\"http://{a}\">",
        "<a href=\"https://a{b}/\">", "<a href=\"//{a}/\">", "<a href=\"/{a}/{b}\">",
        "<a href=\"{a}/{b}/\">", "<a href=\"/\\{a}\">", "<a href=\"&#x6A;avascript:/{a}\">",
        "<a href=\"java\nscript:/{a}\">", "<script src=\"{a}\"></script>",
        "<link rel=stylesheet href=\"{a}\">", "<iframe src=\"{a}\"></iframe>"}) {
    EXPECT_NE(Html(text).find(": "), std::string::npos) << text << " gives " << Html(text);
  }
}

TEST(HtmlContextTest, BlocksInTags) {
  EXPECT_EQ(Html("<input{if a} checked{end}><p>{b}"), "h");
  EXPECT_EQ(Html("<input {if a}checked {end}name=\"{b}\">"), "h");
  EXPECT_EQ(Html("<input{if a} value=\"{b}\"{else} disabled{end} name=\"{c}\"/>"), "hh");
  EXPECT_EQ(Html("<p class=\"a{if b} c{d}{end}\"{for e in f}{end}>"), "h");
  EXPECT_EQ(Html("<a href=\"/p{if a}?b={b}{end}&amp;c={c}\">"), "pp");
  EXPECT_EQ(Html("{for a in b}<p{if c} id=\"{c}\"{end}>{else}none{end}"), "h");
  for (const char* text :
       {"<input {if a}checked{end}name=\"{b}\">", "<input{if a} checked{end}=\"{b}\">",
        "<input{if a} x{end}on=\"{b}\">", "<{if a}script{else}p{end}>{b}",
        "<p {if a}t=\"{end}{b}\">", "<p {for a in b}c=\"{d}\"{end}>",
        "<a href=\"{if a}/{end}{b}\">", "<in{if a}put{end}>",
        "<meta{if a} http-equiv=refresh{else} content=\"{b}\"{end}>",
        "<meta{if a} content=\"{b}\"{end} http-equiv=refresh>", "<title>{if a}<{end}{b}</title>",
        "<svg>{if a}</svg>{end}{b}"}) {
    EXPECT_NE(Html(text).find(": "), std::string::npos) << text << " gives " << Html(text);
  }
}

TEST(HtmlContextTest, WhereNothingIsSafeIsRefused) {
  for (const char* text : {"<p {a}>",
                           "<{a}>",
                           "<p{a}>",
                           "<p title={a}>",
                           "<p title=x{a}>",
                           "<p {a}=\"x\">",
                           "<p onclick=\"{a}\">",
                           "<p style=\"{a}\">",
                           "<img srcset=\"{a}\">",
                           "<script>{a}</script>",
                           "<style>{a}</style>",
                           "<SCRIPT>{a}</SCRIPT>",
                           "<svg><script>{a}</script></svg>",
                           "<svg><style></style></svg>{a}",
                           "<svg><p></p></svg>{a}",
                           "<svg><![CDATA[<p]]></svg>{a}",
                           "<svg><a href=\"/{a}\"></a></svg>",
                           "<svg><set to=\"{a}\"/></svg>",
                           "<svg><math></math></svg>{a}",
                           "<math><mtext></mtext></math>{a}",
                           "<plaintext>{a}",
                           "<textarea><p>{a}</textarea>",
                           "<title><{a}</title>",
                           "<script><!-- <script></script>{a}",
                           "<!-- a --!><script>/* --> {a} */</script>",
                           "<?xml?>{a}",
                           "</ p>{a}",
                           "<a href=/s/q=\"{a}\">",
                           "<p =\"{a}\">",
                           "<p a\"b=\"{a}\">",
                           "<p a=\"b\"c=\"{a}\">",
                           "<p a=b\"c=\"{a}\">",
                           "<p / a=\"{a}\">",
                           "<p a=>{a}",
                           "<p <b>{a}",
                           "<p @click=\"{a}\">",
                           "<meta http-equiv=\"refresh\" content=\"0;url={a}\">",
                           "<meta content=\"0;url={a}\" HTTP-EQUIV=refresh>",
                           "<meta name=\"{a}\">",
                           "<base href=\"/{a}\">",
                           "<object data=\"/{a}\">",
                           "<embed src=\"/{a}\">",
                           "<script type=\"{a}\"></script>",
                           "<link rel=\"{a}\">",
                           "<iframe sandbox=\"{a}\">",
                           "<iframe srcdoc=\"{a}\">",
                           "<!-- {a} -->",
                           "<!doctype {a}>",
                           "<a href=\"x{a}\">",
                           "<a href=\"java{a}\">",
                           "<a xlink:href=\"{a}\">",
                           "<title></title><script src=\"/x\">{a}</script>",
                           "<noscript>{a}</noscript>"}) {
    EXPECT_NE(Html(text).find(": "), std::string::npos) << text << " gives " << Html(text);
  }
  EXPECT_EQ(Html("<p title=\"{a}>"), "13: the page ends inside of a tag, a quote or a comment");
  EXPECT_EQ(Html("a < b {x}"), "3: a `<` here begins no tag");
  EXPECT_EQ(Html("{for x in y}<p title=\"{end}\">").find("23: the page is not in the same place"),
            0u)
      << Html("{for x in y}<p title=\"{end}\">");
}

TEST(EscapeTest, EachForm) {
  const auto escaped = [](Escape escape, Bytes text) {
    std::string out;
    AppendEscaped(escape, text, &out);
    EXPECT_LE(out.size(), kEscapeFactorMax * text.size() + kEscapeExtraMax);
    return out;
  };
  EXPECT_EQ(escaped(Escape::kPlain, "<&>"), "<&>");
  EXPECT_EQ(escaped(Escape::kHtml, "a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&#39;c");
  EXPECT_EQ(escaped(Escape::kUrlPart, "a b/\xC3\xA9~"), "a%20b%2F%C3%A9~");
  EXPECT_EQ(escaped(Escape::kCsv, "a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(escaped(Escape::kCsv, "=1+2"), "\"'=1+2\"");
  EXPECT_EQ(escaped(Escape::kCsv, "\n=1"), "\"'\n=1\"");
  EXPECT_EQ(escaped(Escape::kCsv, ""), "");
  for (const char* safe :
       {"", "/a", "a/b:c", "?x:y", "#a", "http://a", "HTTPS://a", "mailto:a@b"}) {
    EXPECT_TRUE(IsSafeUrl(safe)) << safe;
  }
  for (const char* unsafe : {"javascript:a", "JaVaScRiPt:a", "data:text/html,a", "vbscript:a",
                             " javascript:a", "java\nscript:a", "\x01javascript:a", "x:", ":a"}) {
    EXPECT_FALSE(IsSafeUrl(unsafe)) << unsafe;
    EXPECT_EQ(escaped(Escape::kUrl, unsafe), "#") << unsafe;
  }
  EXPECT_EQ(escaped(Escape::kUrl, "/a?b=\"&c"), "/a?b=&quot;&amp;c");
}

}  // namespace
}  // namespace pure::modules
