#pragma once

#include <troupe_proto/tensor_slice.pb.h>

#include <optional>

#include "troupe/graph/proto/bundle_messages.hpp"
#include "troupe/graph/types/shape.hpp"

namespace troupe {

proto::TensorSliceProto slice_to_proto(const SliceExtents& extents);

/// The extents of a slice of a tensor of that shape; nothing where the message describes none.
std::optional<SliceExtents> slice_from_proto(
    const proto::TensorSliceProto& message, const Shape& shape);

}  // namespace troupe
