#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace troupe::emulated {

using Work = std::function<void()>;
using Works = std::vector<Work>;

class Stream;

/// A place in a stream, which is reached when all work before it is done.
class Point {
 public:
  /// `capture`: the stream in whose captured work it is; null: in none.
  explicit Point(Stream* capture) : capture_(capture) {}
  void reach();
  void wait();
  bool is_reached();
  Stream* capture() const { return capture_; }

 private:
  Stream* const capture_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_reached_ = false;
};

/// For ThreadSanitizer: what the host has seen the end of is before all that it starts later. Its
/// threads tell each other of it through mailboxes of CAF, of which the sanitizer sees nothing.
void note_seen_end();
void note_start();

/// Work that a thread does in order. What is put on it while it is captured is kept instead.
/// Thread-safe, but for capturing.
class Stream {
 public:
  Stream();
  Stream(const Stream&) = delete;
  /// Ends after the work.
  ~Stream();

  void put(Work work);
  std::shared_ptr<Point> record();
  /// As record(), also while the stream is captured: no part of what is.
  std::shared_ptr<Point> end_of_works();
  bool is_done();

  void begin_capture();
  bool is_captured() const { return captured_.has_value(); }
  /// For a call that captured work cannot have: end_capture() then gives nothing.
  void lose_capture() { is_lost_ = true; }
  std::optional<Works> end_capture();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> works_;  // the first runs
  bool has_ended_ = false;
  std::optional<Works> captured_;
  bool is_lost_ = false;
  std::thread thread_;
};

/// What cudaEvent_t points to: the place that was recorded last.
struct Event {
  std::shared_ptr<Point> point;
};

}  // namespace troupe::emulated
