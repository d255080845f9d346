#include "troupe/devices/resources/reader/reader.hpp"

#include <algorithm>
#include <utility>

#include "troupe/graph/proto/serialized.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {

ReaderResource::ReaderResource(std::string name, std::unique_ptr<RecordFormat> format)
    : name_(std::move(name)), format_(std::move(format)) {}

Resource::Description ReaderResource::describe() const {
  return {.dtype = DType::string, .shape = {}, .bytes = 0};
}

// -- turns

ReaderResource::CallId ReaderResource::enter(Turn turn, Signals signals) {
  CallId id;
  {
    std::lock_guard lock(mutex_);
    id = ++last_call_;
    if (!is_dropped_ && is_used_) {
      waiting_.push_back({id, std::move(turn), std::move(signals)});
      return id;
    }
    if (!is_dropped_) {
      is_used_ = true;
      signals_ = std::move(signals);
    }
  }
  turn(is_dropped() ? aborted("the reader is gone") : Status());
  return id;
}

void ReaderResource::leave() {
  Turn turn;
  {
    std::lock_guard lock(mutex_);
    signals_ = {};
    is_used_ = !waiting_.empty();
    if (!is_used_) return;
    turn = std::move(waiting_.front().turn);
    signals_ = std::move(waiting_.front().signals);
    waiting_.pop_front();
  }
  turn({});
}

void ReaderResource::give_up(CallId call) {
  Turn turn;
  {
    std::lock_guard lock(mutex_);
    auto found = std::ranges::find(waiting_, call, &Call::id);
    if (found == waiting_.end()) return;
    turn = std::move(found->turn);
    waiting_.erase(found);
  }
  turn(cancelled("the wait for the reader was cancelled"));
}

void ReaderResource::drop() {
  std::deque<Call> waiting;
  Signals signals;
  {
    std::lock_guard lock(mutex_);
    is_dropped_ = true;
    waiting.swap(waiting_);
    signals = std::exchange(signals_, {});
    returned_.clear();
  }
  if (signals.dropped) signals.dropped();
  for (auto& call : waiting) call.turn(aborted("the reader is gone"));
}

// -- reading

Status ReaderResource::begin(std::string work_unit) {
  work_unit_ = std::move(work_unit);
  auto status = format_->begin(work_unit_);
  if (status.ok()) ++work_started_;
  return status;
}

Result<std::optional<ReaderResource::Record>> ReaderResource::read() {
  if (auto returned = take_returned()) return returned;
  Record record;
  auto read = format_->read(record.key, record.value);
  if (!read) return read.status();
  using Read = RecordFormat::Read;
  if (*read == Read::only_record || *read == Read::end) {
    format_->end();
    work_finished_ = work_started_.load();
  }
  if (*read == Read::end) return std::optional<Record>();
  if (*read == Read::only_record) record.key = work_unit_;
  if (*read == Read::record) record.key = work_unit_ + ":" + record.key;
  ++records_produced_;
  std::lock_guard lock(mutex_);
  record.number = next_record_++;
  return std::optional(std::move(record));
}

bool ReaderResource::has_returned() const {
  std::lock_guard lock(mutex_);
  return !returned_.empty();
}

std::optional<ReaderResource::Record> ReaderResource::take_returned() {
  std::lock_guard lock(mutex_);
  if (returned_.empty()) return {};
  ++records_produced_;
  return std::move(returned_.extract(returned_.begin()).mapped());
}

void ReaderResource::put_back(std::vector<Record> records) {
  std::function<void()> tell;
  {
    std::lock_guard lock(mutex_);
    if (is_dropped_) return;
    for (auto& record : records) {
      auto number = record.number;
      if (number < oldest_record_) continue;
      returned_.emplace(number, std::move(record));
      --records_produced_;
    }
    if (!returned_.empty()) tell = signals_.put_back;
  }
  if (tell) tell();
}

std::shared_ptr<void> ReaderResource::await_return(std::shared_ptr<ReaderResource> reader) {
  {
    std::lock_guard lock(reader->mutex_);
    ++reader->returning_;
  }
  auto* resource = reader.get();
  return {resource, [reader = std::move(reader)](ReaderResource*) { reader->end_return(); }};
}

bool ReaderResource::is_returning() const {
  std::lock_guard lock(mutex_);
  return returning_ > 0;
}

void ReaderResource::end_return() {
  std::function<void()> tell;
  {
    std::lock_guard lock(mutex_);
    if (--returning_ == 0) tell = signals_.put_back;
  }
  if (tell) tell();
}

/// What is put back later is of another reading.
void ReaderResource::forget_returned() {
  std::lock_guard lock(mutex_);
  returned_.clear();
  oldest_record_ = next_record_;
}

void ReaderResource::reset() {
  format_->end();
  forget_returned();
  work_started_ = work_finished_ = records_produced_ = 0;
  work_unit_.clear();
}

Result<std::string> ReaderResource::serialize_state() const {
  if (!format_->has_state()) return unimplemented("Reader SerializeState");
  return serialize_reader_state(
      {.work_started = work_started_,
       .work_finished = work_finished_,
       .records_produced = records_produced_,
       .work_unit = work_unit_});
}

Status ReaderResource::restore_state(const std::string& state) {
  forget_returned();
  auto status = restore(state);
  if (!status.ok()) reset();
  return status;
}

Status ReaderResource::restore(const std::string& state) {
  if (!format_->has_state()) return unimplemented("Reader RestoreState");
  auto parsed = parse_reader_state(state);
  if (!parsed) return invalid_argument("Could not parse state for " + name_ + ": " + quote(state));
  auto describe = [&] {
    return "work_started: " + std::to_string(parsed->work_started) +
           " work_finished: " + std::to_string(parsed->work_finished) +
           " num_records_produced: " + std::to_string(parsed->records_produced) +
           " current_work: " + quote(parsed->work_unit);
  };
  if (parsed->work_started < 0 || parsed->work_finished < 0 || parsed->records_produced < 0)
    return invalid_argument(
        "Unexpected negative value when restoring in " + name_ + ": " + describe());
  if (parsed->work_started > parsed->work_finished)
    return invalid_argument(
        "Inconsistent work started vs. finished when restoring in " + name_ + ": " + describe());
  work_started_ = parsed->work_started;
  work_finished_ = parsed->work_finished;
  records_produced_ = parsed->records_produced;
  work_unit_ = std::move(parsed->work_unit);
  return {};
}

}  // namespace troupe
