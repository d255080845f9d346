#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "troupe/devices/stream.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe::accelerator {

/// Calls back when events of one stream are reached, by a thread of its own, which sleeps while no
/// event is waited for. (A host function in the stream would hold up the work behind it, and is not
/// called after an error of the card.)
class Completions {
 public:
  /// Waits until the event is reached, and returns the card's error. It may be called after the
  /// Completions have ended.
  using Wait = std::function<Status(const Event&)>;

  explicit Completions(Wait wait);
  /// Calls all that are left, and waits for that unless one of them ends it.
  ~Completions();

  /// In the order of the calls.
  void add(Event event, std::function<void(Status)> then);
  /// Waits until all that were added so far have returned. Not from one of them.
  void finish();

 private:
  struct Shared;
  static void run(const std::shared_ptr<Shared>& shared);

  const std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace troupe::accelerator
