// What a head costs to read and an answer's head to write. Counters are per head, on one core.

#include <string>

#include "benchmark/benchmark.h"
#include "transport/http1/answer.h"
#include "transport/http1/head.h"
#include "transport/http1/host.h"

namespace pure::http1 {
namespace {

constexpr size_t kLimitBytes = 4096;

// As curl sends it: 4 lines, 101 bytes.
constexpr Bytes kSmallGet =
    "GET /objects/minutes-2024 HTTP/1.1\r\n"
    "Host: 127.0.0.1:8767\r\n"
    "User-Agent: curl/7.88.1\r\n"
    "Accept: */*\r\n"
    "\r\n";

// A load generator's: the least that is legal.
constexpr Bytes kLeastGet =
    "GET /objects/minutes-2024 HTTP/1.1\r\n"
    "Host: 127.0.0.1:8767\r\n"
    "\r\n";

constexpr Bytes kPut =
    "PUT /objects/minutes-2024 HTTP/1.1\r\n"
    "Host: 127.0.0.1:8767\r\n"
    "User-Agent: curl/7.88.1\r\n"
    "Accept: */*\r\n"
    "If-Match: \"12345\"\r\n"
    "Content-Type: application/octet-stream\r\n"
    "Content-Length: 1500\r\n"
    "\r\n";

// As browsers send it.
constexpr Bytes kBrowserGet =
    "GET /objects/minutes-2024 HTTP/1.1\r\n"
    "Host: 127.0.0.1:8767\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8\r\n"
    "Accept-Language: en-US,en;q=0.5\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
    "DNT: 1\r\n"
    "Connection: keep-alive\r\n"
    "Upgrade-Insecure-Requests: 1\r\n"
    "Sec-Fetch-Dest: document\r\n"
    "Sec-Fetch-Mode: navigate\r\n"
    "Sec-Fetch-Site: none\r\n"
    "If-None-Match: \"12345\"\r\n"
    "Priority: u=0, i\r\n"
    "\r\n";

void Count(benchmark::State& state, size_t heads, size_t bytes) {
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * heads));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bytes));
}

void BM_Parse(benchmark::State& state, Bytes request) {
  HeadParser parser(kLimitBytes);
  for (auto _ : state) {
    benchmark::DoNotOptimize(request);
    Head head;
    if (parser.Parse(request, &head) != ParseResult::kComplete) state.SkipWithError("refused");
    benchmark::DoNotOptimize(head);
    parser.Reset();
  }
  Count(state, 1, request.size());
}
BENCHMARK_CAPTURE(BM_Parse, LeastGet, kLeastGet);
BENCHMARK_CAPTURE(BM_Parse, SmallGet, kSmallGet);
BENCHMARK_CAPTURE(BM_Parse, Put, kPut);
BENCHMARK_CAPTURE(BM_Parse, BrowserGet, kBrowserGet);

// One receive that brought 16 requests.
void BM_ParsePipelined(benchmark::State& state) {
  std::string received;
  for (int i = 0; i < 16; ++i) received += kSmallGet;
  HeadParser parser(kLimitBytes);
  for (auto _ : state) {
    Bytes rest = received;
    benchmark::DoNotOptimize(rest);
    while (!rest.empty()) {
      Head head;
      if (parser.Parse(rest, &head) != ParseResult::kComplete) {
        state.SkipWithError("refused");
        break;
      }
      benchmark::DoNotOptimize(head);
      parser.Reset();
      rest.remove_prefix(head.size_bytes);
    }
  }
  Count(state, 16, received.size());
}
BENCHMARK(BM_ParsePipelined);

// The slowest client: every byte on its own. Linear, or the second is 16 times the first for each
// byte.
void BM_ParseBytewise(benchmark::State& state) {
  std::string request(kLeastGet.substr(0, kLeastGet.size() - 2));
  request += "X-Pad: ";
  request += std::string(static_cast<size_t>(state.range(0)), 'p') + "\r\n\r\n";
  HeadParser parser(kLimitBytes);
  for (auto _ : state) {
    Head head;
    for (size_t i = 1; i <= request.size(); ++i) {
      benchmark::DoNotOptimize(parser.Parse(Bytes(request).substr(0, i), &head));
    }
    parser.Reset();
  }
  Count(state, 1, request.size());
}
BENCHMARK(BM_ParseBytewise)->Arg(240)->Arg(3840);

void BM_WriteHead(benchmark::State& state) {
  char date[kDateBytes];
  WriteDate(1'700'000'000'000, MutableBytes(date, sizeof(date)));
  char out[kAnswerHeadBytesMax];
  for (auto _ : state) {
    AnswerHead head;
    head.content_length = 1500;
    head.revision = 12345;
    benchmark::DoNotOptimize(head);
    benchmark::DoNotOptimize(
        WriteHead(head, Bytes(date, sizeof(date)), MutableBytes(out, sizeof(out))));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_WriteHead);

void BM_WriteDate(benchmark::State& state) {
  char date[kDateBytes];
  int64_t wall_ms = 1'700'000'000'000;
  for (auto _ : state) {
    WriteDate(wall_ms, MutableBytes(date, sizeof(date)));
    wall_ms += 1000;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_WriteDate);

void BM_LoopbackHost(benchmark::State& state) {
  Bytes authority = "127.0.0.1:8767";
  for (auto _ : state) {
    benchmark::DoNotOptimize(authority);
    Bytes name, port;
    benchmark::DoNotOptimize(SplitHost(authority, &name, &port) && IsLoopbackName(name));
  }
}
BENCHMARK(BM_LoopbackHost);

}  // namespace
}  // namespace pure::http1
