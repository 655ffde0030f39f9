#include "store/committer.h"

#include <algorithm>

#include "runtime/check.h"
#include "store/planted_bug.h"
#include "store/segment.h"

namespace pure::store {

Result Committer::Commit(CommitRequest* request) {
  absl::MutexLock lock(&mutex_);
  request->done = false;
  queue_.push_back(request);
  while (!request->done) {
    if (led_ || others_turn_) {
      request->woken.Wait(&mutex_);
    } else {
      Lead();
    }
  }
  return request->result;
}

// As many waiting requests as one save holds, the longest waiting first.
void Committer::TakeGroup() {
  group_.clear();
  size_t bytes_left = save_bytes_max_;
  size_t entries_left = kFrameEntriesMax;
  for (CommitRequest* request : queue_) {
    Staging* staging = request->staging;
    const size_t bytes = staging->payload_bytes();
    const size_t entries = staging->entries().size();
    // The first fits in any case: a save of its own may be as long as its staging allows.
    if (!group_.empty() && (bytes > bytes_left || entries > entries_left)) break;
    bytes_left -= std::min(bytes, bytes_left);
    entries_left -= std::min(entries, entries_left);
    group_.push_back(request);
  }
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<ptrdiff_t>(group_.size()));
}

void Committer::LeadOnly(absl::FunctionRef<void()> work) {
  led_ = true;
  mutex_.Unlock();
  leader_.Assume();
  work();
  mutex_.Lock();
  led_ = false;
}

// Whoever waited longest leads next.
void Committer::WakeNext() {
  if (others_turn_) {
    led_no_more_.Signal();
  } else if (!queue_.empty()) {
    queue_.front()->woken.Signal();
  }
}

void Committer::Lead() {
  TakeGroup();
  Result result = Result::kOk;
  uint64_t commits = 0;
  LeadOnly([&] {
    leader_.Assume();
    result = Save();
    commits = commits_in_frame_;
  });
  if (result == Result::kOk && commits > 0) {
    ++groups_;
    grouped_commits_ += commits - 1;
  }
  for (CommitRequest* request : group_) {
    request->result = result;
    request->done = true;
    request->woken.Signal();  // the leader itself does not wait
  }
  WakeNext();
}

void Committer::BetweenSaves(absl::FunctionRef<void()> work) {
  absl::MutexLock lock(&mutex_);
  PURE_CHECK(!others_turn_, "one thread works between saves");
  others_turn_ = true;
  while (led_) led_no_more_.Wait(&mutex_);
  others_turn_ = false;
  LeadOnly(work);
  WakeNext();
}

void Committer::SealTail() {
  absl::MutexLock lock(&mutex_);
  if (led_ || others_turn_ || !queue_.empty()) return;
  LeadOnly([this] {
    leader_.Assume();
    (void)SaveNothing();
  });
  WakeNext();
}

Result Committer::Save() {
  FrameWriter::Size size;
  commits_in_frame_ = 0;
  records_.clear();
  if (log_->state() != StoreState::kOpen) return Result::kStorage;
  Result result = AddVersions(&size);
  if (result == Result::kOk && records_.empty()) return Result::kOk;  // all lost: no save
  Log::Place place;
  if (result == Result::kOk) result = log_->Reserve(size.frame_bytes(), purpose_, &place);
  if (Planted(Bug::kPublishBeforeSync) && result == Result::kOk) {
    index_->Publish(records_, place.seq);
    return Write(place, size);
  }
  if (result == Result::kOk) result = Write(place, size);
  if (result == Result::kOk) {
    index_->Publish(records_, place.seq);
    NoteLongLists();
  } else {
    Withdraw();
  }
  return result;
}

void Committer::NoteLongLists() {
  for (CommitRequest* request : group_) {
    for (const StagedEntry& entry : request->staging->entries()) {
      if (entry.record != nullptr && entry.parts_count >= long_list_) {
        note_long_list_(request->staging->key(entry));
      }
    }
  }
}

