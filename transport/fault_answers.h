#pragma once

// FaultAnswers: the fields and bodies of a module's own refusals, written once when the module is
// loaded, so that a refusal allocates nothing and every client sees the same bytes.
//
// Lifetime: borrows the module while it is made; the spans it gives live as long as it. Thread: any
// after construction.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "executor/job.h"
#include "modules/module.h"
#include "runtime/bytes.h"

namespace pure::transport {

class FaultAnswers {
 public:
  explicit FaultAnswers(const modules::Module& module);

  struct Fault {
    uint16_t status;
    std::string field;  // "X-Pure-Fault: NAME\r\n"
    std::string body;   // {"fault":"NAME","text":"..."}
  };
  // Of the fault with this index in Module::faults().
  const Fault& Of(uint16_t fault) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // {"error":"type","field":"NAME"} of a parameter.
  Bytes TypeBody(const executor::Route& route,
                 uint16_t parameter) const ABSL_ATTRIBUTE_LIFETIME_BOUND;

 private:
  std::vector<Fault> faults_;
  // By message or handler, then parameter; one more for "none of them".
  std::vector<std::vector<std::string>> message_bodies_;
  std::vector<std::vector<std::string>> handler_bodies_;
};

inline constexpr Bytes kJsonType = "application/json";

}  // namespace pure::transport
