#pragma once

#include <cstdint>
#include <utility>

namespace troupe {

/// While it exists, an executor runs nodes on this thread, and whoever sends what they send may
/// keep it for a while, so that values for one receiver share a message. Of one thread; those of
/// nested executors are a stack.
class SendScope {
 public:
  using Flush = void (*)();
  /// What was sent waits for no more work than that.
  static constexpr int64_t kept_ns_max = 20'000;

  SendScope() : outer_(std::exchange(innermost(), this)) {}
  SendScope(const SendScope&) = delete;
  ~SendScope() {
    flush();
    innermost() = outer_;
  }

  /// That of this thread; null where there is none.
  static SendScope* current() { return innermost(); }

  /// Something was kept: `flush` is called soon, once, on this thread.
  void keep(Flush flush) { flush_ = flush; }
  /// To be called before that much work is done.
  void note_work(int64_t ns) {
    if (flush_ && (waited_ns_ += ns) > kept_ns_max) this->flush();
  }
  void flush() {
    waited_ns_ = 0;
    if (auto* flush = std::exchange(flush_, nullptr)) flush();
  }

 private:
  static SendScope*& innermost() {
    thread_local SendScope* scope = nullptr;
    return scope;
  }

  SendScope* const outer_;
  Flush flush_ = nullptr;
  int64_t waited_ns_ = 0;
};

}  // namespace troupe
