#include "transport/exchange.h"

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "runtime/check.h"

namespace pure::transport {

ExchangePool::ExchangePool(uint32_t count)
    : exchanges_(new Exchange[count]), free_count_(count), count_(count) {}

uint32_t ExchangePool::Take() {
  uint32_t index = free_;
  if (index != kNoExchange) {
    free_ = exchanges_[index].next;
  } else if (used_ < count_) {
    index = used_++;
  } else {
    return kNoExchange;
  }
  --free_count_;
  exchanges_[index].next = kNoExchange;
  return index;
}

void ExchangePool::Give(uint32_t index) {
  Exchange& exchange = exchanges_[index];
  PURE_CHECK(!exchange.transfer.active(), "an exchange is given back while it is being sent");
  std::string extra = std::move(exchange.own_extra);
  std::destroy_at(&exchange);
  new (&exchange) Exchange;
  extra.clear();
  exchange.own_extra = std::move(extra);
  exchange.next = free_;
  free_ = index;
  ++free_count_;
}

}  // namespace pure::transport
