#pragma once

// What a module says of itself: plain data.

#include <cstdint>
#include <string>
#include <vector>

namespace pure::modules {

// One error: where (1-based; columns count bytes) and what is wrong; `help`: what to write instead,
// may be empty.
struct Error {
  uint32_t line = 0;
  uint32_t column = 0;
  std::string what;
  std::string help;
};

// How a request's payload carries arguments.
enum class BodyEncoding : uint8_t {
  kRaw,   // the payload is the one bytes or text parameter
  kForm,  // application/x-www-form-urlencoded
  kJson,  // application/json
};

struct MessageInfo {
  std::string name;
  bool writes = false;  // may assign `value`; a message that can not is a read
  bool is_show = false;
  bool is_edit = false;
  std::vector<std::string> parameters;  // names, in order
  bool takes_raw = false;  // its one parameter is text or bytes: BodyEncoding::kRaw may be used
  uint64_t payload_bytes_max =
      0;  // of a request that can be right; larger ones may be refused unread
};

struct HandlerInfo {
  std::string name;
  bool is_view = false;
  bool reads_random = false;
  std::string path;  // where it is besides /views/NAME or /inputs/NAME; may be empty
  std::vector<std::string> parameters;
  uint64_t payload_bytes_max = 0;
};

struct FaultInfo {
  std::string name;
  uint16_t status = 409;  // HTTP status, 400 to 599
  std::string text;
};

}  // namespace pure::modules
