#include "executor/applied.h"

#include <utility>

namespace pure::executor {

void FillApplied(const Job& job, modules::Reply* reply, Applied* applied) {
  applied->ticket = job.effect.ticket;
  applied->result = reply->result;
  applied->route = job.route;
  applied->detail = reply->detail;
  applied->revision = reply->revision;
  applied->content_type = reply->content_type;
  applied->body = std::move(reply->body);
  applied->location = std::move(reply->location);
  applied->commit = reply->commit;
}

}  // namespace pure::executor
