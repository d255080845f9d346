#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace troupe {

/// What one thread did before pass() has happened for each thread after its later pass(). oneTBB
/// and CAF guarantee that for the work and the messages that they are given; but they are not
/// instrumented, and ThreadSanitizer takes each access to memory of another thread for a race.
/// Reports that are then suppressed still take so long, one for each element, that tests end in
/// their timeouts. Without ThreadSanitizer it does nothing.
class HappensBefore {
 public:
#if defined(__SANITIZE_THREAD__)
  void pass() { order_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  std::atomic<int> order_{0};
#else
  void pass() {}
#endif
};

/// The same work, after what this thread has done so far.
template <class Work>
auto after_now(Work work) {
#if defined(__SANITIZE_THREAD__)
  auto begun = std::make_shared<HappensBefore>();
  begun->pass();
  return [begun, work = std::move(work)]() mutable {
    begun->pass();
    return work();
  };
#else
  return work;
#endif
}

/// The same work, after what this thread has done so far, and before `done` is passed.
inline std::function<void()> in_order(std::function<void()> work, HappensBefore& done) {
#if defined(__SANITIZE_THREAD__)
  return after_now([&done, work = std::move(work)]() mutable {
    std::exchange(work, nullptr)();
    done.pass();
  });
#else
  return work;
#endif
}

}  // namespace troupe
