#pragma once

// From what the app replied to what goes back to the connection.

#include "executor/job.h"
#include "modules/reply.h"

namespace pure::executor {

// Moves the bodies out of the reply.
void FillApplied(const Job& job, modules::Reply* reply, Applied* applied);

}  // namespace pure::executor
