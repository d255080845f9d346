#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "troupe/graph/op.hpp"

// What the shape functions of the ops that parse examples share.

namespace troupe {

/// A list among the attributes or inputs of an op, for messages.
struct NamedLength {
  std::string name;
  int64_t length;
};

/// Fails, naming two lists, unless all of them have the same length: an entry for each feature.
Status need_same_lengths(std::initializer_list<NamedLength> lists);

/// Fails unless features can have these dtypes: float32, int64, string.
Status need_feature_types(const std::string& attr, const DTypes& dtypes);

/// The shapes of dense features: known but for their first size, where `allow_variable`, which then
/// tells an example from the next.
Status need_dense_shapes(const std::string& attr, const Shapes& shapes, bool allow_variable);

/// `front` sizes, then those of the shape.
Result<Shape> with_front(std::initializer_list<int64_t> front, const Shape& shape);

/// Sets the shapes of outputs one after the other.
class OutputShapes {
 public:
  explicit OutputShapes(ShapeInference& s) : s_(s) {}

  void add(const Shape& shape) { s_.set(next_++, shape); }
  /// The indices, values and shapes of `count` sparse tensors of that rank.
  void add_sparse(int64_t count, int64_t rank);
  /// An output for each shape, after `front` sizes.
  Status add_dense(std::initializer_list<int64_t> front, const Shapes& shapes);

 private:
  ShapeInference& s_;
  int next_ = 0;
};

/// The first size of an input that must be a vector, as far as it is known.
Result<int64_t> vector_length(const ShapeInference& s, int input);

}  // namespace troupe
