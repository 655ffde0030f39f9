#pragma once

// SocketRig: a rig over the kernel's sockets, for every transport that is made of them: over TCP on
// loopback or over a unix socket in a directory of its own.

#include <memory>
#include <optional>
#include <string>

#include "runtime/bytes.h"
#include "transport/testing/socket_directory.h"
#include "transport/testing/transport_rig.h"
#include "transport/transport.h"

namespace pure::transport {

// A non-blocking client socket.
class SocketClient final : public TestClient {
 public:
  enum class Kind : uint8_t { kTcp, kUnix };
  // Connects to 127.0.0.1:port, or to the path.
  SocketClient(uint16_t port, bool narrow);
  SocketClient(const std::string& path, bool narrow);
  ~SocketClient() override;

  size_t Send(Bytes bytes) override;
  void ShutdownSend() override;
  void Reset() override;
  std::string Read() override;
  bool ended() override;
  bool broken() override { return broken_; }
  int descriptor() const { return descriptor_; }

 private:
  void Open(int family, bool narrow);
  void Connect(const void* address, size_t address_bytes);

  int descriptor_ = -1;
  bool ended_ = false;
  bool broken_ = false;
  std::string ahead_;  // read while looking for the end
};

class SocketRig final : public TransportRig {
 public:
  SocketRig(std::unique_ptr<Transport> transport, SocketClient::Kind kind);

  Transport& transport() override { return *transport_; }
  std::unique_ptr<TestClient> Connect(bool narrow) override;
  int64_t NowNs() override;

 private:
  const SocketClient::Kind kind_;
  std::optional<SocketDirectory> directory_;  // of the unix socket; goes after the transport
  std::unique_ptr<Transport> transport_;
  uint16_t port_ = 0;
};

}  // namespace pure::transport
