#pragma once

// Router: from a parsed head to what must be done: an app's message on a document, an input or a
// view, one of the server's own pages, or an answer at once. Pure functions of the head and of what
// the server was started with.
//
// The order of the checks is the contract's (docs/http.md): who may, path, method, key, condition,
// length, size. Thread: any. Cost: no allocation.

#include <cstddef>
#include <cstdint>

#include "absl/base/attributes.h"
#include "executor/job.h"
#include "modules/module.h"
#include "runtime/condition.h"
#include "runtime/key.h"
#include "runtime/runtime.h"
#include "transport/access.h"
#include "transport/http1/head.h"

namespace pure::transport {

struct RouterOptions {
  bool loopback = true;  // only loopback names are served, and other origins may not write
  uint64_t object_bytes_max = 16u << 20;
};

struct Routed {
  enum class Kind : uint8_t {
    kAnswer,  // status, error, allow say it all
    kApply,   // kind, key, condition, arguments, route
    kPage,    // a page of the server's own
  };
  Kind kind = Kind::kAnswer;

  uint16_t status = 404;
  Bytes error = "not_found";
  Bytes allow;             // static
  bool challenge = false;  // WWW-Authenticate
  bool close = false;      // the connection can not go on after this answer

  pure::Kind effect = pure::Kind::kRead;
  Key key;
  Condition condition;
  Bytes arguments;  // of a view: its query, which lives with the head
  executor::Route route;
};

class Router {
 public:
  Router(const modules::Module* module ABSL_ATTRIBUTE_LIFETIME_BOUND,
         const Access* access ABSL_ATTRIBUTE_LIFETIME_BOUND, const RouterOptions& options);

  Routed Route(const http1::Head& head) const;

 private:
  bool MayAnswer(const http1::Head& head, Routed* routed) const;
  void RouteObject(const http1::Head& head, Bytes rest, Routed* routed) const;
  void RouteRead(const http1::Head& head, Routed* routed) const;
  void RouteEdit(const http1::Head& head, Routed* routed) const;
  void RouteMessage(const http1::Head& head, Bytes name, Routed* routed) const;
  void RouteHandlers(const http1::Head& head, Routed* routed) const;
  void RouteView(const http1::Head& head, size_t view, Routed* routed) const;
  void RouteInput(const http1::Head& head, size_t input, Routed* routed) const;
  bool TakeArguments(const http1::Head& head, Routed* routed) const;
  bool TakeBody(const http1::Head& head, uint64_t bytes_max, Routed* routed) const;

  const modules::Module* const module_;
  const Access* const access_;
  const RouterOptions options_;
};

}  // namespace pure::transport
