#include "troupe/tests/cuda/emulated/blocks.hpp"

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

/// The threads of one block after the other.
class Blocks {
 public:
  void run(bool descending, const std::function<void()>& kernel) {
    kernel_ = &kernel;
    descending_ = descending;
    begun_ = 0;
    count_ = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    states_.assign(static_cast<size_t>(count_), State::running);
    flags_.assign(static_cast<size_t>(count_), 0);
    slots_.resize(static_cast<size_t>(count_) * 2);
    turns_.assign(static_cast<size_t>(count_), 0);
    std::vector<int> waiting;
    while (begun_ < count_) {
      auto fiber = idle_fiber();
      fiber_ = fiber.get();
      fiber->resume();
      keep(std::move(fiber), waiting);
    }
    while (!waiting.empty()) {
      let_go(waiting);
      for (auto thread : std::exchange(waiting, {})) {
        auto fiber = std::move(suspended_[static_cast<size_t>(thread)]);
        if (states_[static_cast<size_t>(thread)] == State::running) {
          enter(thread);
          fiber_ = fiber.get();
          fiber->resume();
        }
        thread_ = thread;
        keep(std::move(fiber), waiting);
      }
    }
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
  Slot& slot(int thread, int turn) { return slots_[static_cast<size_t>(thread * 2 + turn % 2)]; }

  std::unique_ptr<Fiber> idle_fiber() {
    if (idle_.empty()) return std::make_unique<Fiber>([this] { run_threads(); });
    auto fiber = std::move(idle_.back());
    idle_.pop_back();
    return fiber;
  }

  /// What a fiber does until its thread waits: one thread after the other.
  void run_threads() {
    while (begun_ < count_) {
      auto thread = descending_ ? count_ - 1 - begun_ : begun_;
      ++begun_;
      enter(thread);
      (*kernel_)();
      states_[static_cast<size_t>(thread)] = State::ended;
    }
  }

  void enter(int thread) {
    thread_ = thread;
    auto at = static_cast<unsigned>(thread);
    threadIdx = {at % blockDim.x, at / blockDim.x % blockDim.y, at / (blockDim.x * blockDim.y)};
  }

  /// The fiber of the present thread has been left: it waits, or has nothing more to do.
  void keep(std::unique_ptr<Fiber> fiber, std::vector<int>& waiting) {
    auto thread = static_cast<size_t>(thread_);
    if (states_[thread] == State::ended) return idle_.push_back(std::move(fiber));
    suspended_[thread] = std::move(fiber);
    waiting.push_back(thread_);
  }

  /// Ends the wait of those for whom all others have come.
  void let_go(const std::vector<int>& waiting) {
    auto all_at_block = true, any = false;
    bool is_whole[threads_max / warp_lanes];
    std::fill(std::begin(is_whole), std::end(is_whole), true);
    joined_flag_ = 0;
    for (auto thread : waiting) {
      auto state = states_[static_cast<size_t>(thread)];
      all_at_block &= state == State::at_block;
      joined_flag_ |= flags_[static_cast<size_t>(thread)] != 0;
      if (state != State::at_warp) is_whole[thread / warp_lanes] = false;
    }
    for (auto thread : waiting) {
      if (!all_at_block && !is_whole[thread / warp_lanes]) continue;
      states_[static_cast<size_t>(thread)] = State::running;
      any = true;
    }
    if (any) return;
    std::fprintf(stderr, "the threads of a block wait for each other in different places\n");
    std::abort();
  }

  const std::function<void()>* kernel_ = nullptr;
  bool descending_ = false;
  int count_ = 0, begun_ = 0, thread_ = 0, joined_flag_ = 0;
  Fiber* fiber_ = nullptr;  // that runs
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
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = {x, y, z};
        blocks().run(descending, kernel);
      }
}

int wait_for_block(int flag) { return blocks().wait(State::at_block, flag); }
void wait_for_warp() { blocks().wait(State::at_warp, 0); }
void leave_value(const void* value, size_t bytes) { blocks().leave_value(value, bytes); }
void read_value(int lane, void* value, size_t bytes) { blocks().read_value(lane, value, bytes); }
int current_lane() { return blocks().lane(); }

}  // namespace troupe::emulated
