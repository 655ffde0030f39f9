#include "transport/router.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "modules/info.h"
#include "modules/module.h"
#include "runtime/bytes.h"
#include "runtime/condition.h"
#include "runtime/key.h"
#include "runtime/runtime.h"
#include "transport/access.h"
#include "transport/http1/head.h"

namespace pure::transport {
namespace {

constexpr uint64_t kLimitBytes = 2u << 20;  // of the server; a note holds at most half of it
constexpr uint64_t kNoteBytesMax = 1u << 20;

// A server with one token, or with none.
class FakeAccess final : public Access {
 public:
  bool Allows(Bytes bearer) const override { return token.empty() || bearer == token; }
  bool NeedsToken() const override { return !token.empty(); }

  std::string token;
};

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    std::ifstream file("modules/examples/notes.pure");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    module_ = Load(text);
  }

  static std::unique_ptr<const modules::Module> Load(Bytes text) {
    std::vector<modules::Error> errors;
    auto module = modules::Module::Load(text, &errors);
    for (const modules::Error& error : errors) ADD_FAILURE() << error.line << ": " << error.what;
    return module;
  }

  void SetUp() override { ASSERT_NE(module_, nullptr); }

  // What becomes of a request with these lines behind its request line. `Host: localhost` is added
  // unless the lines begin with one.
  Routed Route(Bytes request_line, Bytes lines = "") {
    const bool has_host = absl::StartsWith(lines, "Host:");
    return RouteText(absl::StrCat(request_line, " HTTP/1.1\r\n",
                                  has_host ? "" : "Host: localhost:8767\r\n", lines, "\r\n"));
  }

  Routed RouteText(std::string text) {
    text_ = std::move(text);
    http1::HeadParser parser(4096);
    http1::Head head;
    EXPECT_EQ(parser.Parse(text_, &head), http1::ParseResult::kComplete) << text_;
    options_.object_bytes_max = kLimitBytes;
    return Router(module_.get(), &access_, options_).Route(head);
  }

  modules::BodyEncoding Encoding(Bytes lines) {
    return Route("POST /objects/a/append", lines).route.encoding;
  }

  // The same in words: "404 not_found", "405 request, allow ...", "... closed", "page",
  // "read NAME of KEY", "write NAME of KEY".
  std::string In(Bytes request_line, Bytes lines = "") {
    const Routed routed = Route(request_line, lines);
    switch (routed.kind) {
      case Routed::Kind::kPage:
        return "page";
      case Routed::Kind::kApply:
        if (routed.route.is_handler) {
          return absl::StrCat(routed.effect == Kind::kRead ? "view " : "input ",
                              module_->handlers()[routed.route.index].name, " with ",
                              routed.arguments);
        }
        return absl::StrCat(routed.effect == Kind::kRead ? "read " : "write ",
                            module_->messages()[routed.route.index].name, " of ",
                            routed.key.bytes());
      case Routed::Kind::kAnswer:
        break;
    }
    return absl::StrCat(routed.status, " ", routed.error, routed.allow.empty() ? "" : ", allow ",
                        routed.allow, routed.challenge ? ", challenge" : "",
                        routed.close ? ", closed" : "");
  }

  std::unique_ptr<const modules::Module> module_;
  FakeAccess access_;
  RouterOptions options_;
  std::string text_;  // of the last request
};

constexpr Bytes kCreate = "If-None-Match: *\r\nContent-Length: 5\r\n";
constexpr Bytes kForm = "application/x-www-form-urlencoded";

TEST_F(RouterTest, ADocumentIsReadAndWritten) {
  EXPECT_EQ(In("GET /objects/monday"), "read show of monday");
  EXPECT_EQ(In("HEAD /objects/monday"), "read show of monday");
  EXPECT_EQ(In("GET /objects/monday", "Content-Length: 0\r\n"), "read show of monday");
  EXPECT_EQ(In("PUT /objects/monday", kCreate), "write edit of monday");
  EXPECT_EQ(In("GET http://localhost/objects/monday"), "read show of monday");
}

