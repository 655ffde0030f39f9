#include "store/simulated/disk_image.h"

#include <memory>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace pure::store {
namespace {

using Kind = UnsettledChange::Kind;

DiskOperation NameOperation(CallKind kind, const std::string& name, uint32_t file = 0) {
  DiskOperation operation;
  operation.kind = kind;
  operation.name = name;
  operation.file = file;
  return operation;
}

// An image that is changed as by the calls of a program.
class DiskImageTest : public ::testing::Test {
 protected:
  uint32_t Create(const std::string& name) {
    const uint32_t file = image_.NextFile();
    image_.Apply(NameOperation(CallKind::kCreate, name, file));
    return file;
  }
  // A file whose name and bytes are durable.
  uint32_t CreateDurable(const std::string& name, const std::string& bytes) {
    const uint32_t file = Create(name);
    if (!bytes.empty()) Write(file, 0, bytes);
    Sync(file);
    SyncNames();
    return file;
  }
  void Write(uint32_t file, uint64_t offset, const std::string& bytes) {
    DiskOperation operation;
    operation.kind = CallKind::kWrite;
    operation.file = file;
    operation.offset = offset;
    operation.size_bytes = bytes.size();
    operation.bytes = std::make_shared<const std::string>(bytes);
    image_.Apply(operation);
  }
  void Allocate(uint32_t file, uint64_t size_bytes) {
    DiskOperation operation;
    operation.kind = CallKind::kAllocate;
    operation.file = file;
    operation.size_bytes = size_bytes;
    image_.Apply(operation);
  }
  void Sync(uint32_t file, IoError error = IoError::kNone) {
    DiskOperation operation = NameOperation(CallKind::kSync, "", file);
    operation.error = error;
    image_.Apply(operation);
  }
  void SyncNames(IoError error = IoError::kNone) {
    DiskOperation operation = NameOperation(CallKind::kSyncDirectory, "");
    operation.error = error;
    image_.Apply(operation);
  }
  void Rename(const std::string& from, const std::string& to) {
    DiskOperation operation = NameOperation(CallKind::kRename, from);
    operation.to = to;
    image_.Apply(operation);
  }
  void Remove(const std::string& name) { image_.Apply(NameOperation(CallKind::kRemove, name)); }

  DiskImage AllSurvive(bool survive) const {
    const auto unsettled = image_.Unsettled();
    return image_.AfterPowerCut(unsettled, std::vector<bool>(unsettled.size(), survive), {});
  }
  // What `of` says about each image that a power cut may leave.
  template <typename Of>
  std::set<std::string> Outcomes(const Of& of, PowerCutStyle style = {}) const {
    const auto unsettled = image_.Unsettled();
    std::set<std::string> outcomes;
    for (uint64_t bits = 0; bits < uint64_t{1} << unsettled.size(); ++bits) {
      std::vector<bool> survives(unsettled.size());
      for (size_t i = 0; i < survives.size(); ++i) survives[i] = (bits >> i & 1u) != 0;
      outcomes.insert(of(image_.AfterPowerCut(unsettled, survives, style)));
    }
    return outcomes;
  }
  std::set<std::string> ContentOutcomes(const std::string& name) const {
    return Outcomes([&name](const DiskImage& image) { return Summary(image.Content(name)); });
  }
  // The first byte of each sector.
  static std::string Summary(const std::string& content) {
    std::string summary;
    for (size_t i = 0; i < content.size(); i += kSectorBytes) {
      summary.push_back(content[i] == '\0' ? '0' : content[i]);
    }
    return summary;
  }
  static std::string NamesOf(const DiskImage& image) {
    std::string text;
    for (const std::string& name : image.Names()) text += name + " ";
    return text;
  }

