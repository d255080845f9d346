#pragma once

#include <span>

#include "troupe/devices/cpu/parsing/features.hpp"
#include "troupe/devices/kernel.hpp"

// How the values of features become outputs.

namespace troupe::cpu {

/// A feature, and the place of its values: an example, or an example and an element of a list.
struct FeatureCell {
  std::array<int64_t, 2> place{};
  FeatureView feature;
};

/// The outputs of one sparse tensor.
struct SparseOutputs {
  int indices, values, shape;
};

/// Sets the outputs of a sparse tensor with the values of all cells. Its indices are the last
/// `outer.size()` parts of a cell's place and then the number of the value; its shape is `outer`
/// and the most values of a cell.
Status set_sparse(
    Launch& launch, const SparseOutputs& outputs, DType dtype, std::span<const FeatureCell> cells,
    std::span<const int64_t> outer);

/// A feature whose values are the elements of a dense tensor from `at` on.
struct PlacedFeature {
  int64_t at;
  FeatureView feature;
};

/// Sets an output of that shape. Elements that no feature has are those of `filling`, over and
/// over; without one they are 0 or "".
Status set_dense(
    Launch& launch, int output, DType dtype, const Shape& shape,
    std::span<const PlacedFeature> features, const Tensor* filling);

}  // namespace troupe::cpu
