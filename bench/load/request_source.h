#pragma once

// RequestSource: the requests of a load, and what their answers say about the documents.
//
// A document's value names its key and revision, so that an answer can be checked: "PREFIX-000007
// 41 " and filler.
//
// Thread: one. Lifetime: borrows the options. Cost: the requests' texts are made once, at
// construction.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/load/answer_reader.h"
#include "bench/load/load_options.h"
#include "runtime/bytes.h"

namespace pure::bench {

struct Request {
  enum class Kind : uint8_t { kGet, kPut, kFixed };
  Kind kind = Kind::kGet;
  uint32_t key = 0;
  int64_t sent_ns = 0;  // for the caller
};

class RequestSource {
 public:
  explicit RequestSource(const LoadOptions& options);

  // Appends the text of the next request of connection `connection` to *out.
  Request Next(uint32_t connection, std::string* out);
  // The same, but writes the key that stands `turn` places behind the connection's first. False: it
  // has no such key.
  bool NextPreparation(uint32_t connection, uint32_t turn, std::string* out, Request* request);

  // Takes note of the revision. False: the value is not that of this key and revision, or has
  // another size.
  bool Answered(const Request& request, const Answer& answer);

  // The key and value of a document, as they are sent.
  std::string KeyText(uint32_t key) const;
  std::string ValueText(uint32_t key, uint64_t revision) const;

 private:
  void MakeFixed();
  void AppendGet(uint32_t key, std::string* out) const;
  void AppendPut(uint32_t key, std::string* out) const;
  void AppendKey(uint32_t key, std::string* out) const;
  // "PREFIX-000007 41 ", cut to the value's size.
  Bytes ValueStart(uint32_t key, uint64_t revision, char* buffer) const;
  uint64_t Random();

  const LoadOptions& options_;
  std::string fixed_;                // the text of the one fixed request; empty: documents
  std::string host_field_;           // with its line end
  std::string filler_;               // value_bytes of it
  std::vector<uint64_t> revisions_;  // by key; 0: not known to exist
  std::vector<uint32_t> turns_;      // by connection: writes so far
  uint64_t random_;
};

}  // namespace pure::bench