Result Committer::SaveNothing() {
  FrameWriter::Size size;
  group_.clear();
  records_.clear();
  if (!log_->WantsSeal() && !Planted(Bug::kSealAlways)) return Result::kOk;
  Log::Place place;
  Result result = log_->Reserve(size.frame_bytes(), Log::Purpose::kFreeSpace, &place);
  if (result == Result::kOk) result = Write(place, size);
  if (result == Result::kOk) index_->Publish({}, place.seq);
  return result;
}

namespace {

// Whether compaction is about to give back the segment of a stored part, so that its bytes have to
// be written again. Not when they are damaged: then they stay, and so does the segment.
bool IsLeft(const StoredExtent& extent) {
  return extent.segment->retiring() &&
         extent.segment->CheckExtent(extent.offset, extent.length, extent.checksum) ==
             Segment::Check::kSound;
}

}  // namespace

// Decides what each entry comes to, in the order of the queue, and adds the winners to the index,
// unseen.
Result Committer::AddVersions(FrameWriter::Size* size) {
  const uint64_t seq = index_->published() + 1;
  purpose_ = Log::Purpose::kFreeSpace;
  for (CommitRequest* request : group_) {
    Staging* staging = request->staging;
    bool in_frame = false;
    for (size_t i = 0; i < staging->entries().size(); ++i) {
      StagedEntry& entry = staging->entries()[i];
      Staged& staged = staging->results()[i];
      const Bytes key = staging->key(entry);
      entry.record = nullptr;
      staged.revision = entry.revision();
      staged.result = index_->Add(key,
                                  {.base = entry.base_revision,
                                   .moves = entry.moves,
                                   .seq = seq,
                                   .kind = entry.kind,
                                   .extent_count = entry.parts_count},
                                  &entry.record, &staged.revision);
      if (staged.result == Result::kConflict) continue;
      if (staged.result != Result::kOk) return staged.result;
      records_.push_back(entry.record);
      if (!entry.moves && entry.kind == EntryKind::kWrite) purpose_ = Log::Purpose::kWrite;
      size->AddEntry(key, entry.parts_count);
      for (StagedPart& part : staging->parts(entry)) {
        // What moves by itself has chosen what it has room for.
        const bool is_left = part.is_stored() && !entry.moves && IsLeft(part.stored);
        if (is_left) part.stored.segment = nullptr;
        if (!part.is_stored()) size->AddPayload(staging->pieces(part));
      }
      in_frame |= !entry.moves;
    }
    commits_in_frame_ += in_frame ? 1 : 0;
  }
  return Result::kOk;
}

Result Committer::Write(const Log::Place& place, const FrameWriter::Size& size) {
  PURE_CHECK(place.seq == index_->published() + 1, "index and log count the same saves");
  writer_.Begin({.segment = place.segment,
                 .offset = place.offset,
                 .seq = place.seq,
                 .previous_chain = place.previous_chain},
                size);
  for (CommitRequest* request : group_) {
    for (const StagedEntry& entry : request->staging->entries()) {
      if (entry.record != nullptr) AddEntry(*request->staging, entry, place.segment);
    }
  }
  const FrameHeader& header = writer_.Finish();
  return log_->Append(header, writer_.spans());
}

void Committer::AddEntry(const Staging& staging, const StagedEntry& entry, Segment* home) {
  extents_.clear();
  for (const StagedPart& part : staging.parts(entry)) {
    extents_.push_back(part.is_stored() ? part.stored
                                        : writer_.AddPayload(staging.pieces(part), part.data_crc));
  }
  writer_.AddEntry(staging.key(entry), entry.kind, entry.revision(), extents_);
  Index::Place(entry.record, home, extents_);
}

void Committer::Withdraw() {
  for (auto record = records_.rbegin(); record != records_.rend(); ++record) {
    index_->Withdraw(*record);
  }
}

uint64_t Committer::groups() const {
  absl::MutexLock lock(&mutex_);
  return groups_;
}

uint64_t Committer::grouped_commits() const {
  absl::MutexLock lock(&mutex_);
  return grouped_commits_;
}

}  // namespace pure::store
