#pragma once

// TransportRig: a listening transport and clients of it, as the contract suite needs them of every
// backend, whether there is a kernel behind it or not.
//
// Thread: one thread's. Lifetime: the rig owns the transport; clients go before it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/bytes.h"
#include "transport/transport.h"

namespace pure::transport {

// The other end of one connection. No call waits.
class TestClient {
 public:
  virtual ~TestClient() = default;
  // Sends from the start of `bytes` what is taken now; returns how much.
  virtual size_t Send(Bytes bytes) = 0;
  virtual void ShutdownSend() = 0;  // ends its side in order
  virtual void Reset() = 0;
  // Takes what the server sent and has arrived.
  virtual std::string Read() = 0;
  virtual bool ended() = 0;   // the server ended its side in order, and everything was read
  virtual bool broken() = 0;  // refused or reset
};

class TransportRig {
 public:
  virtual ~TransportRig() = default;
  virtual Transport& transport() = 0;  // it listens, and does not accept yet
  // A new client, in the queue or refused. `narrow`: it takes few bytes before it reads them.
  virtual std::unique_ptr<TestClient> Connect(bool narrow) = 0;
  virtual int64_t NowNs() = 0;  // on the clock of the transport's deadlines
};

using NewRig = std::unique_ptr<TransportRig> (*)(const TransportOptions& options);

}  // namespace pure::transport
