#pragma once

#include <troupe_proto/tensor.pb.h>

#include "troupe/graph/proto/serialized.hpp"
#include "troupe/graph/types/shape.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// The shape that a message describes, as far as it is known. InvalidArgument names what no shape
/// can have: a size below -1, too many dimensions, dimensions beside an unknown rank.
Result<Shape> shape_from_proto(const proto::TensorShapeProto& message);
proto::TensorShapeProto shape_to_proto(const Shape& shape);

/// The dtype of that number. InvalidArgument names one that no tensor of ours has: quantized
/// numbers, variants, references, numbers that are none.
Result<DType> dtype_from_proto(proto::DataType dtype);
proto::DataType dtype_to_proto(DType dtype);

/// The tensor that a message describes. Values beyond the elements are ignored, a message without
/// any value is one of zeros or empty strings. InvalidArgument where the shape is not known, the
/// dtype is not one of a value, or tensor_content does not fit them; ResourceExhausted where the
/// tensor would take more than `max_bytes`, before it takes any.
Result<Tensor> tensor_from_proto(
    const proto::TensorProto& message, size_t max_bytes = max_tensor_bytes_of_proto);

/// The message that describes a tensor, which must not hold handles of resources.
proto::TensorProto tensor_to_proto(const Tensor& tensor, StringsIn strings = StringsIn::field);

}  // namespace troupe
