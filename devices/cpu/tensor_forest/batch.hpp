#pragma once

#include <span>
#include <vector>

#include "troupe/devices/cpu/tensor_forest/inputs.hpp"
#include "troupe/devices/resources/tensor_forest/fertile_slots.hpp"

namespace troupe::cpu {

/// A batch of examples on its way into what is known of the leaves that they got to. Candidates are
/// drawn one after the other, in the order of one thread of TensorFlow; then each leaf takes the
/// other examples by itself, beside the others.
class ForestBatch {
 public:
  ForestBatch(
      forest::FertileSlots& slots, const forest::Examples& examples, const forest::Targets& targets,
      forest::FeatureSampler& sampler)
      : slots_(slots), examples_(examples), targets_(targets), sampler_(sampler) {}

  /// InvalidArgument: a leaf is none, or an example lacks a feature or has no class.
  Status add(std::span<const int32_t> leaf_ids);
  /// All examples of a leaf at once: those that come while it gets its last candidate do not count.
  Status add_by_leaf(std::span<const int32_t> leaf_ids);

  /// The leaves that have seen enough, in TensorFlow's order.
  std::vector<int32_t> finished() const;

 private:
  /// A leaf, the examples that it has still to take, and since when it has seen enough.
  struct Leaf {
    forest::NodeStats* stats = nullptr;
    std::vector<int64_t> pending;
    int64_t finished_at = -1;
  };

  /// InvalidArgument, and nothing is changed: one is no leaf.
  Status find_leaves(std::span<const int32_t> leaf_ids);
  Status draw_candidate(forest::NodeStats& stats, int64_t example);
  Status take_pending(bool by_leaf);

  forest::FertileSlots& slots_;
  const forest::Examples& examples_;
  const forest::Targets& targets_;
  forest::FeatureSampler& sampler_;
  forest::HashOrderedMap<Leaf> leaves_;
};

}  // namespace troupe::cpu
