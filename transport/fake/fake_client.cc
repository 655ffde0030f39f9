#include "transport/fake/fake_client.h"

#include <algorithm>

#include "runtime/check.h"
#include "transport/fake/fake_transport.h"

namespace pure::transport {

FakeClient::FakeClient(FakeTransport* transport) {
  if (!transport->Connect(stream_)) stream_->server_reset = true;
}

FakeClient::~FakeClient() { Close(); }

void FakeClient::Send(Bytes piece) {
  PURE_CHECK(!stream_->client_ended, "a client sends after its end");
  if (broken() || piece.empty()) return;
  stream_->pieces.emplace_back(piece);
}

void FakeClient::SendInPieces(Bytes bytes, size_t piece_bytes) {
  PURE_CHECK(piece_bytes > 0, "pieces of nothing");
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece_bytes, bytes.size()))) {
    Send(bytes.substr(0, piece_bytes));
  }
}

void FakeClient::ShutdownSend() { stream_->client_ended = true; }

void FakeClient::Reset() {
  stream_->client_reset = stream_->client_ended = stream_->client_closed = true;
  stream_->pieces.clear();
  stream_->unread.clear();
}

void FakeClient::Close() {
  // As in TCP, closing with unread bytes is a reset.
  if (!stream_->client_closed && !stream_->unread.empty()) return Reset();
  stream_->client_ended = stream_->client_closed = true;
}

std::string FakeClient::Read(size_t bytes_max) {
  std::string bytes = stream_->unread.substr(0, bytes_max);
  stream_->unread.erase(0, bytes.size());
  return bytes;
}

}  // namespace pure::transport
