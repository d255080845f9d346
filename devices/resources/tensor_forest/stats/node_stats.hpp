#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "troupe/devices/resources/tensor_forest/decision.hpp"
#include "troupe/devices/resources/tensor_forest/fertile_stats.hpp"
#include "troupe/devices/resources/tensor_forest/params.hpp"

namespace troupe::forest {

/// What a leaf knows of examples that could tell how to split it best: candidates, each drawn for
/// an example, and what examples that came later would have done at each. (TensorFlow: GrowStats.)
class NodeStats {
 public:
  virtual ~NodeStats() = default;

  /// Those that the parameters ask for, of a leaf at that depth. InvalidArgument: the parameters
  /// are incomplete, or there are no such statistics.
  static Result<std::unique_ptr<NodeStats>> make(
      std::shared_ptr<const Params> params, int32_t depth);

  int32_t depth() const { return depth_; }
  /// Whether all candidates are there, so that examples count.
  virtual bool is_initialized() const;
  /// Whether enough was seen to split the leaf.
  virtual bool is_finished() const = 0;

  /// Adds a candidate that was drawn for an example, unless there are enough.
  Status add_candidate(
      const BinaryNode& split, const Examples& examples, const Targets& targets, int64_t example);
  virtual Status add_example(const Examples& examples, const Targets& targets, int64_t example) = 0;
  /// The best candidate, with what is known of both of its branches; nothing where all are useless.
  virtual std::optional<SplitCandidate> best_split() const = 0;

  /// What a checkpoint has of them. restore() is for new ones.
  virtual void store(FertileSlot& slot) const = 0;
  virtual Status restore(const FertileSlot& slot) = 0;

 protected:
  struct Sizes {
    int32_t split_after_samples = 0;
    int32_t splits_to_consider = 0;
  };

  NodeStats(std::shared_ptr<const Params> params, int32_t depth, const Sizes& sizes)
      : params_(std::move(params)), depth_(depth), sizes_(sizes) {}

  /// Makes room for what is known of a candidate.
  virtual Status add_split_stats() = 0;
  /// What else an example tells that a candidate was, or could have been, drawn for.
  virtual Status add_initial_example(
      const Examples& examples, const Targets& targets, int64_t example, bool is_new);
  Status add_split(const BinaryNode& split);

  size_t split_count() const { return splits_.size(); }
  bool has_all_splits() const;
  /// InvalidArgument where examples do not have the feature.
  Result<bool> goes_left(size_t split, const Examples& examples, int64_t example) const;
  const Params& params() const { return *params_; }
  const Sizes& sizes() const { return sizes_; }

  std::vector<BinaryNode> splits_;
  std::vector<Decision> decisions_;
  float weight_sum_ = 0;

 private:
  std::shared_ptr<const Params> params_;
  int32_t depth_;
  Sizes sizes_;
};

/// ResourceExhausted where so many numbers for each of so many candidates are too many for one
/// leaf.
Status check_room(size_t splits, int32_t outputs);
/// As many values as there are numbers.
Vector vector_of(const float* numbers, size_t count);
/// InvalidArgument unless there are at least `count` values.
Status check_count(const Vector& vector, size_t count);

}  // namespace troupe::forest
