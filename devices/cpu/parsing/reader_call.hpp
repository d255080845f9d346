#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "troupe/devices/kernel.hpp"
#include "troupe/devices/resources/queue/queue.hpp"
#include "troupe/devices/resources/reader/reader.hpp"

namespace troupe::cpu {

/// One launch that uses a reader: it waits for its turn, works on a thread of the device, and may
/// wait for a queue in between. Lives as long as any of these calls it back.
class ReaderCall : public std::enable_shared_from_this<ReaderCall> {
 public:
  ReaderCall(Launch& launch, Kernel::Done done);
  virtual ~ReaderCall() = default;

  /// Waits for the turn of the reader that is input 0, and then works.
  void start();

 protected:
  ReaderResource& reader() const { return *reader_; }
  Launch& launch() const { return launch_; }
  /// Works in the reader's turn, on a thread of the device: ends by finish() or wait_for_work().
  virtual void work() = 0;
  /// Has the records read again, by others, if the step does not end as it should.
  void put_back_unless_done(
      const Tensor& keys, const Tensor& values, std::vector<uint64_t> numbers);
  /// Gives the turn up and is done.
  void finish(const Status& status);
  /// Begins the work unit that the queue of input 1 gives next, and works again.
  void wait_for_work();
  /// Whether nobody wants the result any more.
  bool is_cancelled();

 private:
  void cancel();
  void look_again();
  bool wait_for_return();
  void take(Result<QueueRuns> runs);
  Status begin(const QueueRuns& runs);
  Status explain(const Status& status) const;

  Launch& launch_;
  Kernel::Done done_;
  // What is used after the launch is owned.
  std::shared_ptr<ReaderResource> reader_;
  std::shared_ptr<Resource> queue_owner_;
  QueueResource* queue_ = nullptr;

  std::mutex mutex_;
  bool is_cancelled_ = false;
  bool waits_for_return_ = false;
  ReaderResource::CallId turn_ = 0;
  QueueResource::CallId dequeue_ = 0;
};

}  // namespace troupe::cpu
