#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "troupe/devices/resources/reader/record_format.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// A reader in a container: it gives the records of one work unit (a file) after the other, and
/// gets the names of these from whoever reads. (TensorFlow: ReaderBase.)
///
/// RD-1: one call at a time uses it, in the order in which they asked for it.
/// RD-2: a call that waits for its turn is called back once: in its turn, by give_up() or by
/// drop().
class ReaderResource final : public Resource {
 public:
  static constexpr const char* kind_name = "reader";

  /// What a call that waited is told: it is its turn, or why it never comes.
  using Turn = std::function<void(Status)>;
  using CallId = uint64_t;
  /// What a call is told in its turn. Neither may call back.
  struct Signals {
    std::function<void()> dropped;  // the reader is dropped
    // A record was put back, so there is work, or none is to be put back any more.
    std::function<void()> put_back;
  };
  struct Record {
    std::string key, value;
    uint64_t number = 0;  // its place among all that were read
  };

  /// `name` is how errors call it: "TextLineReader 'lines'". `format` says how it reads.
  ReaderResource(std::string name, std::unique_ptr<RecordFormat> format);

  const char* kind() const override { return kind_name; }
  void drop() override;
  bool is_dropped() const override { return is_dropped_.load(std::memory_order_acquire); }
  Description describe() const override;
  const RecordFormat& format() const { return *format_; }

  // Thread-safe. Calls back without a lock held, and what is called is to be short.
  /// Asks for the turn.
  CallId enter(Turn turn, Signals signals);
  /// Ends a turn: the next call has it.
  void leave();
  /// Ends the wait for a turn with Cancelled; nothing where it does not wait any more.
  void give_up(CallId call);
  /// Puts records back that were read, to where they were: as if they had not been. Those from
  /// before a reset are lost.
  void put_back(std::vector<Record> records);
  /// Records are about to be put back, until what is returned is gone.
  static std::shared_ptr<void> await_return(std::shared_ptr<ReaderResource> reader);
  /// Whether records are about to be put back: what is out of work then is not at its end.
  bool is_returning() const;
  int64_t records_produced() const { return records_produced_.load(std::memory_order_relaxed); }
  int64_t work_units_completed() const { return work_finished_.load(std::memory_order_relaxed); }

  // Only by the one whose turn it is.
  bool has_work() const { return work_finished_ < work_started_ || has_returned(); }
  /// Begins a work unit, whose name is that of a file.
  Status begin(std::string work_unit);
  /// The first record that was put back, or the next one of the work unit. None at its end: then,
  /// or with its last record, the work unit is finished.
  Result<std::optional<Record>> read();
  /// Unimplemented for formats that cannot.
  Result<std::string> serialize_state() const;
  /// As serialize_state(); InvalidArgument: that is no state of a reader. After an error it is new.
  Status restore_state(const std::string& state);
  /// Makes it as if it had read nothing.
  void reset();

 private:
  struct Call {
    CallId id;
    Turn turn;
    Signals signals;
  };

  Status restore(const std::string& state);
  bool has_returned() const;
  std::optional<Record> take_returned();
  void forget_returned();
  void end_return();

  const std::string name_;
  const std::unique_ptr<RecordFormat> format_;
  std::string work_unit_;
  std::atomic<int64_t> work_started_ = 0, work_finished_ = 0, records_produced_ = 0;

  mutable std::mutex mutex_;
  std::map<uint64_t, Record> returned_;  // put back, by their numbers
  int64_t returning_ = 0;                // how many await_return()s there are
  uint64_t next_record_ = 0;
  uint64_t oldest_record_ = 0;  // since the last reset
  std::deque<Call> waiting_;
  Signals signals_;  // of the call whose turn it is
  bool is_used_ = false;
  CallId last_call_ = 0;
  std::atomic<bool> is_dropped_ = false;  // changes under the mutex
};

}  // namespace troupe