  DiskImage image_;
};

std::string Sectors(const std::string& letters) {
  std::string bytes;
  for (const char letter : letters) bytes.append(kSectorBytes, letter);
  return bytes;
}

TEST_F(DiskImageTest, SyncedBytesAndNamesSurviveWhateverHappens) {
  CreateDurable("a", Sectors("xy"));
  EXPECT_TRUE(image_.Unsettled().empty());
  EXPECT_EQ(AllSurvive(false).Content("a"), Sectors("xy"));
}

TEST_F(DiskImageTest, AnUnsyncedWriteSurvivesSectorBySector) {
  const uint32_t file = CreateDurable("a", Sectors("..."));
  Write(file, 0, Sectors("xyz"));
  EXPECT_EQ(image_.Content("a"), Sectors("xyz"));
  EXPECT_EQ(ContentOutcomes("a"),
            (std::set<std::string>{"...", "x..", ".y.", "..z", "xy.", "x.z", ".yz", "xyz"}));
}

TEST_F(DiskImageTest, AWriteInsideASectorKeepsTheRestOfIt) {
  const uint32_t file = CreateDurable("a", Sectors("ab"));
  Write(file, kSectorBytes - 1, "XY");
  const std::string lost = AllSurvive(false).Content("a");
  const std::string kept = AllSurvive(true).Content("a");
  EXPECT_EQ(lost, Sectors("ab"));
  EXPECT_EQ(kept.substr(kSectorBytes - 2, 4), "aXYb");
  EXPECT_EQ(image_.Unsettled().size(), 2u);
}

TEST_F(DiskImageTest, ASectorWrittenTwiceMayShowAnyOfItsVersions) {
  const uint32_t file = CreateDurable("a", Sectors("1"));
  Write(file, 0, Sectors("2"));
  Write(file, 0, Sectors("3"));
  EXPECT_EQ(ContentOutcomes("a"), (std::set<std::string>{"1", "2", "3"}));
}

TEST_F(DiskImageTest, ASyncSettlesOnlyItsOwnFile) {
  const uint32_t a = CreateDurable("a", Sectors("."));
  const uint32_t b = CreateDurable("b", Sectors("."));
  Write(a, 0, Sectors("a"));
  Write(b, 0, Sectors("b"));
  Sync(a);
  EXPECT_EQ(ContentOutcomes("a"), (std::set<std::string>{"a"}));
  EXPECT_EQ(ContentOutcomes("b"), (std::set<std::string>{".", "b"}));
}

TEST_F(DiskImageTest, LengthAndBytesSurviveApart) {
  const uint32_t file = CreateDurable("a", "");
  Write(file, 0, Sectors("x"));
  EXPECT_EQ(ContentOutcomes("a"), (std::set<std::string>{"", "0", "x"}));
}

TEST_F(DiskImageTest, BytesBeyondALostLengthStayLostWhenTheFileGrowsAgain) {
  const uint32_t file = CreateDurable("a", Sectors("a"));
  Write(file, kSectorBytes, Sectors("b"));
  const auto unsettled = image_.Unsettled();
  ASSERT_EQ(unsettled.size(), 2u);
  std::vector<bool> survives = {unsettled[0].kind == Kind::kSector,
                                unsettled[1].kind == Kind::kSector};
  image_ = image_.AfterPowerCut(unsettled, survives, {});
  EXPECT_EQ(image_.SizeOf(file), kSectorBytes);
  Allocate(file, 2 * kSectorBytes);
  EXPECT_EQ(image_.Content("a"), Sectors(std::string("a\0", 2)));
}

TEST_F(DiskImageTest, ALengthThatWasAllocatedMayBeLost) {
  const uint32_t file = CreateDurable("a", "");
  Allocate(file, kSectorBytes);
  EXPECT_EQ(ContentOutcomes("a"), (std::set<std::string>{"", "0"}));
  Sync(file);
  EXPECT_EQ(ContentOutcomes("a"), (std::set<std::string>{"0"}));
}

TEST_F(DiskImageTest, ZerosWrittenOverZerosAreNoChange) {
  const uint32_t file = CreateDurable("a", "");
  Allocate(file, 1 << 20);
  Sync(file);
  Write(file, 0, std::string(1 << 20, '\0'));
  EXPECT_TRUE(image_.Unsettled().empty());
}

TEST_F(DiskImageTest, AFileSyncDoesNotMakeItsNameDurable) {
  const uint32_t file = Create("a");
  Write(file, 0, Sectors("x"));
  Sync(file);
  EXPECT_EQ(Outcomes(NamesOf), (std::set<std::string>{"", "a "}));
  EXPECT_EQ(ContentOutcomes("a"), (std::set<std::string>{"", "x"}));
}

TEST_F(DiskImageTest, ADirectorySyncDoesNotMakeBytesDurable) {
  const uint32_t file = Create("a");
  Write(file, 0, Sectors("x"));
  SyncNames();
  EXPECT_EQ(ContentOutcomes("a"), (std::set<std::string>{"", "0", "x"}));
}

TEST_F(DiskImageTest, NamesSurviveInAnyCombination) {
  CreateDurable("a", "");
  Create("b");
  Remove("a");
  EXPECT_EQ(Outcomes(NamesOf), (std::set<std::string>{"", "a ", "b ", "a b "}));
}

TEST_F(DiskImageTest, ARenameSurvivesWholeOrNotAtAll) {
  CreateDurable("new", Sectors("n"));
  CreateDurable("old", Sectors("o"));
  Rename("new", "old");
  EXPECT_EQ(Outcomes([](const DiskImage& image) {
              return NamesOf(image) + Summary(image.Content("old"));
            }),
            (std::set<std::string>{"new old o", "old n"}));
}

TEST_F(DiskImageTest, ARenameBeforeTheBytesAreSyncedMayShowAnEmptyFile) {
  CreateDurable("old", Sectors("o"));
  const uint32_t file = Create("new");
  Write(file, 0, Sectors("n"));
  Rename("new", "old");
  const auto outcomes = ContentOutcomes("old");
  EXPECT_EQ(outcomes, (std::set<std::string>{"", "0", "n", "o"}));
}

TEST_F(DiskImageTest, AnUnlinkMayOvertakeTheRenameBeforeIt) {
  CreateDurable("segment", Sectors("s"));
  CreateDurable("tmp", Sectors("m"));
  Rename("tmp", "manifest");
  Remove("segment");
  EXPECT_TRUE(Outcomes(NamesOf).count("tmp ") != 0) << "removed, though the rename is lost";
}

TEST_F(DiskImageTest, ARemovedFileComesBackWithItsBytes) {
  CreateDurable("a", Sectors("x"));
  Remove("a");
  image_.ForgetUnreachable([](uint32_t) { return false; });
  EXPECT_EQ(AllSurvive(false).Content("a"), Sectors("x"));
  SyncNames();
  image_.ForgetUnreachable([](uint32_t) { return false; });
  EXPECT_EQ(AllSurvive(false).Names().size(), 0u);
}

TEST_F(DiskImageTest, AfterAFailedSyncReadsShowWhatAPowerCutMayLose) {
  const uint32_t file = CreateDurable("a", Sectors(".."));
  Write(file, 0, Sectors("xy"));
  Sync(file, IoError::kInputOutput);
  Sync(file);
  Sync(file);
  EXPECT_EQ(image_.Content("a"), Sectors("xy"));
  EXPECT_EQ(ContentOutcomes("a"), (std::set<std::string>{"..", "x.", ".y", "xy"}));
}

TEST_F(DiskImageTest, TheDoubtOfAFailedSyncOutlivesTheProcess) {
  const uint32_t file = CreateDurable("a", Sectors("."));
  Write(file, 0, Sectors("x"));
  Sync(file, IoError::kNoSpace);
  image_ = image_.AfterKill();
  Sync(file);
  EXPECT_EQ(image_.Content("a"), Sectors("x"));
  EXPECT_EQ(ContentOutcomes("a"), (std::set<std::string>{".", "x"}));
}

TEST_F(DiskImageTest, BytesWrittenAnewAfterAFailedSyncAreSettledByTheNext) {
  const uint32_t file = CreateDurable("a", Sectors(".."));
  Write(file, 0, Sectors("xy"));
  Sync(file, IoError::kInputOutput);
  Write(file, 0, Sectors("x"));
  Sync(file);
  EXPECT_EQ(ContentOutcomes("a"), (std::set<std::string>{"x.", "xy"}));
}

TEST_F(DiskImageTest, ALengthLostByAFailedSyncStaysInDoubt) {
  const uint32_t file = CreateDurable("a", "");
  Write(file, 0, Sectors("x"));
  Sync(file, IoError::kNoSpace);
  Sync(file);
  EXPECT_EQ(ContentOutcomes("a"), (std::set<std::string>{"", "0", "x"}));
}

TEST_F(DiskImageTest, AFailedDirectorySyncLeavesItsNamesInDoubtForGood) {
  Create("a");
  SyncNames(IoError::kInputOutput);
  SyncNames();
  Create("b");
  SyncNames();
  EXPECT_EQ(image_.Names().size(), 2u);
  EXPECT_EQ(Outcomes(NamesOf), (std::set<std::string>{"b ", "a b "}));
}

TEST_F(DiskImageTest, DroppedCachesShowWhatTheDiskHolds) {
  const uint32_t file = CreateDurable("a", Sectors("........"));
  Write(file, 0, Sectors("xxxxxxxx"));
  Sync(file, IoError::kInputOutput);
  std::set<std::string> shown;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    DiskImage image = image_;
    image.DropCache(file, seed);
    EXPECT_TRUE(image.Unsettled().empty());
    shown.insert(Summary(image.Content("a")));
  }
  EXPECT_GT(shown.size(), 20u);
  EXPECT_EQ(image_.Content("a"), Sectors("xxxxxxxx"));
}

