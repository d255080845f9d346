#include "troupe/tests/cuda/emulated/blocks.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "troupe/tests/cuda/emulated/fiber.hpp"

constinit thread_local dim3 gridDim, blockDim, blockIdx, threadIdx;

namespace troupe::emulated {
namespace {

constexpr int warp_lanes = 32, threads_max = 1024;

/// Where a thread of the block is.
enum class State : uint8_t { running, at_block, at_warp, ended };

struct Slot {
  alignas(16) char bytes[16];
};

/// The threads of one block after the other, warp by warp: each goes on for as long as it can
/// before the next, so that it overwrites what others have still to read, where nothing stops it.
class Blocks {
 public:
  void run(bool descending, const std::function<void()>& kernel) {
    kernel_ = &kernel;
    descending_ = descending;
    count_ = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    states_.assign(static_cast<size_t>(count_), State::ended);
    flags_.assign(static_cast<size_t>(count_), 0);
    slots_.resize(static_cast<size_t>(count_) * 2);
    turns_.assign(static_cast<size_t>(count_), 0);
    each_warp([this](int first, int last) { begin(first, last); });
    while (release_block())
      each_warp([this](int first, int last) {
        resume(first, last);
        go_on(first, last);
      });
  }

  int wait(State where, int flag) {
    auto thread = thread_;
    states_[static_cast<size_t>(thread)] = where;
    flags_[static_cast<size_t>(thread)] = flag;
    fiber_->leave();
    return joined_flag_;
  }

  void leave_value(const void* value, size_t bytes) {
    std::memcpy(slot(thread_, ++turns_[static_cast<size_t>(thread_)]).bytes, value, bytes);
  }
  void read_value(int lane, void* value, size_t bytes) {
    auto source = thread_ / warp_lanes * warp_lanes + lane;
    if (source >= count_) return;
    // The lane may have come to its next exchange, but not to the one after that.
    std::memcpy(value, slot(source, turns_[static_cast<size_t>(thread_)]).bytes, bytes);
  }
  int lane() const { return thread_ % warp_lanes; }

 private:
  State& state(int thread) { return states_[static_cast<size_t>(thread)]; }
  Slot& slot(int thread, int turn) { return slots_[static_cast<size_t>(thread * 2 + turn % 2)]; }

  /// Calls f(first thread, last) for each warp.
  template <class F>
  void each_warp(const F& f) {
    auto warps = (count_ + warp_lanes - 1) / warp_lanes;
    for (int i = 0; i < warps; ++i) {
      auto first = (descending_ ? warps - 1 - i : i) * warp_lanes;
      f(first, std::min(first + warp_lanes, count_) - 1);
    }
  }

  void begin(int first, int last) {
    next_ = first;
    last_ = last;
    while (next_ <= last_) run_fiber(idle_fiber());
    go_on(first, last);
  }

  /// As far as the warp comes by itself.
  void go_on(int first, int last) {
    while (release(first, last, State::at_warp)) resume(first, last);
  }

  void resume(int first, int last) {
    for (int i = first; i <= last; ++i) {
      auto thread = descending_ ? first + last - i : i;
      if (state(thread) != State::running) continue;
      enter(thread);
      run_fiber(std::move(suspended_[thread]));
    }
  }

  /// Ends the wait of threads where all of them that have not ended wait in that place.
  bool release(int first, int last, State where) {
    auto any = false;
    for (int thread = first; thread <= last; ++thread) {
      if (state(thread) == State::ended) continue;
      if (state(thread) != where) return false;
      any = true;
    }
    for (int thread = first; thread <= last; ++thread)
      if (state(thread) == where) state(thread) = State::running;
    return any;
  }

  /// False: all threads have ended.
  bool release_block() {
    joined_flag_ = 0;
    for (auto flag : flags_) joined_flag_ |= flag != 0;
    if (release(0, count_ - 1, State::at_block)) return true;
    for (auto state : states_) {
      if (state == State::ended) continue;
      std::fprintf(stderr, "the threads of a block wait for each other in different places\n");
      std::abort();
    }
    return false;
  }

  std::unique_ptr<Fiber> idle_fiber() {
    if (idle_.empty()) return std::make_unique<Fiber>([this] { run_threads(); });
    auto fiber = std::move(idle_.back());
    idle_.pop_back();
    return fiber;
  }

  /// Until its thread waits, or there is nothing more for it to do.
  void run_fiber(std::unique_ptr<Fiber> fiber) {
    fiber_ = fiber.get();
    fiber->resume();
    if (state(thread_) == State::ended) idle_.push_back(std::move(fiber));
    else suspended_[thread_] = std::move(fiber);
  }

  /// What a fiber does: one thread of the warp after the other, until one waits.
  void run_threads() {
    while (next_ <= last_) {
      auto i = next_++;
      auto thread = descending_ ? i / warp_lanes * warp_lanes + last_ - i : i;
      state(thread) = State::running;
      enter(thread);
      (*kernel_)();
      state(thread) = State::ended;
      flags_[static_cast<size_t>(thread)] = 0;
    }
  }

  void enter(int thread) {
    thread_ = thread;
    auto at = static_cast<unsigned>(thread);
    threadIdx = {at % blockDim.x, at / blockDim.x % blockDim.y, at / (blockDim.x * blockDim.y)};
  }

  const std::function<void()>* kernel_ = nullptr;
  bool descending_ = false;
  int count_ = 0, thread_ = 0, joined_flag_ = 0;
  int next_ = 0, last_ = 0;  // of the warp that begins
  Fiber* fiber_ = nullptr;   // that runs
  std::vector<State> states_;
  std::vector<int> flags_, turns_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<Fiber>> idle_;
  std::unique_ptr<Fiber> suspended_[threads_max];
};

Blocks& blocks() {
  static thread_local Blocks all;
  return all;
}

}  // namespace

void run_grid(dim3 grid, dim3 block, const std::function<void()>& kernel) {
  static thread_local bool descending = false;
  descending = !descending;
  gridDim = grid;
  blockDim = block;
  auto count = uint64_t{grid.x} * grid.y * grid.z;
  for (uint64_t i = 0; i < count; ++i) {
    auto at = descending ? count - 1 - i : i;
    blockIdx = {
        static_cast<unsigned>(at % grid.x), static_cast<unsigned>(at / grid.x % grid.y),
        static_cast<unsigned>(at / grid.x / grid.y)};
    blocks().run(descending, kernel);
  }
}

int wait_for_block(int flag) { return blocks().wait(State::at_block, flag); }
void wait_for_warp() { blocks().wait(State::at_warp, 0); }
void leave_value(const void* value, size_t bytes) { blocks().leave_value(value, bytes); }
void read_value(int lane, void* value, size_t bytes) { blocks().read_value(lane, value, bytes); }
int current_lane() { return blocks().lane(); }

}  // namespace troupe::emulated
