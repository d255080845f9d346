#include "troupe/graph/proto/tensor_slice_proto.hpp"

namespace troupe {

proto::TensorSliceProto slice_to_proto(const SliceExtents& extents) {
  proto::TensorSliceProto message;
  for (const auto& extent : extents) {
    auto& added = *message.add_extent();
    if (extent.is_all()) continue;
    added.set_start(extent.start);
    added.set_length(extent.length);
  }
  return message;
}

std::optional<SliceExtents> slice_from_proto(
    const proto::TensorSliceProto& message, const Shape& shape) {
  if (message.extent_size() != shape.rank()) return {};
  SliceExtents extents;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto& extent = message.extent(axis);
    bool is_all = extent.has_length_case() != proto::TensorSliceProto::Extent::kLength ||
                  extent.length() == SliceExtent::all;
    extents.push_back(is_all ? SliceExtent{} : SliceExtent{extent.start(), extent.length()});
    if (is_all) continue;
    auto size = shape[axis];
    if (extent.start() < 0 || extent.length() < 0 || extent.start() > size ||
        extent.length() > size - extent.start())
      return {};
  }
  return extents;
}

}  // namespace troupe
