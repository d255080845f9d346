#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "troupe/devices/plan.hpp"

namespace troupe {

/// How many edges the nodes of a frame still wait for, in one iteration. Thread-safe.
///
/// A Merge waits for its control inputs and for one value that is not dead, or for all its inputs
/// if all are dead. One that a dead value enters is dead, as the loop does not run.
class PendingCounts {
 public:
  enum class State : uint8_t { waits, ready, dead };

  /// Of the items from `first_item` on.
  PendingCounts(std::span<const uint64_t> initial, int32_t first_item)
      : first_item_(first_item), counts_(new std::atomic<uint64_t>[initial.size()]) {
    reset(initial);
  }

  void reset(std::span<const uint64_t> initial) {
    for (size_t i = 0; i < initial.size(); ++i)
      counts_[i].store(initial[i], std::memory_order_relaxed);
  }

  /// A Merge counts 2 for each control input, and 1 for the value.
  static uint64_t initial(const Plan::NodeItem& item) {
    if (!item.merges) return static_cast<uint64_t>(item.waits_for);
    return 1 + 2 * static_cast<uint64_t>(item.waits_for - item.input_count);
  }

  /// Whether this value, which is not dead, is the first of that Merge, and so the one that it
  /// takes: it must be in its slot before arrive().
  bool claim(int32_t merge, bool alone) {
    auto& count = count_of(merge);
    if (!alone) return (count.fetch_or(claimed, std::memory_order_acq_rel) & claimed) == 0;
    auto before = count.load(std::memory_order_relaxed);
    count.store(before | claimed, std::memory_order_relaxed);
    return (before & claimed) == 0;
  }

  /// An edge has brought a value, or the end of a node. Of the values of a Merge that are not dead,
  /// only the one that was claimed. `alone`: no other thread works on the step.
  State arrive(const Plan& plan, const Plan::Edge& edge, bool is_dead, bool alone) {
    if (edge.merges) return arrive_at_merge(plan.items()[edge.node], edge, is_dead, alone);
    // The executor sees dead values in the slots.
    auto is_dead_control = is_dead && edge.slot < 0;
    if (edge.is_only) return is_dead_control ? State::dead : State::ready;
    auto before = add(count_of(edge.node), is_dead_control ? dead_unit - 1 : ~uint64_t{0}, alone);
    if (static_cast<uint32_t>(before) != 1) return State::waits;
    return is_dead_control || (before >> dead_shift) > 0 ? State::dead : State::ready;
  }

 private:
  /// Returns the value before. Where the thread is alone, by a plain load and store, which take a
  /// fifth of the time of an atomic addition.
  static uint64_t add(std::atomic<uint64_t>& count, uint64_t change, bool alone) {
    if (!alone) return count.fetch_add(change, std::memory_order_acq_rel);
    auto before = count.load(std::memory_order_relaxed);
    count.store(before + change, std::memory_order_relaxed);
    return before;
  }

  // The low half counts what is awaited, the high half dead inputs.
  static constexpr int dead_shift = 32;
  static constexpr uint64_t dead_unit = uint64_t{1} << dead_shift;
  static constexpr uint64_t claimed = uint64_t{1} << 63;

  State arrive_at_merge(
      const Plan::NodeItem& item, const Plan::Edge& edge, bool is_dead, bool alone) {
    auto is_value = edge.slot >= 0;
    auto dead_inputs = edge.enters ? static_cast<uint64_t>(item.input_count) : 1;
    auto change = !is_value ? ~uint64_t{1} : is_dead ? dead_inputs * dead_unit : ~uint64_t{0};
    auto now = add(count_of(edge.node), change, alone) + change;
    auto awaited = static_cast<uint32_t>(now);
    // A dead value that comes after the one that was taken changes nothing.
    if (awaited == 0) return is_value && is_dead ? State::waits : State::ready;
    auto dead_count = (now & ~claimed) >> dead_shift;
    if (awaited == 1 && dead_count >= static_cast<uint64_t>(item.input_count)) return State::dead;
    return State::waits;
  }

  std::atomic<uint64_t>& count_of(int32_t item) { return counts_[item - first_item_]; }

  const int32_t first_item_;
  const std::unique_ptr<std::atomic<uint64_t>[]> counts_;
};

}  // namespace troupe
