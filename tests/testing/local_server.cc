#include "tests/testing/local_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "runtime/check.h"
#include "transport/factory.h"

namespace pure::testing {
namespace {

constexpr Bytes kModule = R"(module local 1
document object(key: slug(64)): bytes(..16MiB)
  message show { reply value else not_found }
  message edit(body: bytes(..16MiB)) { value = body; reply none }
  message append(line: bytes(..1KiB))
    fault odd 403 "That is not wanted."
  {
    require size(line) > 0 else odd
    let old = value else ""
    value = old + line
    reply revision
  }
)";

}  // namespace

class LocalServer::OpenAccess final : public transport::Access {
 public:
  bool Allows(Bytes) const override { return true; }
  bool NeedsToken() const override { return false; }
};

class LocalServer::NoPages final : public transport::Pages {
 public:
  bool Render(Bytes, transport::Page*) const override { return false; }
};

LocalServer::LocalServer(store::Store* store, const Options& options)
    : access_(std::make_unique<OpenAccess>()), pages_(std::make_unique<NoPages>()) {
  std::vector<modules::Error> errors;
  const Bytes text = options.module.empty() ? kModule : Bytes(options.module);
  module_ = modules::Module::Load(text, &errors);
  PURE_CHECK(module_ != nullptr, modules::FormatErrors("module", text, errors).c_str());
  router_ =
      std::make_unique<transport::Router>(module_.get(), access_.get(), transport::RouterOptions());
  faults_ = std::make_unique<transport::FaultAnswers>(*module_);
  std::string why_not;
  transport_ = transport::MakeTransport({.connections = options.shard.connections}, &why_not);
  PURE_CHECK(transport_ != nullptr, why_not.c_str());
  PURE_CHECK(transport_->Listen({}, &port_).ok(), "loopback can not be listened on");
  handle_ = store->NewHandle();
  shard_ = std::make_unique<transport::Shard>(transport::Shard::Parts{.transport = transport_.get(),
                                                                      .memory = &memory_,
                                                                      .clock = &clock_,
                                                                      .module = module_.get(),
                                                                      .store = handle_.get(),
                                                                      .router = router_.get(),
                                                                      .pages = pages_.get(),
                                                                      .faults = faults_.get()},
                                              options.shard);
  shard_->Start();
}

LocalServer::~LocalServer() { (void)Stop(); }

bool LocalServer::Turn() { return shard_->Turn(clock_.MonotonicNs() + 1'000'000); }

bool LocalServer::Stop() {
  shard_->Stop();
  const int64_t end_ns = clock_.MonotonicNs() + int64_t{20'000'000'000};
  while (Turn()) {
    if (clock_.MonotonicNs() > end_ns) return false;
  }
  return true;
}

std::string Answer::Field(Bytes name) const {
  for (size_t begin = head.find("\r\n"); begin != std::string::npos;) {
    begin += 2;
    const size_t end = head.find("\r\n", begin);
    if (end == std::string::npos) break;
    const Bytes line = Bytes(head).substr(begin, end - begin);
    if (line.size() > name.size() && line[name.size()] == ':' &&
        absl::EqualsIgnoreCase(line.substr(0, name.size()), name)) {
      return std::string(line.substr(std::min(line.size(), name.size() + 2)));
    }
    begin = end;
  }
  return {};
}

LocalClient::LocalClient(LocalServer* server, int receive_buffer_bytes) : server_(server) {
  descriptor_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer_bytes > 0) {
    (void)setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof(int));
  }
  const int one = 1;
  (void)setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server->port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  PURE_CHECK(connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0,
             "the local server can not be reached");
  PURE_CHECK(fcntl(descriptor_, F_SETFL, O_NONBLOCK) == 0, "fcntl");
}

LocalClient::~LocalClient() {
  if (descriptor_ >= 0) close(descriptor_);
}

void LocalClient::Send(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      (void)server_->Turn();
    } else {
      return;  // what came of it shows in the answers
    }
  }
}

// False: nothing came now.
bool LocalClient::Read() {
  char chunk[65536];
  const ssize_t count = recv(descriptor_, chunk, sizeof(chunk), 0);
  if (count > 0) {
    received_.append(chunk, static_cast<size_t>(count));
  } else if (count == 0 || errno != EAGAIN) {
    ended_ = true;
  }
  return count > 0;
}

Answer LocalClient::Receive(bool head_only) {
  Answer answer;
  size_t size = 0;
  const auto whole = [&] {
    while (Read()) {
    }
    const size_t end = received_.find("\r\n\r\n");
    if (end == std::string::npos) return ended_;
    answer.head = received_.substr(0, end + 4);
    answer.status = std::atoi(answer.head.c_str() + 9);
    const bool bodiless =
        head_only || answer.status < 200 || answer.status == 204 || answer.status == 304;
    if (!bodiless) (void)absl::SimpleAtoi(answer.Field("Content-Length"), &size);
    return ended_ || received_.size() >= answer.head.size() + size;
  };
  if (!server_->TurnUntil(whole)) return Answer();
  if (answer.status == 0) return answer;
  answer.body = received_.substr(answer.head.size(), size);
  answer.cut = answer.body.size() < size;
  received_.erase(0, answer.head.size() + answer.body.size());
  return answer;
}

Answer LocalClient::Get(Bytes key) {
  Send(absl::StrCat("GET /objects/", key, " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
  return Receive();
}

Answer LocalClient::Put(Bytes key, Bytes body, Bytes condition) {
  Send(absl::StrCat("PUT /objects/", key, " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ",
                    body.size(), "\r\n", condition, "\r\n"));
  Send(body);
  return Receive();
}

bool LocalClient::Ended() {
  return server_->TurnUntil([this] {
    while (Read()) {
    }
    return ended_;
  });
}

void LocalClient::ShutdownSend() { (void)shutdown(descriptor_, SHUT_WR); }

void LocalClient::Reset() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  (void)setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  close(std::exchange(descriptor_, -1));
}

}  // namespace pure::testing
