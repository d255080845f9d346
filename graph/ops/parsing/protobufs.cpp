#include <vector>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The shape with one more axis.
Result<Shape> with_axis(const Shape& shape, int64_t size) {
  if (!shape.has_rank()) return Shape::unknown_rank();
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  sizes.push_back(size);
  return Shape::make(sizes);
}

Status infer_decoded(ShapeInference& s) {
  const auto& dtypes = s.attr<DTypes>("output_types");
  for (size_t i = 0; i <= dtypes.size(); ++i) {
    auto shape = with_axis(s.input(0), i == 0 ? std::ssize(dtypes) : Shape::unknown);
    if (!shape) return shape.status();
    s.set(static_cast<int>(i), *shape);
  }
  return {};
}

/// The shape without the last axis, which all values have.
Status infer_encoded(ShapeInference& s) {
  auto messages = Shape::unknown_rank();
  for (int i = 1; i < s.input_count(); ++i) {
    const auto& value = s.input(i);
    if (!value.has_rank()) continue;
    if (value.rank() < 2)
      return invalid_argument(
          "input " + std::to_string(i) + " must have rank 2 at least, but its shape is " +
          value.to_string());
    auto merged = messages.merge(Shape(value.sizes().first(value.sizes().size() - 1)));
    if (!merged) return merged.status();
    messages = *merged;
  }
  s.set(0, messages);
  return {};
}

}  // namespace

void add_protobufs_ops(OpCatalog& catalog) {
  catalog.add(Op("DecodeProtoV2")
      .doc("The fields of messages of protobuf: of each a tensor with a last axis for its values, "
           "filled up by the field's default; and how many values each message has of each field. "
           "The descriptors are a FileDescriptorSet: a file, or \"bytes://\" and its bytes; or "
           "\"local://\" for messages of TensorFlow.")
      .input("bytes", DType::string)
      .output("sizes", DType::int32)
      .outputs("values", "output_types")
      .attr("message_type", AttrType::string)
      .attr("field_names", AttrType::strings)
      .attr("output_types", AttrType::dtypes)
      .attr("descriptor_source", "local://")
      .attr("message_format", "binary")
      .attr("sanitize", false)
      .infer_shape(infer_decoded)
      .gradient(not_differentiable));
  catalog.add(Op("EncodeProto")
      .doc("Messages of protobuf with so many values of each field, from tensors with a last axis "
           "for the values of a message. The descriptors are as in DecodeProtoV2.")
      .input("sizes", DType::int32)
      .inputs("values", "Tinput_types")
      .output("bytes", DType::string)
      .attr("field_names", AttrType::strings)
      .attr("message_type", AttrType::string)
      .attr("descriptor_source", "local://")
      .attr("Tinput_types", AttrType::dtypes)
      .infer_shape(infer_encoded)
      .gradient(not_differentiable));
}

}  // namespace troupe