TEST_F(RouterTest, UnknownPathsAreNotFound) {
  for (const Bytes path :
       {"/", "/objects", "/objects/", "/Objects/a", "/views/a", "/-", "//objects/a"}) {
    for (const Bytes method : {"GET ", "PUT ", "POST ", "DELETE ", "BREW "}) {
      EXPECT_EQ(In(absl::StrCat(method, path)), "404 not_found") << method << path;
    }
  }
}

TEST_F(RouterTest, AModuleWithoutDocumentsHasNoDocumentPaths) {
  module_ = Load(
      "module quiet 1\ndocument thing(key: slug(64)): bytes(..9)\n"
      "  message poke(body: bytes(..9)) { value = body; reply none }\n");
  ASSERT_NE(module_, nullptr);
  EXPECT_EQ(In("GET /objects/a"), "404 not_found");
  EXPECT_EQ(In("PUT /objects/a", kCreate), "404 not_found");
  EXPECT_EQ(In("GET /-/health"), "page");
}

TEST_F(RouterTest, AKeyIsOneToSixtyFourOfItsCharacters) {
  const std::string longest(64, 'k');
  EXPECT_EQ(In("GET /objects/aZ09_-"), "read show of aZ09_-");
  EXPECT_EQ(In("GET /objects/" + longest), "read show of " + longest);
  for (const std::string& key : {longest + "k", std::string("%41"), std::string("a.b"),
                                 std::string("a?x=1"), std::string("a?"), std::string("..")}) {
    EXPECT_EQ(In("GET /objects/" + key), "400 request, closed") << key;
  }
}

TEST_F(RouterTest, AWrongMethodIsToldWhatIsRight) {
  EXPECT_EQ(In("POST /objects/a"), "405 request, allow GET, HEAD, PUT, OPTIONS");
  EXPECT_EQ(In("DELETE /objects/a"), "405 request, allow GET, HEAD, PUT, OPTIONS");
  EXPECT_EQ(In("PATCH /objects/a"), "405 request, allow GET, HEAD, PUT, OPTIONS");
  EXPECT_EQ(In("GET /objects/a/append"), "405 request, allow POST, OPTIONS");
  EXPECT_EQ(In("PUT /objects/a/append"), "405 request, allow POST, OPTIONS");
  EXPECT_EQ(In("POST /-/health"), "405 request, allow GET, HEAD, OPTIONS");
}

TEST_F(RouterTest, AnUnknownMethodIsNotImplemented) {
  for (const Bytes path : {"/objects/a", "/objects/a/append", "/-/health"}) {
    EXPECT_EQ(In(absl::StrCat("BREW ", path)), "501 request") << path;
    EXPECT_EQ(In(absl::StrCat("get ", path)), "501 request") << path;
  }
}

TEST_F(RouterTest, OptionsSayWhatIsAllowed) {
  EXPECT_EQ(In("OPTIONS /objects/a"), "204 none, allow GET, HEAD, PUT, OPTIONS");
  EXPECT_EQ(In("OPTIONS /objects/a/append"), "204 none, allow POST, OPTIONS");
  EXPECT_EQ(In("OPTIONS /-/stats"), "204 none, allow GET, HEAD, OPTIONS");
  EXPECT_EQ(In("OPTIONS *"), "204 none, allow GET, HEAD, PUT, OPTIONS");
  EXPECT_EQ(In("OPTIONS /nowhere"), "404 not_found");
}

TEST_F(RouterTest, AReadHasNoBody) {
  EXPECT_EQ(In("GET /objects/a", "Content-Length: 1\r\n"), "400 request, closed");
  EXPECT_EQ(In("HEAD /-/health", "Content-Length: 1\r\n"), "400 request, closed");
}

TEST_F(RouterTest, PutNeedsExactlyOneCondition) {
  constexpr Bytes kLength = "Content-Length: 5\r\n";
  for (const Bytes condition :
       {"", "If-Match: *\r\n", "If-None-Match: \"1\"\r\n", "If-Match: \"1\", \"2\"\r\n",
        "If-Match: \"1\"\r\nIf-None-Match: *\r\n"}) {
    EXPECT_EQ(In("PUT /objects/a", absl::StrCat(condition, kLength)), "400 request, closed")
        << condition;
  }
  const Routed update = Route("PUT /objects/a", "If-Match: \"12\"\r\nContent-Length: 5\r\n");
  EXPECT_EQ(update.condition.kind, Condition::Kind::kRevision);
  EXPECT_EQ(update.condition.revision, 12u);
  EXPECT_EQ(Route("PUT /objects/a", kCreate).condition.kind, Condition::Kind::kAbsent);
}

