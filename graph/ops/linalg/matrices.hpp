#pragma once

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::linalg {

/// Whether operands of a product are adjoint: transposed and, where complex, conjugated.
struct Adjoint {
  bool x = false, y = false;
};

/// The products of matrices in batches.
Value product(const Builder& b, const Value& x, const Value& y, Adjoint adjoint = {});

/// The matrices of a batch, transposed and, where complex, conjugated.
Value adjoint(const Builder& b, const Value& x);

/// All axes but the last `count`. Fails, naming the input, where it has fewer.
Result<Shape> batches_of(const ShapeInference& s, int index, int count = 2);

/// `batches` with some further axes; of unknown rank where the batches are.
Result<Shape> append(const Shape& batches, std::initializer_list<int64_t> sizes);

/// The size of an axis counted from the last, 1; unknown where the rank is.
int64_t size_from_end(const Shape& shape, int back);

}  // namespace troupe::linalg