TEST_F(DiskImageTest, DroppedCachesKeepWhatIsStillToBeWritten) {
  const uint32_t file = CreateDurable("a", Sectors("."));
  Write(file, 0, Sectors("x"));
  image_.DropCache(file, 1);
  EXPECT_EQ(image_.Content("a"), Sectors("x"));
}

TEST_F(DiskImageTest, TornEdgesMixOldAndNewBytesOfTheFirstAndLastSectorOnly) {
  const uint32_t file = CreateDurable("a", Sectors("...."));
  Write(file, 0, Sectors("xxxx"));
  const auto unsettled = image_.Unsettled();
  const std::vector<bool> survives(unsettled.size(), true);
  size_t mixed = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    PowerCutStyle style;
    style.torn_edges = true;
    style.seed = seed;
    const std::string content = image_.AfterPowerCut(unsettled, survives, style).Content("a");
    EXPECT_EQ(content.substr(kSectorBytes, 2 * kSectorBytes), Sectors("xx"));
    if (content != Sectors("xxxx")) ++mixed;
    EXPECT_EQ(content.find_first_not_of(".x"), std::string::npos);
  }
  EXPECT_GT(mixed, 10u);
}

TEST_F(DiskImageTest, GarbageFillsOnlyWhatWasNeverDurablyWritten) {
  const uint32_t file = CreateDurable("a", Sectors("x"));
  Allocate(file, 9 * kSectorBytes);
  Sync(file);
  Write(file, kSectorBytes, Sectors("y"));
  const auto unsettled = image_.Unsettled();
  PowerCutStyle style;
  style.garbage = true;
  bool any_garbage = false;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    style.seed = seed;
    const std::string kept =
        image_.AfterPowerCut(unsettled, std::vector<bool>(unsettled.size(), true), style)
            .Content("a");
    EXPECT_EQ(kept.substr(0, 2 * kSectorBytes), Sectors("xy"));
    EXPECT_EQ(kept.size(), 9 * kSectorBytes);
    any_garbage = any_garbage || kept.find_first_not_of('\0', 2 * kSectorBytes) < kept.size();
  }
  EXPECT_TRUE(any_garbage);
}

