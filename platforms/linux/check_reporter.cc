#include "platforms/linux/check_reporter.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "runtime/check.h"

namespace pure {
namespace {

iovec Text(const char* text) { return {const_cast<char*>(text), std::strlen(text)}; }

// Decimal digits of a positive number, written to the end of `digits`. No library formats without a
// lock.
const char* Decimal(int number, char (&digits)[12]) {
  char* at = digits + sizeof(digits) - 1;
  *at = '\0';
  do {
    *--at = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  return at;
}

void ReportAndAbort(const char* file, int line, const char* condition, const char* reason) {
  char digits[12];
  const iovec parts[] = {Text(file),
                         Text(":"),
                         Text(Decimal(line, digits)),
                         Text(": check failed: "),
                         Text(condition),
                         Text(": "),
                         Text(reason),
                         Text("\n")};
  // One call, so that lines of other threads do not come between. Nobody is left to tell when it
  // fails.
  [[maybe_unused]] const ssize_t written =
      writev(STDERR_FILENO, parts, sizeof(parts) / sizeof(parts[0]));
  std::abort();
}

}  // namespace

void InstallCheckReporter() { SetCheckReporter(&ReportAndAbort); }

}  // namespace pure
