#pragma once

// What the clients of a history ask a real server, and how its answers are read.
//
// Thread: a workload belongs to one client.

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "bench/load/answer_reader.h"
#include "runtime/bytes.h"
#include "tests/histories/models.h"

namespace pure::histories {

using Random = std::mt19937;

inline std::string RequestText(Bytes method, Bytes target, Bytes fields, Bytes body) {
  return absl::StrCat(method, " ", target, " HTTP/1.1\r\nHost: 127.0.0.1\r\n", fields,
                      "Content-Length: ", body.size(), "\r\n\r\n", body);
}

// A server of documents. Clients go on from what they were shown last, so that some writes win.
class DocumentWorkload {
 public:
  using Model = DocumentModel;
  static constexpr char kModule[] =
      "document object(key: slug(64)): bytes(..1KiB)\n"
      "  message show { reply value else not_found }\n"
      "  message edit(body: bytes(..1KiB)) { value = body; reply none }\n";

  // `values`: where the numbers of this client begin.
  DocumentWorkload(size_t keys, int64_t values) : known_(keys, 0), next_value_(values) {}

  Model::Input Choose(Random* random, size_t key) {
    if ((*random)() % 2 == 0) return {};
    const uint64_t base = (*random)() % 8 == 0 ? (*random)() % 3 : known_[key];
    return {true, base, ++next_value_};
  }
  Model::Input Read() const { return {}; }
  static bool IsRead(const Model::Input& input) { return !input.puts; }

  std::string Request(Bytes key, const Model::Input& input) const {
    const std::string target = absl::StrCat("/objects/", key);
    if (!input.puts) return RequestText("GET", target, "", "");
    const std::string condition = input.base == 0
                                      ? "If-None-Match: *\r\n"
                                      : absl::StrCat("If-Match: \"", input.base, "\"\r\n");
    return RequestText("PUT", target, condition, absl::StrCat(input.value));
  }

  static std::string Describe(const Model::Input& input,
                              const std::optional<Model::Output>& output) {
    const std::string asked =
        input.puts ? absl::StrCat("PUT ", input.value, " on ", input.base) : std::string("GET");
    if (!output) return asked + ": no answer";
    return absl::StrCat(asked, output->refused ? ": refused by " : ": ", output->revision, " ",
                        output->value);
  }

  // None: no such answer is expected.
  std::optional<Model::Output> Take(size_t key, const Model::Input& input,
                                    const bench::Answer& answer) {
    Model::Output output{.refused = answer.status == 412, .revision = answer.revision};
    if (answer.status != 200 && answer.status != 404 && !output.refused) return std::nullopt;
    if (!input.puts && answer.status == 200 &&
        !absl::SimpleAtoi(answer.BodyStart(), &output.value)) {
      return std::nullopt;
    }
    // A document that is gone has a revision still, but none of these is ever removed.
    if (answer.status == 404) output.revision = 0;
    known_[key] = output.revision;
    return output;
  }

 private:
  std::vector<uint64_t> known_;  // revisions, by key
  int64_t next_value_;
};

// An app whose inputs its owner runs, and whose views the threads of connections answer.
class CellWorkload {
 public:
  using Model = CellModel;
  static constexpr char kModule[] =
      "state cells: map(slug(16), int, 50000)\n"
      "input add(key: slug(16), n: int) {\n"
      "  let was = cells[key] else 0\n  cells.put(key, was + n)\n  reply was + n\n}\n"
      "input replace(key: slug(16), n: int) {\n"
      "  let was = cells[key] else 0\n  cells.put(key, n)\n  reply was\n}\n"
      "view cell(key: slug(16)) as json { reply cells[key] else 0 }\n";

  CellWorkload(size_t, int64_t values) : next_value_(values) {}

  Model::Input Choose(Random* random, size_t) {
    switch ((*random)() % 4) {
      case 0:
        return {CellModel::Kind::kAdd, static_cast<int64_t>((*random)() % 100)};
      case 1:
        return {CellModel::Kind::kSet, ++next_value_};
      default:
        return {};
    }
  }
  Model::Input Read() const { return {}; }
  static bool IsRead(const Model::Input& input) { return input.kind == CellModel::Kind::kView; }

  std::string Request(Bytes key, const Model::Input& input) const {
    if (IsRead(input)) return RequestText("GET", absl::StrCat("/views/cell?key=", key), "", "");
    const Bytes name = input.kind == CellModel::Kind::kAdd ? "add" : "replace";
    return RequestText("POST", absl::StrCat("/inputs/", name),
                       "Content-Type: application/x-www-form-urlencoded\r\n",
                       absl::StrCat("key=", key, "&n=", input.number));
  }

  static std::string Describe(const Model::Input& input,
                              const std::optional<Model::Output>& output) {
    constexpr const char* kNames[] = {"add", "replace by", "view"};
    return absl::StrCat(kNames[static_cast<size_t>(input.kind)], " ", input.number, ": ",
                        output ? absl::StrCat(*output) : "no answer");
  }

  std::optional<Model::Output> Take(size_t, const Model::Input&, const bench::Answer& answer) {
    int64_t number = 0;
    if (answer.status != 200 || !absl::SimpleAtoi(answer.BodyStart(), &number)) return std::nullopt;
    return number;
  }

 private:
  int64_t next_value_;
};

}  // namespace pure::histories
