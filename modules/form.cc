#include "modules/form.h"

#include <algorithm>

namespace pure::modules {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Takes one decoded octet off `encoded`. False: malformed. REQUIRES: !encoded->empty().
bool TakeOctet(Bytes* encoded, char* octet) {
  const char c = encoded->front();
  size_t size = 1;
  *octet = c == '+' ? ' ' : c;
  if (c == '%') {
    if (encoded->size() < 3) return false;
    const int high = HexDigit((*encoded)[1]);
    const int low = HexDigit((*encoded)[2]);
    if (high < 0 || low < 0) return false;
    *octet = static_cast<char>(high * 16 + low);
    size = 3;
  }
  encoded->remove_prefix(size);
  return true;
}

}  // namespace

bool TakeFormField(Bytes* payload, FormField* field) {
  const size_t end = std::min(payload->find('&'), payload->size());
  const Bytes pair = payload->substr(0, end);
  const size_t equals = pair.find('=');
  if (equals == Bytes::npos || equals == 0) return false;
  field->name = pair.substr(0, equals);
  field->value = pair.substr(equals + 1);
  payload->remove_prefix(end);
  if (payload->empty()) return true;
  payload->remove_prefix(1);
  return !payload->empty();  // nothing behind the `&`
}

bool FormDecodedSize(Bytes encoded, size_t* size_bytes) {
  *size_bytes = 0;
  char octet;
  while (!encoded.empty()) {
    if (!TakeOctet(&encoded, &octet)) return false;
    ++*size_bytes;
  }
  return true;
}

bool IsFormPlain(Bytes encoded) { return encoded.find_first_of("+%") == Bytes::npos; }

char* FormDecode(Bytes encoded, char* out) {
  while (!encoded.empty() && TakeOctet(&encoded, out)) ++out;
  return out;
}

bool FormNameIs(Bytes encoded, Bytes name) {
  char octet;
  while (!encoded.empty() && !name.empty()) {
    if (!TakeOctet(&encoded, &octet) || octet != name.front()) return false;
    name.remove_prefix(1);
  }
  return encoded.empty() && name.empty();
}

}  // namespace pure::modules
