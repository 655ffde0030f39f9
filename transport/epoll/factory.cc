#include "transport/factory.h"

#include "transport/epoll/epoll_transport.h"

namespace pure::transport {

std::unique_ptr<Transport> MakeTransport(const TransportOptions& options, std::string* why_not) {
  return EpollTransport::Make(options, why_not);
}

}  // namespace pure::transport
