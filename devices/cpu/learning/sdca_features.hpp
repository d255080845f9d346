#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu::sdca {

/// L1 and L2 regularization of a linear model. The model's weights are those that are learned,
/// moved towards 0.
struct Regularization {
  float l2;
  float shrinkage;

  Regularization(float l1, float l2) : l2(l2), shrinkage(l1 / l2) {}

  double shrink(double weight) const {
    auto rest = std::abs(weight) - shrinkage;
    return rest > 0 ? std::copysign(rest, weight) : 0;
  }
};

/// The weighted sum of an example's features: by the weights before the batch, and with what it has
/// changed since, as many times as there are partitions.
struct Scores {
  double before = 0, now = 0;
};

/// One group of features of all examples of a batch, most of which an example lacks, and what the
/// batch changes of their weights. It refers to the memory of its tensors.
class SparseFeatures {
 public:
  struct Inputs {
    const Tensor& example_indices;
    const Tensor& feature_indices;
    const Tensor* values;  // null: all are 1
    const Tensor& weight_indices;
    const Tensor& weights;
  };

  /// `deltas` has the shape of the weights. Fails where an example has a feature twice, or one that
  /// has no weight.
  static Result<SparseFeatures> of(const Inputs& inputs, int64_t examples, Tensor& deltas);

  double squared_norm(int64_t example) const;
  Scores scores(int64_t example, float partitions, const Regularization& by) const;
  /// Adds the features, times `factor`, to the deltas.
  void add(int64_t example, double factor);

 private:
  SparseFeatures(const Inputs& inputs, Tensor& deltas);

  Status read_places(const Inputs& inputs, int64_t examples);
  std::span<const int64_t> places_of(int64_t example) const;
  double value(int64_t entry) const { return values_ ? values_[entry] : 1; }

  std::vector<int64_t> begins_;  // of the entries of each example, and their end
  std::vector<int64_t> places_;  // of the weights of entries
  const float* values_;
  const float* weights_;
  float* deltas_;
};

/// One group of features that all examples have.
class DenseFeatures {
 public:
  /// `features`: a row for each example. Fails where the weights are not as many as its columns.
  static Result<DenseFeatures> of(
      const Tensor& features, int64_t examples, const Tensor& weights, Tensor& deltas);

  double squared_norm(int64_t example) const;
  Scores scores(int64_t example, float partitions, const Regularization& by) const;
  void add(int64_t example, double factor);

 private:
  DenseFeatures(const float* rows, int64_t columns, const float* weights, float* deltas)
      : rows_(rows), columns_(columns), weights_(weights), deltas_(deltas) {}

  const float* row(int64_t example) const { return rows_ + example * columns_; }

  const float* rows_;
  int64_t columns_;
  const float* weights_;
  float* deltas_;
};

/// Shrinks all weights, of which `from` and `to` may be the same.
void shrink_all(const float* from, float* to, int64_t count, const Regularization& by);

}  // namespace troupe::cpu::sdca
