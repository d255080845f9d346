#pragma once

#include <string>
#include <vector>

#include "troupe/graph/proto/bundle_messages.hpp"
#include "troupe/graph/types/dtype.hpp"
#include "troupe/graph/types/shape.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

// The messages of a checkpoint of format V1 (saved_tensor_slice.proto) as bytes and as values.

namespace troupe {

/// A tensor, and which slices of it there are.
struct SlicedTensor {
  std::string name;
  DType dtype = DType::invalid;
  Shape shape;
  std::vector<SliceExtents> slices;
};

std::string serialize_sliced_tensors(const std::vector<SlicedTensor>& tensors);
/// DataLoss where the bytes are no such message, or describe no tensors; Unimplemented for dtypes
/// that no tensor of ours has; InvalidArgument where readers like this are too old.
Result<std::vector<SlicedTensor>> parse_sliced_tensors(const std::string& bytes);

/// Unimplemented for dtypes that the format does not have, InvalidArgument for a slice of 2 GiB.
Result<std::string> serialize_slice(
    const std::string& name, const SliceExtents& extents, const Tensor& value);
/// DataLoss where the bytes are no such message, or have not as many values as the shape.
Result<Tensor> parse_slice(const std::string& bytes, DType dtype, const Shape& shape);

}  // namespace troupe