TEST_F(RouterTest, ABodyNeedsALengthWithinTheLimitOfItsDocument) {
  const auto put = [this](Bytes length) {
    return In("PUT /objects/a", absl::StrCat("If-None-Match: *\r\n", length));
  };
  EXPECT_EQ(put(""), "411 request, closed");
  EXPECT_EQ(put("Content-Length: 0\r\n"), "write edit of a");
  EXPECT_EQ(put(absl::StrCat("Content-Length: ", kNoteBytesMax, "\r\n")), "write edit of a");
  EXPECT_EQ(put(absl::StrCat("Content-Length: ", kNoteBytesMax + 1, "\r\n")), "413 limit, closed");
  EXPECT_EQ(put("Content-Length: 18446744073709551615\r\n"), "413 limit, closed");
}

// What is missing is said before what is too large.
TEST_F(RouterTest, AConditionIsLookedAtBeforeALength) {
  EXPECT_EQ(In("PUT /objects/a"), "400 request, closed");
  EXPECT_EQ(In("PUT /objects/a", "Content-Length: 99999999\r\n"), "400 request, closed");
}

TEST_F(RouterTest, AMessageIsPostedAsAFormOrAsItIs) {
  const Routed raw = Route("POST /objects/a/append", "Content-Length: 5\r\n");
  EXPECT_EQ(raw.kind, Routed::Kind::kApply);
  EXPECT_EQ(raw.effect, Kind::kWrite);
  EXPECT_EQ(raw.route.encoding, modules::BodyEncoding::kRaw);
  EXPECT_EQ(raw.condition.kind, Condition::Kind::kNone);
  EXPECT_EQ(raw.key, Key("a"));
  for (const Bytes parameters : {"", "; charset=utf-8", " ;x=y"}) {
    const Routed form =
        Route("POST /objects/a/append",
              absl::StrCat("Content-Type: ", kForm, parameters, "\r\nContent-Length: 7\r\n"));
    EXPECT_EQ(form.route.encoding, modules::BodyEncoding::kForm) << parameters;
  }
  EXPECT_EQ(In("POST /objects/a/append", "Content-Length: 5\r\n"), "write append of a");
  EXPECT_EQ(In("POST /objects/a/remove", "Content-Length: 0\r\n"), "write remove of a");
}

TEST_F(RouterTest, AMediaTypeThatOnlyBeginsLikeAFormIsNone) {
  const Routed routed = Route("POST /objects/a/append",
                              absl::StrCat("Content-Type: ", kForm, "2\r\nContent-Length: 7\r\n"));
  EXPECT_EQ(routed.route.encoding, modules::BodyEncoding::kRaw);
}

TEST_F(RouterTest, AMessageMayHaveACondition) {
  const Routed routed = Route("POST /objects/a/append", "If-Match: \"3\"\r\nContent-Length: 5\r\n");
  EXPECT_EQ(routed.condition.kind, Condition::Kind::kRevision);
  EXPECT_EQ(routed.condition.revision, 3u);
  EXPECT_EQ(In("POST /objects/a/append", "If-Match: *\r\nContent-Length: 5\r\n"),
            "400 request, closed");
}

TEST_F(RouterTest, WhatIsPostedHasATypeAndALimit) {
  EXPECT_EQ(In("POST /objects/a/append"), "write append of a") << "without a body";
  EXPECT_EQ(In("POST /objects/a/append", "Content-Length: 2097153\r\n"), "413 limit, closed");
  EXPECT_EQ(Encoding("Content-Type: application/JSON; a=b\r\n"), modules::BodyEncoding::kJson);
  EXPECT_EQ(Encoding("Content-Type: application/x-www-form-urlencoded\r\n"),
            modules::BodyEncoding::kForm);
  EXPECT_EQ(Encoding("Content-Type: text/plain\r\n"), modules::BodyEncoding::kRaw);
}

