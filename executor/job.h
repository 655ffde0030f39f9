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
  bool is_handler = false;  // an input or a view, else a message on a document
  uint16_t index = 0;       // into Module::handlers() or Module::messages()
  modules::BodyEncoding encoding = modules::BodyEncoding::kRaw;
};

struct Job {
  Effect effect;
  Route route;
};

struct Applied {
  Ticket ticket;
  Result result = Result::kOk;
  Route route;
  uint16_t detail = 0;    // kFault: index into Module::faults(); kType: index of the parameter
  uint64_t revision = 0;  // the document's; 0: none is known
  Bytes content_type;     // of the body; lives with the module
  Resource body;          // empty unless kOk
  Resource location;      // where the client is to go on; empty: nowhere
  uint64_t commit = 0;    // of an input or view: the states that it saw or made; 0: none
};

}  // namespace pure::executor
