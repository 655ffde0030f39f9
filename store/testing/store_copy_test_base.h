#pragma once

// StoreCopyTest: a store on one simulated disk, and another disk to copy it to.

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/extent_store.h"
#include "store/simulated/disk_image.h"
#include "store/simulated/simulated_disk.h"
#include "store/store_copy.h"
#include "store/testing/simulated_store.h"

namespace pure::store {

// Key to "revision:value".
using Contents = std::map<std::string, std::string>;

class StoreCopyTest : public SimulatedStoreTest {
 protected:
  // Enough saves for several segments, of which the last two are not sealed. Hardly any value is
  // replaced, so that none is compacted away.
  void Fill(int saves = 12) {
    for (int i = 0; i < saves; ++i) {
      ASSERT_EQ(Write("key" + std::to_string(i % 11), Value(i)), Result::kOk);
      while (store_->DoBackgroundWork()) {
      }
    }
  }
  static std::string Value(int i) {
    return "<" + std::to_string(i) + ">" + std::string(9000, static_cast<char>('a' + i % 26));
  }

  absl::Status Copy(Directory* from, SimulatedDisk* to,
                    StoreCopy::Source kind = StoreCopy::Source::kLive) {
    StoreCopy copy;
    const absl::Status status = copy.Open(from, kind);
    return status.ok() ? copy.WriteTo(to->OpenDirectory().get(), &counts_) : status;
  }
  absl::Status Copy(SimulatedDisk* to, StoreCopy::Source kind = StoreCopy::Source::kLive) {
    return Copy(disk_.OpenDirectory().get(), to, kind);
  }

  static Contents ContentsOf(ExtentStore* store) {
    Contents contents;
    const std::unique_ptr<StoreHandle> handle = store->NewHandle();
    handle->TakeLook();
    EXPECT_EQ(store->List("",
                          [&](Bytes key, uint64_t revision, size_t) {
                            Found found;
                            EXPECT_EQ(handle->Find(key, &found), Result::kOk) << key;
                            std::string& text = contents[std::string(key)];
                            text = std::to_string(revision) + ":";
                            for (Bytes span : found.value.spans()) text.append(span);
                            return true;
                          }),
              Result::kOk);
    return contents;
  }

  // Opens what is on the disk without changing it, and checks every byte. NotFound, DataLoss,
  // FailedPrecondition: no store, *contents is empty.
  absl::Status OpenWhole(const DiskImage& image, Contents* contents) {
    SimulatedDisk disk(image, {.keep_journal = false});
    contents->clear();
    ExtentStoreOptions options = options_;
    options.read_only = true;
    auto opened = ExtentStore::Open(disk.OpenDirectory(), options);
    if (!opened.ok()) return opened.status();
    VerifyReport report;
    EXPECT_EQ((*opened)->Verify(&report), absl::OkStatus());
    EXPECT_EQ(report.damages.size(), 0u);
    *contents = ContentsOf(opened->get());
    return absl::OkStatus();
  }
  absl::Status OpenWhole(const SimulatedDisk& disk, Contents* contents) {
    return OpenWhole(disk.KillImage(), contents);
  }

  CopyCounts counts_;
};

}  // namespace pure::store
