// A Gather that never waits: what bench/claims.py measures gathering against.

#include "executor/gather.h"

namespace pure::executor {

void Gather::Begin() {}

void Gather::Answered(int64_t, size_t, int64_t, size_t) {}

int64_t Gather::WaitUntil(int64_t now_ns, size_t) { return now_ns; }

}  // namespace pure::executor
