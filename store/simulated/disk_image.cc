#include "store/simulated/disk_image.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "runtime/check.h"

namespace pure::store {
namespace {

bool SameBytes(const Sector& a, const Sector& b) {
  return std::memcmp(a.data(), b.data(), kSectorBytes) == 0;
}

Bytes SectorView(const Sector& sector) { return Bytes(sector.data(), sector.size()); }

}  // namespace

void DiskImage::Apply(const DiskOperation& operation) {
  ++serial_;
  if (HadNoEffect(operation)) return;
  switch (operation.kind) {
    case CallKind::kCreate:
      files_[operation.file] = std::make_shared<FileState>();
      next_file_ = std::max(next_file_, operation.file + 1);
      ChangeName(operation);
      return;
    case CallKind::kRename:
    case CallKind::kRemove:
      ChangeName(operation);
      return;
    case CallKind::kSyncDirectory:
      SyncNames(operation.error != IoError::kNone);
      return;
    case CallKind::kWrite:
      Write(Mutable(operation.file), operation.offset, *operation.bytes);
      return;
    case CallKind::kAllocate:
      Lengthen(Mutable(operation.file), operation.size_bytes);
      return;
    case CallKind::kSync:
      if (!Find(operation.file)->settled()) {
        SyncFile(Mutable(operation.file), operation.error != IoError::kNone);
      }
      return;
    default:
      return;
  }
}

// --- what a running system sees ---

uint32_t DiskImage::FileOf(const std::string& name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? 0 : it->second;
}

std::vector<std::string> DiskImage::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, file] : names_) names.push_back(name);
  return names;
}

uint64_t DiskImage::SizeOf(uint32_t file) const { return Find(file)->size_bytes; }

void DiskImage::Read(uint32_t file, uint64_t offset, MutableBytes into) const {
  Find(file)->pages.Read(offset, into);
}

void DiskImage::ReadIntoZeros(uint32_t file, MutableBytes into) const {
  Find(file)->pages.ReadIntoZeros(into);
}

std::string DiskImage::Content(const std::string& name) const {
  const uint32_t file = FileOf(name);
  if (file == 0) return {};
  std::string content(SizeOf(file), '\0');
  ReadIntoZeros(file, absl::MakeSpan(content));
  return content;
}

// --- changes ---

void DiskImage::ApplyName(const NameChange& change, NameMap* names) {
  const auto it = names->find(change.name);
  const bool is_this_file = it != names->end() && it->second == change.file;
  switch (change.kind) {
    case CallKind::kCreate:
      (*names)[change.name] = change.file;
      return;
    case CallKind::kRename:
      if (change.name == change.to) return;
      if (is_this_file) names->erase(it);
      (*names)[change.to] = change.file;
      return;
    case CallKind::kRemove:
      if (is_this_file) names->erase(it);
      return;
    default:
      return;
  }
}

void DiskImage::ChangeName(const DiskOperation& operation) {
  NameChange change;
  change.kind = operation.kind;
  change.name = operation.name;
  change.to = operation.to;
  change.file = operation.kind == CallKind::kCreate ? operation.file : FileOf(operation.name);
  change.serial = serial_;
  ApplyName(change, &names_);
  name_changes_.push_back(std::move(change));
}

void DiskImage::Write(FileState* file, uint64_t offset, Bytes bytes) {
  const uint64_t first = offset / kSectorBytes;
  const uint64_t last = (offset + bytes.size() - 1) / kSectorBytes;
  for (uint64_t sector = first; sector <= last; ++sector) {
    const auto [it, is_new] = file->sectors.try_emplace(sector);
    if (!is_new) continue;
    it->second.before = file->pages.ReadSector(sector);
    it->second.before_written = file->pages.Written(sector);
  }
  file->pages.Write(offset, bytes);
  for (uint64_t sector = first; sector <= last; ++sector) {
    SectorVersion version;
    version.bytes = file->pages.ReadSector(sector);
    version.serial = serial_;
    version.edge = sector == first || sector == last;
    file->sectors[sector].versions.push_back(std::move(version));
  }
  Lengthen(file, offset + bytes.size());
}

void DiskImage::Lengthen(FileState* file, uint64_t size_bytes) {
  if (size_bytes <= file->size_bytes) return;
  file->size_bytes = size_bytes;
  LengthVersion version;
  version.size_bytes = size_bytes;
  version.serial = serial_;
  file->lengths.push_back(version);
}

void DiskImage::SyncFile(FileState* file, bool failed) {
  if (failed) {
    for (auto& [sector, history] : file->sectors) {
      for (SectorVersion& version : history.versions) version.doubtful = true;
    }
    for (LengthVersion& version : file->lengths) version.doubtful = true;
    return;
  }
  // The kernel writes what is dirty; what a failed sync left behind is clean to it and stays lost.
  for (auto it = file->sectors.begin(); it != file->sectors.end();) {
    it = it->second.versions.back().doubtful ? std::next(it) : file->sectors.erase(it);
  }
  if (!file->lengths.empty() && !file->lengths.back().doubtful) file->lengths.clear();
  if (file->lengths.empty()) file->durable_bytes = file->size_bytes;
}

