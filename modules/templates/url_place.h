#pragma once

// UrlPlace: where in the address of an attribute its text has come to, and so whether what a hole
// puts in could change the scheme or the host that it leads to. It follows the states of the URL
// standard's parser ("URL", WHATWG, section 4.4) as far as it must. Text that browsers read in
// another way than it looks (blanks, \, character references) makes no place for a hole.
//
// Thread: one at a time. Cost: O(1) for each octet.

#include <cstdint>
#include <string>

#include "modules/templates/escape.h"

namespace pure::modules {

class UrlPlace {
 public:
  // One octet of the template's own. False: it can not stand behind the hole before it.
  bool Take(char c);

  // A hole. False: it could change where the address leads.
  bool TakeHole(Escape* escape);

  friend bool operator==(const UrlPlace&, const UrlPlace&) = default;

 private:
  enum class At : uint8_t {
    kStart,
    kName,       // a scheme, or the first name of a relative path
    kSlash,      // behind the first /: one more, and a host follows
    kSlashHole,  // behind a hole there, which may have put in nothing
    kSlashes,    // before a host
    kHost,
    kPath,   // the scheme and the host stand
    kWhole,  // behind a hole at the start, which may be a whole address
    kOdd,    // nobody knows
  };

  void TakeScheme();

  At at_ = At::kStart;
  std::string name_;  // while it may be a scheme
};

}  // namespace pure::modules
