#pragma once

// FakeStream: what lies between a fake client and the fake transport: two directions of bytes and
// how each of them ended. Plain data that both sides hold.

#include <cstddef>
#include <deque>
#include <string>

namespace pure::transport {

struct FakeStream {
  // From the client. Each piece arrives by itself: no receive crosses from one to the next.
  std::deque<std::string> pieces;
  bool client_ended = false;   // nothing follows the pieces
  bool client_closed = false;  // it reads no more: what is sent to it breaks the connection
  bool client_reset = false;

  // From the server.
  std::string unread;
  size_t window_bytes = 0;  // a send may fill `unread` up to this
  bool server_ended = false;
  bool server_reset = false;  // or refused
};

}  // namespace pure::transport