void DiskImage::SyncNames(bool failed) {
  bool any_doubt = false;
  for (NameChange& change : name_changes_) {
    if (change.standing == Standing::kPending) {
      change.standing = failed ? Standing::kDoubtful : Standing::kDurable;
    }
    any_doubt = any_doubt || change.standing == Standing::kDoubtful;
  }
  if (any_doubt) return;
  name_changes_.clear();
  durable_names_ = names_;
}

// --- power cuts ---

std::vector<UnsettledChange> DiskImage::Unsettled() const {
  std::vector<UnsettledChange> unsettled;
  for (const auto& [number, file] : files_) {
    for (const auto& [sector, history] : file->sectors) {
      const Sector* before = history.before.get();
      for (size_t i = 0; i < history.versions.size(); ++i) {
        const SectorVersion& version = history.versions[i];
        if (!SameBytes(*before, *version.bytes)) {
          unsettled.push_back({UnsettledChange::Kind::kSector, number, sector, i, version.serial});
        }
        before = version.bytes.get();
      }
    }
    for (size_t i = 0; i < file->lengths.size(); ++i) {
      unsettled.push_back({UnsettledChange::Kind::kLength, number, 0, i, file->lengths[i].serial});
    }
  }
  for (size_t i = 0; i < name_changes_.size(); ++i) {
    const NameChange& change = name_changes_[i];
    if (change.standing == Standing::kDurable) continue;
    unsettled.push_back({UnsettledChange::Kind::kName, change.file, 0, i, change.serial});
  }
  std::stable_sort(
      unsettled.begin(), unsettled.end(),
      [](const UnsettledChange& a, const UnsettledChange& b) { return a.serial < b.serial; });
  return unsettled;
}

DiskImage::NameMap DiskImage::NamesAfterPowerCut(absl::Span<const UnsettledChange> unsettled,
                                                 const std::vector<bool>& survives) const {
  std::vector<bool> kept(name_changes_.size());
  for (size_t i = 0; i < name_changes_.size(); ++i) {
    kept[i] = name_changes_[i].standing == Standing::kDurable;
  }
  for (size_t i = 0; i < unsettled.size(); ++i) {
    if (unsettled[i].kind == UnsettledChange::Kind::kName) kept[unsettled[i].version] = survives[i];
  }
  NameMap names = durable_names_;
  for (size_t i = 0; i < name_changes_.size(); ++i) {
    if (kept[i]) ApplyName(name_changes_[i], &names);
  }
  return names;
}

std::shared_ptr<DiskImage::FileState> DiskImage::Undone(const FileState& file) {
  auto undone = std::make_shared<FileState>();
  undone->pages = file.pages;
  undone->size_bytes = file.durable_bytes;
  for (const auto& [sector, history] : file.sectors) {
    if (history.before_written) {
      undone->pages.Write(sector * kSectorBytes, SectorView(*history.before));
    } else {
      undone->pages.ClearSector(sector);
    }
  }
  return undone;
}

// `tear` null: whole sectors.
void DiskImage::Redo(const UnsettledChange& change, const FileState& from, Random* tear,
                     FileState* file) {
  if (change.kind == UnsettledChange::Kind::kLength) {
    file->size_bytes = std::max(file->size_bytes, from.lengths[change.version].size_bytes);
    return;
  }
  const SectorVersion& version = from.sectors.at(change.sector).versions[change.version];
  const uint64_t offset = change.sector * kSectorBytes;
  const Bytes bytes = SectorView(*version.bytes);
  if (tear == nullptr || !version.edge) {
    file->pages.Write(offset, bytes);
    return;
  }
  const size_t cut = tear->Below(kSectorBytes + 1);
  if (tear->Below(2) == 0) {
    file->pages.Write(offset, bytes.substr(0, cut));
  } else {
    file->pages.Write(offset + cut, bytes.substr(cut));
  }
}

void DiskImage::FillGarbage(uint32_t number, const PowerCutStyle& style, Random* random,
                            FileState* file) {
  for (uint64_t sector = 0; sector * kSectorBytes < file->size_bytes; ++sector) {
    const uint64_t dice = random->Below(4);
    if (file->pages.Written(sector) || dice == 0) continue;
    Sector bytes;
    if (dice == 1 && !style.stale.empty()) {
      const StaleSector& stale = style.stale[random->Below(style.stale.size())];
      // A file's own bytes at another place would be a misdirected write: another fault than this.
      if (stale.file == number) continue;
      bytes = *stale.bytes;
    } else {
      for (char& byte : bytes) byte = static_cast<char>(random->Next());
    }
    file->pages.Write(sector * kSectorBytes, SectorView(bytes));
  }
}