TEST_F(DiskImageTest, StaleGarbageComesFromAnotherFile) {
  auto sector = std::make_shared<Sector>();
  sector->fill('s');
  const uint32_t file = CreateDurable("a", "");
  Allocate(file, 64 * kSectorBytes);
  Sync(file);
  const auto fill = [&](uint32_t from) {
    const std::vector<StaleSector> stale = {{from, sector}};
    PowerCutStyle style;
    style.garbage = true;
    style.stale = stale;
    return image_.AfterPowerCut({}, {}, style).Content("a");
  };
  EXPECT_NE(fill(file + 1).find(Sectors("s")), std::string::npos);
  EXPECT_EQ(fill(file).find(Sectors("s")), std::string::npos);
}

TEST_F(DiskImageTest, ARandomPowerCutKeepsWhatIsSyncedAndRepeatsFromItsSeed) {
  const uint32_t file = CreateDurable("a", Sectors("abc"));
  Write(file, 3 * kSectorBytes, Sectors("defgh"));
  Create("b");
  std::set<std::string> outcomes;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const DiskImage after = image_.AfterRandomPowerCut(seed);
    EXPECT_EQ(after.Content("a").substr(0, 3 * kSectorBytes), Sectors("abc"));
    EXPECT_EQ(after.Content("a"), image_.AfterRandomPowerCut(seed).Content("a"));
    EXPECT_EQ(after.Names(), image_.AfterRandomPowerCut(seed).Names());
    EXPECT_TRUE(after.Unsettled().empty());
    outcomes.insert(NamesOf(after) + after.Content("a"));
  }
  EXPECT_GT(outcomes.size(), 50u);
}

TEST_F(DiskImageTest, ImagesAreApart) {
  const uint32_t file = CreateDurable("a", Sectors("x"));
  const DiskImage before = image_;
  Write(file, 0, Sectors("y"));
  Rename("a", "b");
  EXPECT_EQ(before.Content("a"), Sectors("x"));
  EXPECT_TRUE(before.Unsettled().empty());
}

TEST_F(DiskImageTest, ChangesFromBehindAreDurable) {
  const uint32_t file = CreateDurable("a", Sectors("xy"));
  Write(file, 0, Sectors("XY"));
  image_.Overwrite(file, 1, "?");
  EXPECT_EQ(AllSurvive(false).Content("a").substr(0, 3), "X?X");
  image_.Truncate(file, kSectorBytes);
  EXPECT_EQ(AllSurvive(true).SizeOf(file), kSectorBytes);
}

TEST_F(DiskImageTest, UsedBytesCountWholePagesOfWhatIsNamedOrOpen) {
  const uint32_t file = CreateDurable("a", "x");
  CreateDurable("b", std::string(kPageBytes + 1, 'x'));
  const auto none = [](uint32_t) { return false; };
  EXPECT_EQ(image_.UsedBytes(none), 3 * kPageBytes);
  Remove("a");
  EXPECT_EQ(image_.UsedBytes(none), 2 * kPageBytes);
  EXPECT_EQ(image_.UsedBytes([file](uint32_t open) { return open == file; }), 3 * kPageBytes);
}

}  // namespace
}  // namespace pure::store
