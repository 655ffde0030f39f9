#include "executor/reader.h"

#include "executor/applied.h"
#include "modules/reply.h"

namespace pure::executor {

Reader::Reader(const modules::Module* module, const modules::PublishedLook* published,
               Budget* budget)
    : module_(*module),
      kept_(module->handlers().size(), budget),
      views_(module, published, &kept_) {}

bool Reader::Reads(const Route& route) const {
  return route.is_handler && module_.handlers()[route.index].is_view;
}

void Reader::Apply(const Job& job, Applied* applied) {
  modules::Reply reply;
  views_.Apply(job.route.index, {job.effect.payload, job.route.encoding}, &reply);
  FillApplied(job, &reply, applied);
}

}  // namespace pure::executor
