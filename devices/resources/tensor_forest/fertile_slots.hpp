#pragma once

#include <memory>

#include "troupe/devices/resources/tensor_forest/hash_ordered_map.hpp"
#include "troupe/devices/resources/tensor_forest/stats/node_stats.hpp"

namespace troupe::forest {

/// What is known of each leaf of a tree that may be split.
class FertileSlots {
 public:
  /// Those of a checkpoint; of none, that of a tree that is one leaf. InvalidArgument: the
  /// parameters, or the statistics, are none.
  static Result<FertileSlots> make(std::shared_ptr<const Params> params, const FertileStats& stats);

  FertileStats store() const;

  /// InvalidArgument: the leaf has none.
  Result<NodeStats*> find(int32_t node);
  /// New ones of a leaf, in place of those that it has.
  Status allocate(int32_t node, int32_t depth);
  void clear(int32_t node) { slots_.erase(node); }

  size_t size() const { return slots_.size(); }
  const std::shared_ptr<const Params>& shared_params() const { return params_; }

 private:
  std::shared_ptr<const Params> params_;
  HashOrderedMap<std::unique_ptr<NodeStats>> slots_;
};

}  // namespace troupe::forest
