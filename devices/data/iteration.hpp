#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "troupe/devices/executor.hpp"

namespace troupe::data {

/// What the sources of one iteration over a dataset share. Thread-safe.
class Iteration {
 public:
  /// `seeds`: what seed() gives first.
  explicit Iteration(Device& device, std::vector<uint64_t> seeds = {})
      : shared_(std::make_shared<Shared>(device, std::move(seeds))) {}

  Device& device() const { return shared_->device; }

  /// The same iteration, for a part of the dataset whose elements may come in any order.
  std::shared_ptr<Iteration> without_order() const {
    auto part = std::make_shared<Iteration>(*this);
    part->keeps_order_ = false;
    return part;
  }
  /// The same iteration, for an input of a dataset that has several, or for one of those that a
  /// function makes.
  std::shared_ptr<Iteration> of_input(size_t number) const {
    auto part = std::make_shared<Iteration>(*this);
    part->path_.push_back(number);
    return part;
  }
  /// Whether elements that are computed beside each other come in their order, and not as soon as
  /// each is there.
  bool keeps_order() const { return keeps_order_; }

  /// Nobody wants its elements any more: buffers are filled no further, and calls of functions that
  /// wait for something are cancelled.
  void stop();
  bool is_stopped() const { return shared_->is_stopped.load(std::memory_order_acquire); }

  /// A call of a function that is under way.
  void add_call(const std::shared_ptr<Execution>& call);

  /// State that later iterations over the same part of the dataset go on with, by that part. It is
  /// made the first time, and lasts as long as the part: a function that makes a dataset for each
  /// element makes new parts each time.
  template <class T, class Make>
  std::shared_ptr<T> state_of(const std::shared_ptr<const void>& part, Make make) {
    return state_at<T>(part, {}, make);
  }
  /// As state_of(), where a part that is the input of several datasets, or several inputs of one,
  /// has a state for each: iterations over it there begin alike.
  template <class T, class Make>
  std::shared_ptr<T> state_of_input(const std::shared_ptr<const void>& part, Make make) {
    return state_at<T>(part, path_, make);
  }

  /// A random seed: the next of those that it began with, and behind them what `draw` makes.
  template <class Draw>
  uint64_t seed(const Draw& draw) {
    std::lock_guard lock(shared_->seeds_mutex);
    auto& [seeds, drawn] = shared_->seeds;
    if (drawn < seeds.size()) return seeds[drawn++];
    auto seed = draw();
    if (++drawn <= seeds_max) seeds.push_back(seed);
    return seed;
  }
  /// All that seed() has given, or will: an iteration that begins with them gives the same
  /// elements. Nothing where they were too many to keep.
  std::optional<std::vector<uint64_t>> seeds() const {
    std::lock_guard lock(shared_->seeds_mutex);
    const auto& [seeds, drawn] = shared_->seeds;
    if (drawn > seeds_max) return {};
    return seeds;
  }
  static constexpr size_t seeds_max = size_t{1} << 20;
  /// How many states are kept: with more datasets than that, made by a function for each element,
  /// a repetition of them begins anew.
  static constexpr size_t states_kept_max = size_t{1} << 18;

 private:
  /// A part of the dataset, and where it is an input: by the numbers of the inputs that lead there.
  using Place = std::pair<const void*, std::vector<size_t>>;
  struct State {
    std::weak_ptr<const void> part;  // gone: another part may have its address
    std::shared_ptr<void> value;
  };
  struct Seeds {
    std::vector<uint64_t> all;
    size_t drawn = 0;
  };
  struct Shared {
    Shared(Device& device, std::vector<uint64_t> seeds)
        : device(device), seeds{.all = std::move(seeds)} {}

    Device& device;
    std::mutex seeds_mutex;
    Seeds seeds;
    std::atomic<bool> is_stopped = false;
    std::mutex mutex;
    std::vector<std::weak_ptr<Execution>> calls;
    size_t calls_max = 16;  // when they are looked through for ended ones
    std::map<Place, State> states;
    size_t states_max = 16;  // when they are looked through for those of parts that are gone
  };

  template <class T, class Make>
  std::shared_ptr<T> state_at(
      const std::shared_ptr<const void>& part, const std::vector<size_t>& path, Make make) {
    std::lock_guard lock(shared_->mutex);
    auto& states = shared_->states;
    auto& states_max = shared_->states_max;
    if (states.size() >= states_max) {
      std::erase_if(states, [](const auto& each) { return each.second.part.expired(); });
      states_max = std::max(states_max, 2 * states.size());
      if (states.size() >= states_kept_max) return make();
    }
    auto& state = states[{part.get(), path}];
    if (!state.value || state.part.expired()) state = {.part = part, .value = make()};
    return std::static_pointer_cast<T>(state.value);
  }

  std::shared_ptr<Shared> shared_;
  bool keeps_order_ = true;
  std::vector<size_t> path_;
};

}  // namespace troupe::data