DiskImage DiskImage::AfterPowerCut(absl::Span<const UnsettledChange> unsettled,
                                   const std::vector<bool>& survives,
                                   const PowerCutStyle& style) const {
  PURE_CHECK(unsettled.size() == survives.size(), "one choice for each unsettled change");
  Random random(style.seed);
  DiskImage after;
  after.next_file_ = next_file_;
  after.names_ = NamesAfterPowerCut(unsettled, survives);
  after.durable_names_ = after.names_;
  for (const auto& [name, number] : after.names_) {
    const std::shared_ptr<FileState>& file = files_.at(number);
    after.files_[number] = file->settled() ? file : Undone(*file);
  }
  for (size_t i = 0; i < unsettled.size(); ++i) {
    const UnsettledChange& change = unsettled[i];
    if (!survives[i] || change.kind == UnsettledChange::Kind::kName) continue;
    const auto it = after.files_.find(change.file);
    if (it == after.files_.end()) continue;
    Redo(change, *files_.at(change.file), style.torn_edges ? &random : nullptr, it->second.get());
  }
  for (auto& [number, file] : after.files_) {
    if (style.garbage) {
      FillGarbage(number, style, &random, after.Mutable(number));
    }
    if (style.garbage || !files_.at(number)->settled()) {
      file->pages.Truncate(file->size_bytes);
      file->durable_bytes = file->size_bytes;
    }
  }
  return after;
}

DiskImage DiskImage::AfterRandomPowerCut(uint64_t seed) const {
  Random random(seed);
  const std::vector<UnsettledChange> unsettled = Unsettled();
  std::vector<bool> survives(unsettled.size());
  const uint64_t share = random.Below(5);  // of four: 0 loses all, 4 keeps all
  for (size_t i = 0; i < survives.size(); ++i) survives[i] = random.Below(4) < share;
  PowerCutStyle style;
  style.torn_edges = random.Below(4) == 0;
  style.garbage = random.Below(4) == 0;
  style.seed = random.Next();
  return AfterPowerCut(unsettled, survives, style);
}

// --- behind everybody's back ---

void DiskImage::Overwrite(uint32_t file, uint64_t offset, Bytes bytes) {
  if (bytes.empty()) return;
  FileState* state = Mutable(file);
  state->pages.Write(offset, bytes);
  const uint64_t end = offset + bytes.size();
  state->sectors.erase(state->sectors.lower_bound(offset / kSectorBytes),
                       state->sectors.upper_bound((end - 1) / kSectorBytes));
  state->size_bytes = std::max(state->size_bytes, end);
  state->durable_bytes = std::max(state->durable_bytes, end);
}

void DiskImage::Truncate(uint32_t file, uint64_t size_bytes) {
  FileState* state = Mutable(file);
  if (size_bytes >= state->size_bytes) return;
  state->pages.Truncate(size_bytes);
  state->sectors.erase(state->sectors.lower_bound(size_bytes / kSectorBytes), state->sectors.end());
  state->lengths.clear();
  state->size_bytes = size_bytes;
  state->durable_bytes = size_bytes;
}

void DiskImage::DropCache(uint32_t file, uint64_t seed) {
  Random random(seed);
  FileState* state = Mutable(file);
  for (auto it = state->sectors.begin(); it != state->sectors.end();) {
    const auto& [sector, history] = *it;
    if (!history.versions.back().doubtful) {
      ++it;
      continue;
    }
    const uint64_t choice = random.Below(history.versions.size() + 1);
    const Sector& chosen = choice == 0 ? *history.before : *history.versions[choice - 1].bytes;
    state->pages.Write(sector * kSectorBytes, SectorView(chosen));
    it = state->sectors.erase(it);
  }
}

void DiskImage::ForgetUnreachable(absl::FunctionRef<bool(uint32_t file)> is_open) {
  std::set<uint32_t> reachable;
  for (const auto& [name, file] : names_) reachable.insert(file);
  for (const auto& [name, file] : durable_names_) reachable.insert(file);
  for (const NameChange& change : name_changes_) reachable.insert(change.file);
  for (auto it = files_.begin(); it != files_.end();) {
    const bool keep = reachable.count(it->first) != 0 || is_open(it->first);
    it = keep ? std::next(it) : files_.erase(it);
  }
}

uint64_t DiskImage::UsedBytes(absl::FunctionRef<bool(uint32_t file)> is_open) const {
  std::set<uint32_t> named;
  for (const auto& [name, file] : names_) named.insert(file);
  uint64_t used_bytes = 0;
  for (const auto& [number, file] : files_) {
    if (named.count(number) == 0 && !is_open(number)) continue;
    used_bytes += (file->size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  }
  return used_bytes;
}

const DiskImage::FileState* DiskImage::Find(uint32_t file) const {
  const auto it = files_.find(file);
  PURE_CHECK(it != files_.end(), "a file of this image");
  return it->second.get();
}

DiskImage::FileState* DiskImage::Mutable(uint32_t file) {
  const auto it = files_.find(file);
  PURE_CHECK(it != files_.end(), "a file of this image");
  if (it->second.use_count() != 1) it->second = std::make_shared<FileState>(*it->second);
  return it->second.get();
}

}  // namespace pure::store
