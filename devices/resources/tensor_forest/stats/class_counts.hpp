#pragma once

#include <memory>
#include <utility>

#include "troupe/devices/resources/tensor_forest/stats/node_stats.hpp"

namespace troupe::forest {

/// The weights of the classes that were seen at a leaf, and on both sides of each candidate.
class ClassCounts {
 public:
  virtual ~ClassCounts() = default;

  /// InvalidArgument: there are no such statistics.
  static Result<std::unique_ptr<ClassCounts>> make(const Params& params);

  virtual Status add_split() = 0;
  virtual void remove_split(size_t split) = 0;
  virtual void add_left(size_t split, int32_t label, float weight) = 0;
  virtual void add_right(size_t, int32_t, float) {}
  /// After those of all candidates.
  virtual void add_total(int32_t label, float weight) = 0;

  /// Whether at most one class was seen.
  virtual bool is_pure() const = 0;
  virtual float left(size_t split, int32_t label) const = 0;
  virtual float right(size_t split, int32_t label) const = 0;

  /// Of the weights of one side.
  struct Sums {
    float sum = 0;
    float square = 0;
  };
  /// Left and right.
  virtual std::pair<Sums, Sums> sums(size_t split) const = 0;

  /// What leaves get that a split makes.
  virtual std::pair<ClassificationStat, ClassificationStat> sides(size_t split) const = 0;

  // What a checkpoint has. Counts that are restored are new ones.
  virtual void store_total(LeafStat& stat) const = 0;
  virtual void store_split(size_t split, SplitCandidate& candidate) const = 0;
  virtual Status restore_total(const LeafStat& stat) = 0;
  /// Adds to `weights` those of the left side.
  virtual Status restore_split(
      size_t split, const SplitCandidate& candidate, std::vector<float>& weights) = 0;
};

// The kinds of counts.
std::unique_ptr<ClassCounts> make_dense_counts(int32_t classes);
std::unique_ptr<ClassCounts> make_sparse_counts();
/// Counts `tracked` of the classes, those that seem to weigh most.
std::unique_ptr<ClassCounts> make_space_saving_counts(int32_t classes, int32_t tracked);

/// What statistics say of classes; empty where they say nothing.
const ClassificationStat& classification_of(const LeafStat& stat);
const SparseVector& sparse_counts_of(const LeafStat& stat);

}  // namespace troupe::forest
