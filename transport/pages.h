#pragma once

// Pages: what the server itself answers under /-/ (health, readiness, statistics), put together
// where all threads are known. Thread: any; called on the connection thread that answers.

#include <cstdint>
#include <string>

#include "runtime/bytes.h"

namespace pure::transport {

struct Page {
  uint16_t status = 200;
  Bytes error = "none";  // X-Pure-Error; static
  Bytes content_type;    // static
  std::string body;
};

class Pages {
 public:
  virtual ~Pages() = default;
  // `path` begins with "/-/". False: there is no such page.
  virtual bool Render(Bytes path, Page* page) const = 0;
};

}  // namespace pure::transport
