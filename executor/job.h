#pragma once

// Job: one ready request as it goes to an executor, and Applied: what came of it on the way back.
// Both by value: they cross to the thread that runs the app without anything of the connection.

#include <cstdint>

#include "modules/module.h"
#include "runtime/bytes.h"
#include "runtime/resource.h"
#include "runtime/result.h"
#include "runtime/runtime.h"
#include "runtime/ticket.h"

namespace pure::executor {

// What a request names in the module.
struct Route {
  uint16_t message = 0;  // index into Module::messages()
  modules::BodyEncoding encoding = modules::BodyEncoding::kRaw;
};

struct Job {
  Effect effect;
  Route route;
};

struct Applied {
  Ticket ticket;
  Result result = Result::kOk;
  uint16_t message = 0;
  uint16_t detail =
      0;  // kFault: index into Module::faults(); kType: index of the message's parameter
  uint64_t revision = 0;  // the document's; 0: none is known
  Bytes content_type;     // of the body; lives with the module
  Resource body;          // empty unless kOk
};

}  // namespace pure::executor
