#include "transport/http1/head.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/bytes.h"

namespace pure::http1 {
namespace {

constexpr size_t kLimitBytes = 4096;

// A parser that was given all bytes at once, and what it said.
struct Parsed {
  explicit Parsed(Bytes request, size_t limit_bytes = kLimitBytes) : parser(limit_bytes) {
    result = parser.Parse(request, &head);
  }
  HeadParser parser;
  Head head;
  ParseResult result;
};

Refusal RefusalOf(Bytes request, size_t limit_bytes = kLimitBytes) {
  const Parsed parsed(request, limit_bytes);
  return parsed.result == ParseResult::kRefused ? parsed.parser.refusal() : Refusal::kNone;
}

bool Completes(Bytes request) { return Parsed(request).result == ParseResult::kComplete; }
bool IsIncomplete(Bytes request) { return Parsed(request).result == ParseResult::kIncomplete; }

// A GET with one more line.
std::string With(Bytes line) {
  return absl::StrCat("GET / HTTP/1.1\r\nHost: a\r\n", line, "\r\n\r\n");
}

TEST(HeadTest, APutIsTakenApart) {
  const Bytes request =
      "PUT /objects/a?x=%2F HTTP/1.1\r\nHost: [::1]:8767\r\nContent-Length: 0012\r\n"
      "If-Match: \"7\"\r\nContent-Type: text/plain\r\nAuthorization: Bearer b\r\n"
      "Origin: http://[::1]:8767\r\nAccept: */*\r\nExpect: 100-Continue\r\n\r\nbody";
  const Parsed parsed(request);
  ASSERT_EQ(parsed.result, ParseResult::kComplete);
  const Head& head = parsed.head;
  EXPECT_EQ(head.method, Method::kPut);
  EXPECT_EQ(head.minor_version, 1);
  EXPECT_TRUE(head.keep_alive);
  EXPECT_TRUE(head.expect_continue);
  EXPECT_TRUE(head.has_content_length);
  EXPECT_EQ(head.content_length, 12u);
  EXPECT_EQ(head.target, "/objects/a?x=%2F");
  EXPECT_EQ(head.path, "/objects/a");
  EXPECT_TRUE(head.has_query);
  EXPECT_EQ(head.query, "x=%2F");
  EXPECT_FALSE(head.misdirected);
  EXPECT_EQ(head.authority, "[::1]:8767");
  EXPECT_TRUE(head.has_origin);
  EXPECT_EQ(head.origin, "http://[::1]:8767");
  EXPECT_EQ(head.authorization, "Bearer b");
  EXPECT_EQ(head.content_type, "text/plain");
  EXPECT_EQ(head.accept, "*/*");
  EXPECT_EQ(head.if_match.kind, EntityTag::Kind::kTag);
  EXPECT_EQ(head.if_match.text, "7");
  EXPECT_EQ(head.if_none_match.kind, EntityTag::Kind::kNone);
  EXPECT_EQ(head.size_bytes, request.size() - 4);
}

TEST(HeadTest, MethodsAreTokensAndTheirCaseCounts) {
  const auto method = [](Bytes name) {
    return Parsed(absl::StrCat(name, " / HTTP/1.1\r\nHost: a\r\n\r\n")).head.method;
  };
  EXPECT_EQ(method("GET"), Method::kGet);
  EXPECT_EQ(method("HEAD"), Method::kHead);
  EXPECT_EQ(method("POST"), Method::kPost);
  EXPECT_EQ(method("OPTIONS"), Method::kOptions);
  EXPECT_EQ(method("DELETE"), Method::kDelete);
  EXPECT_EQ(method("PATCH"), Method::kPatch);
  EXPECT_EQ(method("get"), Method::kOther);
  EXPECT_EQ(method("GETX"), Method::kOther);
  EXPECT_EQ(RefusalOf("CONNECT a:1 HTTP/1.1\r\n"), Refusal::kNotImplemented);
  EXPECT_EQ(RefusalOf("G=T "), Refusal::kBadRequest);
}

TEST(HeadTest, TargetsOfEachFormAreUnderstood) {
  const Parsed parsed("GET http://target:1/p?q HTTP/1.1\r\nHost: field\r\n\r\n");
  EXPECT_EQ(parsed.head.authority, "target:1");
  EXPECT_EQ(parsed.head.path, "/p");
  EXPECT_EQ(parsed.head.query, "q");
  EXPECT_FALSE(parsed.head.misdirected);
  EXPECT_FALSE(Parsed("GET HTTP://a/ HTTP/1.1\r\nHost: a\r\n\r\n").head.misdirected);
  EXPECT_TRUE(Parsed("GET Https://a/ HTTP/1.1\r\nHost: a\r\n\r\n").head.misdirected);
  EXPECT_EQ(Parsed("GET http://a HTTP/1.1\r\nHost: a\r\n\r\n").head.path, "/");
  EXPECT_EQ(Parsed("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").head.path, "*");
  EXPECT_EQ(RefusalOf("GET ftp://a/ HTTP/1.1\r\n"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET objects/a HTTP/1.1\r\n"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET http:///p HTTP/1.1\r\n"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET http://u@a/ HTTP/1.1\r\n"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET https://u@a/ HTTP/1.1\r\n"), Refusal::kBadRequest);
}

TEST(HeadTest, EscapesAreCheckedAndNeverDecoded) {
  EXPECT_EQ(Parsed("GET /%2f%2F HTTP/1.1\r\nHost: a\r\n\r\n").head.path, "/%2f%2F");
  EXPECT_EQ(RefusalOf("GET /%g"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET /%4 "), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET /% HTTP/1.1\r\n"), Refusal::kBadRequest);
  EXPECT_TRUE(IsIncomplete("GET /%4"));
}

TEST(HeadTest, OnlyVersionOneIsServed) {
  EXPECT_EQ(Parsed("GET / HTTP/1.9\r\nHost: a\r\n\r\n").head.minor_version, 9);
  EXPECT_EQ(RefusalOf("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Refusal::kVersionNotSupported);
  EXPECT_EQ(RefusalOf("GET / HTTP/0.9\r\n"), Refusal::kVersionNotSupported);
  EXPECT_EQ(RefusalOf("GET / HTTP/11"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.10"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET / http"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET /\r\n"), Refusal::kBadRequest);
}

TEST(HeadTest, Http10NeedsNoHostAndIsClosed) {
  const Parsed parsed("GET / HTTP/1.0\r\nConnection: keep-alive\r\nExpect: odd\r\n\r\n");
  ASSERT_EQ(parsed.result, ParseResult::kComplete);
  EXPECT_FALSE(parsed.head.keep_alive);
  EXPECT_FALSE(parsed.head.expect_continue);
  EXPECT_EQ(parsed.head.authority, "");
  EXPECT_EQ(RefusalOf("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
            Refusal::kBadRequest);
}

TEST(HeadTest, OneEmptyLineBeforeTheRequestIsSkippedAndCounted) {
  const Parsed parsed("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_EQ(parsed.result, ParseResult::kComplete);
  EXPECT_EQ(parsed.head.size_bytes, 29u);
  EXPECT_EQ(RefusalOf("\r\n\r\n"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("\nGET"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("\rGET"), Refusal::kBadRequest);
  EXPECT_TRUE(IsIncomplete("\r"));
  EXPECT_TRUE(IsIncomplete(""));
}

TEST(HeadTest, AnIllegalByteIsRefusedBeforeTheHeadEnds) {
  EXPECT_EQ(RefusalOf("\x16\x03\x01"), Refusal::kBadRequest);  // a TLS handshake
  EXPECT_EQ(RefusalOf(Bytes("GE\0", 3)), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET /\x80"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET /a#"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\n"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\nHost : a"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\n folded"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\n: a"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\nX: a\x7f"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\nX: a\rb"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\nX: a\nb"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\nHost: a\r\n\rX"), Refusal::kBadRequest);
}

TEST(HeadTest, AValueHoldsEveryByteThatTheRfcAllows) {
  for (int octet = 0; octet < 256; ++octet) {
    const std::string line = absl::StrCat("X: a", std::string(1, static_cast<char>(octet)), "b");
    const bool legal = octet == '\t' || (octet >= 0x20 && octet != 0x7f);
    EXPECT_EQ(Completes(With(line)), legal) << octet;
  }
}

// Where the scan takes eight bytes at a time, each place in the word counts.
TEST(HeadTest, AnIllegalByteIsFoundAtEachPlaceOfALongValue) {
  const std::string request = With("X: 0123456789012345678901234567890123456789");
  const size_t begin = request.find("0123");
  for (size_t at = begin; at < begin + 40; ++at) {
    for (const char c : {'\0', '\x1f', '\x7f', '\n'}) {
      std::string wrong = request;
      wrong[at] = c;
      EXPECT_EQ(RefusalOf(wrong.substr(0, at + 1)), Refusal::kBadRequest) << at;
      EXPECT_EQ(RefusalOf(wrong), Refusal::kBadRequest) << at;
    }
    std::string high = request;
    high[at] = '\xff';
    EXPECT_TRUE(Completes(high)) << at;
  }
}

TEST(HeadTest, FieldNamesAreTokens) {
  for (int octet = 0; octet < 256; ++octet) {
    const char c = static_cast<char>(octet);
    const bool tchar = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       (c != '\0' && Bytes("!#$%&'*+-.^_`|~").find(c) != Bytes::npos) || c == ':';
    EXPECT_EQ(Completes(With(absl::StrCat("X", std::string(1, c), "Y: b"))), tchar) << octet;
  }
}

TEST(HeadTest, LengthsAreDigitsThatFit) {
  const auto length = [](Bytes value) {
    const Parsed parsed(With(absl::StrCat("Content-Length:", value)));
    return parsed.result == ParseResult::kComplete ? parsed.head.content_length : uint64_t{404};
  };
  EXPECT_EQ(length("0"), 0u);
  EXPECT_EQ(length("\t 5 \t"), 5u);
  EXPECT_EQ(length("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(length("18446744073709551616"), 404u);
  EXPECT_EQ(length("99999999999999999999"), 404u);
  EXPECT_EQ(length("000000000000000000005"), 404u);  // 21 digits
  for (const Bytes wrong : {"", "+5", "-5", "0x5", "5 5", "5,5", "5;", "1_0", "5\xa0"}) {
    EXPECT_EQ(length(wrong), 404u) << wrong;
  }
}

TEST(HeadTest, EveryTransferCodingIsRefused) {
  const auto refusal = [](Bytes value) {
    return RefusalOf(With(absl::StrCat("Transfer-Encoding: ", value)));
  };
  EXPECT_EQ(refusal("chunked"), Refusal::kLengthRequired);
  EXPECT_EQ(refusal("CHUNKED"), Refusal::kLengthRequired);
  EXPECT_EQ(refusal("gzip"), Refusal::kNotImplemented);
  EXPECT_EQ(refusal("gzip, chunked"), Refusal::kNotImplemented);
  EXPECT_EQ(refusal("chunked, gzip"), Refusal::kBadRequest);
  EXPECT_EQ(refusal("chunked,"), Refusal::kBadRequest);
  EXPECT_EQ(refusal(""), Refusal::kBadRequest);
  EXPECT_EQ(refusal("chunked\r\nContent-Length: 5"), Refusal::kBadRequest);
  EXPECT_EQ(refusal("chunked\r\nTransfer-Encoding: chunked"), Refusal::kBadRequest);
}

TEST(HeadTest, NamesThatLookLikeFramingAreRefused) {
  EXPECT_EQ(RefusalOf(With("Content_Length: 5")), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf(With("TRANSFER_ENCODING: chunked")), Refusal::kBadRequest);
  EXPECT_TRUE(Completes(With("Content_Type_X: 5")));
  EXPECT_TRUE(Completes(With("Content-Lengths: 5")));
  EXPECT_TRUE(Completes(With("ContentX-Length: 5")));
}

// Names are told apart by their size first.
TEST(HeadTest, OtherNamesOfTheSizeOfAKnownOneMeanNothing) {
  for (const Bytes name : {"Hosu", "Expecu", "Acceqt", "Oriqin", "If-Matcg", "User-Agent",
                           "Content-Tyqe", "If-None-Matcg", "Authorizatiom", "Content-Lengtg",
                           "Transfer-Encodimg", "Accept-Encoding"}) {
    const std::string line = absl::StrCat(name, ": close\r\n", name, ": 0");
    const Parsed parsed(With(line));
    EXPECT_EQ(parsed.result, ParseResult::kComplete) << name;
    EXPECT_TRUE(parsed.head.keep_alive) << name;
    EXPECT_FALSE(parsed.head.has_content_length) << name;
    EXPECT_EQ(parsed.head.if_match.kind, EntityTag::Kind::kNone) << name;
    EXPECT_EQ(parsed.head.if_none_match.kind, EntityTag::Kind::kNone) << name;
    EXPECT_EQ(parsed.head.accept.size() + parsed.head.content_type.size(), 0u) << name;
  }
}

TEST(HeadTest, FieldsThatCountOnceAreRefusedWhenTheyRepeat) {
  for (const Bytes name :
       {"Host", "Content-Length", "Authorization", "Origin", "Content-Type", "Expect"}) {
    const Bytes value = name == "Expect" ? "100-continue" : "1";
    const std::string line = absl::StrCat(name, ": ", value);
    EXPECT_EQ(RefusalOf(With(absl::StrCat(line, "\r\n", line))), Refusal::kBadRequest) << name;
    if (name != "Host") {
      EXPECT_TRUE(Completes(With(line))) << name;
    }
  }
}

// What is counted must outlast the piece it came in.
TEST(HeadTest, ARepeatedFieldIsSeenAcrossPieces) {
  const std::string request = With("Origin: a\r\nOrigin: b");
  HeadParser parser(kLimitBytes);
  Head first;
  ASSERT_EQ(parser.Parse(Bytes(request).substr(0, request.find("Origin: b")), &first),
            ParseResult::kIncomplete);
  Head second;
  EXPECT_EQ(parser.Parse(Bytes(request).substr(0, request.size() - 2), &second),
            ParseResult::kRefused);
  EXPECT_EQ(parser.refusal(), Refusal::kBadRequest);
}

TEST(HeadTest, HostIsNeededOnceAndHasToBeOne) {
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\n\r\n"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\nHost:\r\n\r\n"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET http://a/ HTTP/1.1\r\nHost: b c\r\n\r\n"), Refusal::kBadRequest);
  EXPECT_EQ(RefusalOf("GET http://a/ HTTP/1.1\r\n\r\n"), Refusal::kBadRequest);
}

TEST(HeadTest, CloseIsFoundAmongTheConnectionOptions) {
  const auto keep_alive = [](Bytes line) { return Parsed(With(line)).head.keep_alive; };
  EXPECT_FALSE(keep_alive("Connection: close"));
  EXPECT_FALSE(keep_alive("Connection: keep-alive , CLOSE,"));
  EXPECT_FALSE(keep_alive("Connection: upgrade\r\nConnection: close"));
  EXPECT_TRUE(keep_alive("Connection: not-close, closed"));
  EXPECT_TRUE(keep_alive("Connection:"));
}

TEST(HeadTest, OtherExpectationsFail) {
  EXPECT_EQ(RefusalOf(With("Expect: 100-continue, x")), Refusal::kExpectationFailed);
  EXPECT_EQ(RefusalOf(With("Expect: x")), Refusal::kExpectationFailed);
  EXPECT_TRUE(Parsed(With("Expect: 100-CONTINUE")).head.expect_continue);
}

TEST(HeadTest, TheLimitCountsEveryByteOfTheHead) {
  const std::string request = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(Parsed(request, request.size()).result, ParseResult::kComplete);
  EXPECT_EQ(RefusalOf(request, request.size() - 1), Refusal::kHeadTooLarge);
  EXPECT_EQ(RefusalOf(request, 18), Refusal::kHeadTooLarge);
  EXPECT_EQ(RefusalOf(request, 17), Refusal::kUriTooLong);
  EXPECT_EQ(Parsed(request.substr(0, 27), 28).result, ParseResult::kIncomplete);
}

TEST(HeadTest, AHeadInPiecesPointsIntoTheLastBuffer) {
  const std::string request = "GET /objects/a HTTP/1.1\r\nHost: a\r\nOrigin: o\r\n\r\nrest";
  HeadParser parser(kLimitBytes);
  for (size_t size = 1; size < request.find("rest"); ++size) {
    std::string moved = request.substr(0, size);
    Head head;
    ASSERT_EQ(parser.Parse(moved, &head), ParseResult::kIncomplete) << size;
    moved.assign(moved.size(), 'x');
  }
  Head head;
  ASSERT_EQ(parser.Parse(request, &head), ParseResult::kComplete);
  EXPECT_EQ(head.path.data(), request.data() + 4);
  EXPECT_EQ(head.origin, "o");
  EXPECT_EQ(head.size_bytes, request.find("rest"));
}

TEST(HeadTest, AParserServesTheNextRequestAfterReset) {
  HeadParser parser(kLimitBytes);
  Head bad;
  ASSERT_EQ(parser.Parse("BAD\r\n", &bad), ParseResult::kRefused);
  parser.Reset();
  EXPECT_EQ(parser.refusal(), Refusal::kNone);
  Head good;
  EXPECT_EQ(parser.Parse("GET / HTTP/1.1\r\nHost: a\r\n\r\n", &good), ParseResult::kComplete);
}

}  // namespace
}  // namespace pure::http1
