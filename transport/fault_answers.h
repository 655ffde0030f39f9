#pragma once

// FaultAnswers: the fields and bodies of what a module refuses, and of what its inputs and views
// fail with, in the client's type. They are written once when the module is loaded, so that a
// refusal allocates nothing and every client sees the same bytes.
//
// Lifetime: borrows the module while it is made; the spans it gives live as long as it. Thread: any
// after construction.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "executor/job.h"
#include "modules/module.h"
#include "runtime/bytes.h"
#include "runtime/result.h"

namespace pure::transport {

class FaultAnswers {
 public:
  // The same in two types.
  struct Body {
    std::string json;
    std::string html;  // for a person with a browser

    Bytes Of(bool as_html) const { return as_html ? html : json; }
  };

  explicit FaultAnswers(const modules::Module& module);

  struct Fault {
    uint16_t status;
    std::string field;  // "X-Pure-Fault: NAME\r\n"
    Body body;          // {"fault":"NAME","text":"..."}
  };
  // Of the fault with this index in Module::faults().
  const Fault& Of(uint16_t fault) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // {"error":"type","field":"NAME"} of a parameter.
  const Body& TypeBody(const executor::Route& route,
                       uint16_t parameter) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // {"error":"NAME"} of another failure of an input or view.
  const Body& ErrorBody(Result result) const ABSL_ATTRIBUTE_LIFETIME_BOUND;

 private:
  std::vector<Fault> faults_;
  // By message or handler, then parameter; one more for "none of them".
  std::vector<std::vector<Body>> message_bodies_;
  std::vector<std::vector<Body>> handler_bodies_;
  std::array<Body, static_cast<size_t>(Result::kStorage) + 1> error_bodies_;
};

inline constexpr Bytes kJsonType = "application/json";
inline constexpr Bytes kHtmlType = "text/html; charset=utf-8";

// Whether a client with this Accept field would rather have HTML: what browsers name first.
bool PrefersHtml(Bytes accept);

}  // namespace pure::transport
