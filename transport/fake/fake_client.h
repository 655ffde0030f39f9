#pragma once

// FakeClient: the other end of a connection of a FakeTransport, driven by the test.
//
// Thread: its transport's. Lifetime: borrows the transport in its constructor only; going away
// closes the connection in order.

#include <cstddef>
#include <memory>
#include <string>

#include "runtime/bytes.h"
#include "transport/fake/fake_stream.h"

namespace pure::transport {

class FakeTransport;

class FakeClient {
 public:
  // Connects: waits in the transport's queue, or is refused when nobody listens or the queue is
  // full.
  explicit FakeClient(FakeTransport* transport);
  ~FakeClient();
  FakeClient(const FakeClient&) = delete;
  FakeClient& operator=(const FakeClient&) = delete;

  // Arrives as one piece. Sending to a server that has closed breaks the connection.
  void Send(Bytes piece);
  // Cut into pieces of `piece_bytes`, but for the last.
  void SendInPieces(Bytes bytes, size_t piece_bytes);
  // Ends its side in order, after what was sent (half close).
  void ShutdownSend();
  // Breaks the connection at once; what was on its way to either side is lost.
  void Reset();
  // Ends both sides: what the server still sends finds nobody.
  void Close();

  // Takes what the server has sent, up to `bytes_max`, which makes room in the window.
  std::string Read(size_t bytes_max = SIZE_MAX);
  size_t unread_bytes() const { return stream_->unread.size(); }
  // Bytes that the server may send before they are read: makes its sends short.
  void set_window_bytes(size_t bytes) { stream_->window_bytes = bytes; }

  // The server ended its side in order and everything was read.
  bool ended() const { return stream_->server_ended && stream_->unread.empty() && !broken(); }
  // Refused, or reset by either side.
  bool broken() const { return stream_->server_reset || stream_->client_reset; }

 private:
  const std::shared_ptr<FakeStream> stream_ = std::make_shared<FakeStream>();
};

}  // namespace pure::transport
