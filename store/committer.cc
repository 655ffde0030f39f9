#include "store/committer.h"

#include "runtime/check.h"

namespace pure::store {

Result Committer::Commit(CommitRequest* request) {
  absl::MutexLock lock(&mutex_);
  request->done = false;
  queue_.push_back(request);
  while (!request->done) {
    if (led_) {
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
    if (staging->payload_bytes() > bytes_left || staging->entries().size() > entries_left) break;
    bytes_left -= staging->payload_bytes();
    entries_left -= staging->entries().size();
    group_.push_back(request);
  }
  PURE_CHECK(!group_.empty(), "each staging fits into a save of its own");
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<ptrdiff_t>(group_.size()));
}

void Committer::Lead() {
  led_ = true;
  TakeGroup();
  mutex_.Unlock();
  leader_.Assume();
  const Result result = Save();
  const uint64_t commits = commits_in_frame_;
  mutex_.Lock();
  led_ = false;
  if (result == Result::kOk && commits > 0) {
    ++groups_;
    grouped_commits_ += commits - 1;
  }
  for (CommitRequest* request : group_) {
    request->result = result;
    request->done = true;
    request->woken.Signal();  // the leader itself does not wait
  }
  if (!queue_.empty()) queue_.front()->woken.Signal();  // it leads next
}

Result Committer::Save() {
  FrameWriter::Size size;
  commits_in_frame_ = 0;
  records_.clear();
  if (log_->state() != StoreState::kOpen) return Result::kStorage;
  Result result = AddVersions(&size);
  if (result == Result::kOk && records_.empty()) return Result::kOk;  // all lost: no save
  Log::Place place;
  if (result == Result::kOk) result = log_->Reserve(size.frame_bytes(), &place);
  if (result == Result::kOk) result = Write(place, size);
  if (result == Result::kOk) {
    index_->Publish(records_, place.seq);
  } else {
    Withdraw();
  }
  return result;
}

// Decides what each entry comes to, in the order of the queue, and adds the winners to the index,
// unseen.
Result Committer::AddVersions(FrameWriter::Size* size) {
  const uint64_t seq = index_->published() + 1;
  for (CommitRequest* request : group_) {
    Staging* staging = request->staging;
    bool in_frame = false;
    for (size_t i = 0; i < staging->entries().size(); ++i) {
      StagedEntry& entry = staging->entries()[i];
      Staged& staged = staging->results()[i];
      const Bytes key = staging->key(entry);
      entry.record = nullptr;
      staged.revision = entry.base_revision + 1;
      staged.result = index_->Add(key, entry.base_revision, seq, entry.kind,
                                  entry.size_bytes > 0 ? 1 : 0, &entry.record, &staged.revision);
      if (staged.result == Result::kConflict) continue;
      if (staged.result != Result::kOk) return staged.result;
      records_.push_back(entry.record);
      size->AddEntry(key, staging->pieces(entry));
      in_frame = true;
    }
    commits_in_frame_ += in_frame ? 1 : 0;
  }
  return Result::kOk;
}

Result Committer::Write(const Log::Place& place, const FrameWriter::Size& size) {
  PURE_CHECK(place.seq == index_->published() + 1, "index and log count the same saves");
  writer_.Begin({.segment = place.segment,
                 .uuid = place.segment->uuid(),
                 .segment_id = place.segment->id(),
                 .salt = place.segment->salt(),
                 .offset = place.offset,
                 .seq = place.seq,
                 .previous_chain = place.previous_chain},
                size);
  for (CommitRequest* request : group_) {
    Staging* staging = request->staging;
    for (const StagedEntry& entry : staging->entries()) {
      if (entry.record == nullptr) continue;
      writer_.AddEntry(staging->key(entry), entry.kind, entry.base_revision + 1,
                       staging->pieces(entry), entry.data_crc,
                       entry.size_bytes > 0 ? Index::extents(entry.record).data() : nullptr);
    }
  }
  const FrameHeader& header = writer_.Finish();
  return log_->Append(header, writer_.spans());
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
