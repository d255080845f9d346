#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "troupe/devices/resources/queue/queue_activity.hpp"
#include "troupe/devices/resources/queue/queue_order.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// A queue in a container: elements that steps put in and take out, in the order of its kind.
/// Thread-safe. No call waits: who has to is called back. All callbacks come without a lock held,
/// in the call itself or on the thread of the one that makes them possible, and are to be short.
/// (TensorFlow: QueueInterface.)
///
/// QU-1: calls that wait are served in the order in which they came, enqueues and dequeues each.
/// QU-2: an element that was put in is given out once, or put back and given out again; it is lost
///       with the queue only.
/// QU-3: a call that waits ends by done(), give_up(), a close or drop(), and is called back once.
class QueueResource final : public Resource {
 public:
  static constexpr const char* kind_name = "queue";

  using Done = std::function<void(Status)>;
  /// What was dequeued, or why nothing was.
  using Taken = std::function<void(Result<QueueRuns>)>;
  /// Of a call that may wait; for give_up().
  using CallId = uint64_t;

  struct Dequeue {
    int64_t count = 1;
    bool may_be_less = false;  // where the queue is closed and has fewer, but at least one
  };

  explicit QueueResource(QueueSpec spec);

  const char* kind() const override { return kind_name; }
  const QueueSpec& spec() const { return spec_; }

  /// All that wait are called back with Aborted, and so are later calls.
  void drop() override;
  bool is_dropped() const override;
  Description describe() const override;
  std::optional<QueueUse> queue_use(std::chrono::nanoseconds now) const override;
  std::string state() const override;

  /// Puts elements in, in order, as room appears; waits for all of it. Cancelled once the queue is
  /// closed: what was put in until then stays. The elements must be checked (QueueSpec), and of a
  /// queue that keeps no batches each is a run of its own.
  CallId enqueue(QueueRuns runs, Done done, const QueueCaller& by = {});
  /// As enqueue() of one run, if that need not wait; else nothing, and the run is left as it was.
  std::optional<Status> try_enqueue(QueueRun& run, const QueueCaller& by = {});

  /// Takes elements out; waits for all of them. OutOfRange once the queue is closed and has too
  /// few, and then it keeps what it has.
  CallId dequeue(Dequeue wanted, Taken taken, const QueueCaller& by = {});
  /// As dequeue(), if that need not wait; else nothing.
  std::optional<Result<QueueRuns>> try_dequeue(Dequeue wanted, const QueueCaller& by = {});

  /// Ends that call with Cancelled, if it still waits. What it had taken is put back.
  void give_up(CallId call);
  /// Puts elements back that were taken out to where they were, even if the queue is full or
  /// closed: as if they had not been taken.
  void put_back(QueueRuns runs);

  /// Elements are about to be put back: until what is returned is gone, a queue that is closed and
  /// has too few elements lets dequeues wait, instead of saying that nothing will come.
  static std::shared_ptr<void> await_return(std::shared_ptr<QueueResource> queue);

  /// Closes the queue behind the enqueues that wait, or makes these fail with Cancelled. Cancelled
  /// if it is closed already and no enqueues are to fail.
  CallId close(bool cancels_enqueues, Done done, const QueueCaller& by = {});
  bool is_closed() const;
  int64_t size() const;

  /// Counts one who puts in or takes out again and again, for those who ask why nothing comes,
  /// until what is returned is gone.
  enum class Role : uint8_t { producer, consumer };
  static std::shared_ptr<void> attach(std::shared_ptr<QueueResource> queue, Role role);

 private:
  struct Producer {
    CallId id;
    std::deque<QueueRun> runs;
    bool closes;  // a close() that waits for those before it
    Done done;
    QueueCaller by;
    std::chrono::nanoseconds since{0};
  };
  struct Consumer {
    CallId id;
    Dequeue wanted;
    int64_t missing;
    QueueRuns taken;
    Taken done;
    QueueCaller by;
    std::chrono::nanoseconds since{0};
  };
  /// Callbacks that are to be made once the lock is released.
  using Calls = std::vector<std::function<void()>>;

  bool advance_producers(Calls& calls);
  bool advance_consumers(Calls& calls);
  void advance(Calls& calls);
  bool put_in(Producer& producer);
  int64_t room_for(const QueueRun& run) const;
  std::optional<Status> end_of(Producer& producer);
  std::optional<Status> end_of(Consumer& consumer);
  int64_t available() const;
  bool is_at_end() const { return is_closed_ && returning_ == 0; }
  void end_return();
  void take_back(Consumer& consumer);
  std::string describe_waiting() const;
  std::atomic<int64_t>& attached(Role role) {
    return role == Role::producer ? attached_producers_ : attached_consumers_;
  }
  Status too_few(int64_t requested, int64_t size) const;
  Status closed() const;
  Status gone() const;
  static void finish(Producer& producer, Status status, Calls& calls);
  static void finish(Consumer& consumer, Status status, Calls& calls);

  const QueueSpec spec_;
  mutable std::mutex mutex_;
  const std::unique_ptr<QueueOrder> elements_;
  QueueActivity enqueued_, dequeued_;
  std::deque<Producer> producers_;
  std::deque<Consumer> consumers_;
  std::atomic<int64_t> attached_producers_ = 0, attached_consumers_ = 0;
  CallId last_call_ = 0;
  bool is_closed_ = false;
  int64_t returning_ = 0;                 // how many await_return()s there are
  std::atomic<bool> is_dropped_ = false;  // changes under the mutex
};

}  // namespace troupe
