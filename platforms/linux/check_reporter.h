#pragma once

// Where failed checks go: one line on standard error, then SIGABRT, so that a core file or the
// service manager shows it. Call InstallCheckReporter at the top of main.

namespace pure {

// Thread: any. Cost: none until a check fails; then no memory and no lock is taken.
void InstallCheckReporter();

}  // namespace pure