TEST_F(RouterTest, InputsAndViewsHaveNamesAndPaths) {
  module_ = Load(R"(module m 1
state n: int = 0
input add(by_what: int) at "/n" { n += by_what }
input zero { n = 0 }
view n_now at "/n" { reply n }
view page at "/" as text { reply "x" }
)");
  EXPECT_EQ(In("GET /"), "view page with ");
  EXPECT_EQ(In("GET /?a=b%20c"), "view page with a=b%20c");
  EXPECT_EQ(In("HEAD /views/page"), "view page with ");
  EXPECT_EQ(In("GET /n"), "view n_now with ");
  EXPECT_EQ(In("POST /n"), "input add with ");
  EXPECT_EQ(In("POST /inputs/zero"), "input zero with ");
  EXPECT_EQ(In("POST /inputs/zero?a=b"), "400 request, closed");
  EXPECT_EQ(In("GET /inputs/zero"), "405 request, allow POST, OPTIONS");
  EXPECT_EQ(In("POST /views/page"), "405 request, allow GET, HEAD, OPTIONS");
  EXPECT_EQ(In("PUT /n"), "405 request, allow GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(In("OPTIONS /n"), "204 none, allow GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(In("GET /views/zero"), "404 not_found");
  EXPECT_EQ(In("GET /inputs/"), "404 not_found");
  EXPECT_EQ(In("GET /n/"), "404 not_found");
  EXPECT_EQ(In("GET /", "Content-Length: 1\r\n"), "400 request, closed");
  EXPECT_EQ(In("POST /n", "Content-Length: 2097153\r\n"), "413 limit, closed");
}

TEST_F(RouterTest, OnlyMessagesOfTheModuleArePosted) {
  EXPECT_EQ(In("POST /objects/a/unknown"), "404 not_found");
  EXPECT_EQ(In("POST /objects/a/Append"), "404 not_found");
  EXPECT_EQ(In("POST /objects/a/"), "400 request, closed");
  EXPECT_EQ(In("POST /objects/a/append/"), "400 request, closed");
  EXPECT_EQ(In("POST /objects/a/append?x=1"), "400 request, closed");
  // The document contract is their only way in: a POST could not say what it replaces.
  EXPECT_EQ(In("POST /objects/a/edit", "Content-Length: 5\r\n"), "404 not_found");
  EXPECT_EQ(In("POST /objects/a/show", "Content-Length: 0\r\n"), "404 not_found");
}

TEST_F(RouterTest, ALoopbackServerAnswersToLoopbackNames) {
  for (const Bytes name : {"localhost", "127.0.0.1:1", "127.9.9.9", "[::1]:8767", "LOCALHOST"}) {
    EXPECT_EQ(In("GET /objects/a", absl::StrCat("Host: ", name, "\r\n")), "read show of a") << name;
  }
  for (const Bytes name : {"example.com", "127.0.0.1.example.com", "[::2]", "10.0.0.1"}) {
    const std::string host = absl::StrCat("Host: ", name, "\r\n");
    EXPECT_EQ(In("GET /objects/a", host), "403 denied, closed") << name;
    EXPECT_EQ(In("GET /-/health", host), "403 denied, closed") << name;
    EXPECT_EQ(In("OPTIONS *", host), "403 denied, closed") << name;
  }
  EXPECT_EQ(In("GET http://example.com/objects/a"), "403 denied, closed");
  options_.loopback = false;
  EXPECT_EQ(In("GET /objects/a", "Host: example.com\r\n"), "read show of a");
}

TEST_F(RouterTest, APageFromElsewhereMayReadButNotWrite) {
  const auto put = [this](Bytes origin) {
    return In("PUT /objects/a", absl::StrCat("Origin: ", origin, "\r\n", kCreate));
  };
  for (const Bytes origin : {"http://localhost:8767", "HTTP://LocalHost:8767"}) {
    EXPECT_EQ(put(origin), "write edit of a") << origin;
  }
  for (const Bytes origin :
       {"http://example.com", "null", "", "http://localhost", "localhost:8767",
        "http://localhost:87670", "http://localhost:8767.example.com", "file://localhost:8767"}) {
    EXPECT_EQ(put(origin), "403 denied, closed") << origin;
  }
  EXPECT_EQ(In("POST /objects/a/append", "Origin: null\r\nContent-Length: 1\r\n"),
            "403 denied, closed");
  EXPECT_EQ(In("DELETE /objects/a", "Origin: null\r\n"), "403 denied, closed");
  EXPECT_EQ(In("GET /objects/a", "Origin: null\r\n"), "read show of a");
  EXPECT_EQ(In("OPTIONS /objects/a", "Origin: null\r\n"),
            "204 none, allow GET, HEAD, PUT, OPTIONS");
}

// HTTP/1.0 has no Host to lie about.
TEST_F(RouterTest, ARequestWithoutAHostIsServedOnLoopback) {
  EXPECT_EQ(RouteText("GET /objects/a HTTP/1.0\r\n\r\n").kind, Routed::Kind::kApply);
  EXPECT_EQ(RouteText("GET /objects/a HTTP/1.0\r\nHost: b.example\r\n\r\n").status, 403u);
  EXPECT_EQ(RouteText("PUT /objects/a HTTP/1.0\r\nOrigin: http://b.example\r\n\r\n").status, 403u);
}

// Also where any name is served: the names are what tells pages apart.
TEST_F(RouterTest, OtherOriginsMayNotWriteOnAnyAddress) {
  options_.loopback = false;
  EXPECT_EQ(In("PUT /objects/a",
               absl::StrCat("Host: a.example\r\nOrigin: http://b.example\r\n", kCreate)),
            "403 denied, closed");
  EXPECT_EQ(In("PUT /objects/a",
               absl::StrCat("Host: a.example\r\nOrigin: https://a.example\r\n", kCreate)),
            "write edit of a");
}

TEST_F(RouterTest, ATokenIsNeededForEverything) {
  access_.token = "sesame";
  for (const Bytes line : {"GET /objects/a", "GET /-/health", "GET /nowhere", "OPTIONS *",
                           "BREW /objects/a", "DELETE /objects/a"}) {
    EXPECT_EQ(In(line), "401 unauthenticated, challenge, closed") << line;
  }
  EXPECT_EQ(In("PUT /objects/a", kCreate), "401 unauthenticated, challenge, closed");
  for (const Bytes wrong : {"Bearer", "Bearer ", "Bearer sesam", "Bearer sesame1", "sesame",
                            "Basic sesame", "Bearer  sesame"}) {
    EXPECT_EQ(In("GET /objects/a", absl::StrCat("Authorization: ", wrong, "\r\n")),
              "401 unauthenticated, challenge, closed")
        << wrong;
  }
  for (const Bytes right : {"Bearer sesame", "bearer sesame"}) {
    EXPECT_EQ(In("GET /objects/a", absl::StrCat("Authorization: ", right, "\r\n")),
              "read show of a");
  }
}

TEST_F(RouterTest, ATokenDoesNotOpenOtherNamesOrOrigins) {
  access_.token = "sesame";
  constexpr Bytes kToken = "Authorization: Bearer sesame\r\n";
  EXPECT_EQ(In("GET /objects/a", absl::StrCat("Host: example.com\r\n", kToken)),
            "403 denied, closed");
  EXPECT_EQ(In("PUT /objects/a", absl::StrCat("Origin: null\r\n", kToken, kCreate)),
            "403 denied, closed");
}

TEST_F(RouterTest, AnHttpsTargetIsMisdirected) {
  EXPECT_EQ(In("GET https://localhost/objects/a"), "421 request");
}

TEST_F(RouterTest, OwnPagesAreRead) {
  EXPECT_EQ(In("GET /-/health"), "page");
  EXPECT_EQ(In("HEAD /-/metrics"), "page");
  EXPECT_EQ(In("GET /-/"), "page");
}

}  // namespace
}  // namespace pure::transport
