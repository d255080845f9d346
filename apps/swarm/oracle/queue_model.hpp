#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/apps/swarm/oracle/call_span.hpp"
#include "troupe/apps/swarm/scenario_plan.hpp"

namespace troupe::swarm {

/// What may come out of a shared queue, given what its clients know: when their steps began and
/// how they ended. Elements are numbered in the order in which their puts begin. A method that is
/// told of an end returns the invariant that is violated, empty if none is.
///
/// QM-1: an element comes out once, unchanged, and only if it was put in. Once more if the task of
///       the queue may not have heard that the step which took it has succeeded.
/// QM-2: an element whose put was acknowledged comes out, unless its queue was lost, or a node of a
///       step that may have taken it has failed.
/// QM-3: elements come out in the order of the queue's kind.
/// QM-4: a queue has no more elements than its capacity, and a random one while it is open no less
///       than it is to keep.
/// QM-5: nothing is put into a queue that is closed, and what was lost does not come back.
class QueueModel {
 public:
  QueueModel(const SharedQueue& queue, bool has_faults) : queue_(queue), has_faults_(has_faults) {}

  const SharedQueue& queue() const { return queue_; }

  // What an element consists of, besides its number.
  static int64_t priority(int64_t number) { return number * 7 % 5; }
  /// How many numbers its payload has: of a padding queue, the elements of one put have as many.
  int64_t payload_length(int64_t number) const;

  size_t begin_put(int64_t count, sim::Time now);
  int64_t first_number(size_t put) const { return puts_[put].first; }
  std::string end_put(size_t put, bool ok, sim::Time ended);

  size_t begin_take(int64_t count, bool may_be_less, sim::Time now);
  /// While it runs, the step of that take has any number of other elements, too, which it puts
  /// back.
  void hold_more(size_t take) { takes_[take].holds_more = true; }
  std::string end_take(size_t take, const std::vector<int64_t>& numbers, sim::Time ended);
  /// What becomes of what a step had taken that has failed: it failed before it could take
  /// anything, or because there was too little; it is put back; or it may be gone, as one of its
  /// nodes failed.
  enum class Failure : uint8_t { takes_nothing, puts_back, may_lose };
  void fail_take(size_t take, Failure failure, sim::Time ended);
  /// Also before end_take().
  void leave_uncommitted(size_t take) { takes_[take].leave_uncommitted(); }
  sim::Time began_take(size_t take) const { return takes_[take].began; }

  void begin_close() { is_being_closed_ = true; }
  void end_close(sim::Time began, sim::Time ended);
  /// Whether a step may find the queue closed.
  bool may_be_closed() const { return is_being_closed_; }
  bool is_surely_closed() const { return closed_at_.has_value() && !is_doubtful_; }

  /// The queue was lost: see PutSpan::lose(). `surely`: and will not be lost once more by the same.
  void lose(sim::Time from, sim::Time to, bool surely);
  /// It may be lost at any time, by a reset that may still be under way.
  bool is_doubtful() const { return is_doubtful_; }
  /// No step has held anything of it at this time.
  void settle(sim::Time now);
  /// To be called when nothing is left in it.
  std::string check_drained() const;

  std::string describe_put(size_t put) const;
  std::string describe_take(size_t take) const;

 private:
  struct Put : PutSpan {
    int64_t first = 0;
    int64_t count = 0;
    bool has(int64_t number) const { return first <= number && number < first + count; }
  };
  struct Take : TakeSpan {
    int64_t count = 0;
    bool may_be_less = false;
    bool holds_more = false;
    bool takes_nothing = false;
    bool may_lose = false;
  };

  const Put* find_put(int64_t number) const;
  bool is_before(int64_t one, int64_t other) const;
  bool must_come_before(int64_t one, int64_t other) const;
  bool may_have_been_held(const Take& during) const;
  bool may_have_lost(const Take& take) const;
  int64_t most_during(const Take& take) const;
  std::string check_element(int64_t number, const Take& take) const;
  std::string check_order(const std::vector<int64_t>& numbers, const Take& take) const;
  std::string check_kept(const Take& take) const;
  std::string check_capacity() const;
  std::string named(const char* invariant, const std::string& text) const;

  const SharedQueue queue_;
  const bool has_faults_;
  std::vector<Put> puts_;
  std::vector<Take> takes_;
  std::map<int64_t, size_t> delivered_;  // by which take
  int64_t next_number_ = 0;
  bool is_being_closed_ = false;
  bool is_doubtful_ = false;
  sim::Time lost_at_{-1};
  std::optional<sim::Time> closed_at_;
};

}  // namespace troupe::swarm
