#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <functional>

namespace troupe::emulated {

/// A function with a stack of its own, which is left and gone on with: calls `run` for the first
/// time at resume(), and again at each resume() after its end. All calls are of one thread.
class Fiber {
 public:
  explicit Fiber(std::function<void()> run);
  Fiber(const Fiber&) = delete;
  ~Fiber();

  /// Goes on with it until it leaves, or `run` ends.
  void resume();
  /// From within: goes back to who resumed it.
  void leave();

 private:
  /// Where a stack was left.
  struct Place {
    ucontext_t context;  // at its begin, or as sanitizers want it
    jmp_buf jump;
    bool has_jump = false;
  };
  static void swap(Place& from, Place& to);
  static void begin(unsigned low, unsigned high);
  void loop();

  std::function<void()> run_;
  char* stack_;
  Place own_{}, caller_{};
  // What sanitizers are told of the stacks.
  const void* caller_stack_ = nullptr;
  size_t caller_stack_bytes_ = 0;
  void* own_fake_stack_ = nullptr;
  void* thread_sanitizer_own_ = nullptr;
  void* thread_sanitizer_caller_ = nullptr;
};

}  // namespace troupe::emulated
