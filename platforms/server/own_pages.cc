#include "platforms/server/own_pages.h"

#include <string>

#include "platforms/server/dashboard.h"

namespace pure::server {

bool OwnPages::Render(Bytes path, transport::Page* page) const {
  page->content_type = "text/plain; charset=utf-8";
  if (path == "/-/health") {
    page->body = "ok\n";
  } else if (path == "/-/ready") {
    const bool stopping = stopping_.load(std::memory_order_relaxed);
    const bool writable = store_->state() == store::StoreState::kOpen;
    page->body = stopping ? "stopping\n" : writable ? "ready\n" : "the store takes no writes\n";
    if (stopping || !writable) {
      page->status = 503;
      page->error = stopping ? "stopped" : "storage";
    }
  } else if (path == "/-/") {
    page->content_type = "text/html; charset=utf-8";
    page->body = std::string(Dashboard());
  } else if (path == "/-/stats") {
    page->content_type = "application/json";
    page->body = statistics_->Json() + "\n";
  } else if (path == "/-/metrics") {
    page->content_type = "text/plain; version=0.0.4; charset=utf-8";
    page->body = statistics_->Metrics();
  } else {
    return false;
  }
  return true;
}

}  // namespace pure::server
