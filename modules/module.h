#pragma once

// Module: a checked app text, compiled to a compact plan. Immutable after Load and shared by all
// threads.
//
// Load reads the text of one file, checks all of it and gives either a module or every error of the
// file, in the file's order, as people read compilers' errors. No input makes it crash, hang, or
// use more than memory in proportion to the file's size.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "modules/info.h"
#include "runtime/bytes.h"

namespace pure::modules {

struct Plan;  // modules/plan.h

// "FILE:LINE:COL: what", the line, a caret, and the help, for each error.
std::string FormatErrors(Bytes file_name, Bytes text, absl::Span<const Error> errors);

class Module {
 public:
  // Null and *errors filled, or a module. The module keeps a copy of what it needs of `text`.
  static std::unique_ptr<const Module> Load(Bytes text, std::vector<Error>* errors);
  ~Module();

  Bytes name() const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  int64_t version() const;
  // True when requests of different threads share nothing but the store: no states (contract of
  // threads).
  bool sharded() const;

  // Keyed messages, of the module's document. Indices are stable for the module's life.
  absl::Span<const MessageInfo> messages() const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // Index of a message, or -1.
  int FindMessage(Bytes name) const;
  int show() const;  // index of `show`, or -1
  int edit() const;  // index of `edit`, or -1
  // The document contract (GET and PUT /objects/KEY) is served when it has `show` and `edit`.
  bool documents() const { return show() >= 0 && edit() >= 0; }
  // Content type of a shown document.
  Bytes document_type() const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // True when documents are text, which is UTF-8; else they are any octets.
  bool text_documents() const;
  // Largest value, bytes.
  uint64_t document_bytes_max() const;

  // Inputs and views. Indices are stable for the module's life.
  absl::Span<const HandlerInfo> handlers() const ABSL_ATTRIBUTE_LIFETIME_BOUND;

  absl::Span<const FaultInfo> faults() const ABSL_ATTRIBUTE_LIFETIME_BOUND;

  // One line of JSON that describes it (`pure check`), with how many of its tests ran and failed.
  std::string Describe(size_t tests_run, size_t tests_failed) const;

  const Plan& plan() const ABSL_ATTRIBUTE_LIFETIME_BOUND;

 private:
  Module();
  std::unique_ptr<Plan> plan_;
};

}  // namespace pure::modules
