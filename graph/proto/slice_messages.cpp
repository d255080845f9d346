#include "troupe/graph/proto/slice_messages.hpp"

#include <google/protobuf/stubs/logging.h>
#include <troupe_proto/saved_tensor_slice.pb.h>

#include <limits>
#include <optional>
#include <span>

#include "troupe/graph/proto/tensor_proto.hpp"
#include "troupe/graph/proto/tensor_slice_proto.hpp"

namespace troupe {
namespace {

constexpr int32_t format_version = 1;
constexpr size_t message_bytes_max = std::numeric_limits<int32_t>::max();

Status damaged(const std::string& why) { return {Code::data_loss, why}; }

/// Nothing where the bytes are none.
std::optional<proto::SavedTensorSlices> parse(const std::string& bytes) {
  google::protobuf::LogSilencer silencer;  // what is wrong with the bytes, the caller is told
  proto::SavedTensorSlices message;
  if (!message.ParseFromString(bytes)) return {};
  return message;
}

/// TensorFlow reads and writes no others in this format.
bool is_in_format(DType dtype) {
  return !is_opaque(dtype) && dtype != DType::uint32 && dtype != DType::uint64 &&
         dtype != DType::bfloat16;
}

/// The field that has the values of such elements.
template <class T>
auto& field_of(proto::TensorProto& message) {
  if constexpr (std::is_same_v<T, float>) return *message.mutable_float_val();
  else if constexpr (std::is_same_v<T, double>) return *message.mutable_double_val();
  else if constexpr (std::is_same_v<T, int64_t>) return *message.mutable_int64_val();
  else if constexpr (std::is_same_v<T, bool>) return *message.mutable_bool_val();
  else if constexpr (std::is_same_v<T, complex64>) return *message.mutable_scomplex_val();
  else if constexpr (std::is_same_v<T, complex128>) return *message.mutable_dcomplex_val();
  else if constexpr (std::is_same_v<T, uint32_t>) return *message.mutable_uint32_val();
  else if constexpr (std::is_same_v<T, uint64_t>) return *message.mutable_uint64_val();
  else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
    return *message.mutable_half_val();
  else return *message.mutable_int_val();
}

template <class T>
void add_values(std::span<const T> values, proto::TensorProto& message) {
  auto& field = field_of<T>(message);
  if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
    for (const auto& value : values) {
      field.Add(value.real());
      field.Add(value.imag());
    }
  } else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
    for (auto value : values) field.Add(Eigen::numext::bit_cast<uint16_t>(value));
  } else {
    field.Add(values.begin(), values.end());
  }
}

void add_elements(const Tensor& tensor, proto::TensorProto& message) {
  if (tensor.dtype() == DType::string) {
    for (const auto& text : tensor.values<std::string>()) message.add_string_val(text);
    return;
  }
  visit(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    add_values<T>(tensor.values<T>(), message);
  });
}

/// How many elements a message has values of.
int64_t count_elements(proto::TensorProto& message, DType dtype) {
  if (dtype == DType::string) return message.string_val_size();
  int64_t count = 0;
  visit(dtype, [&](auto zero) { count = field_of<decltype(zero)>(message).size(); });
  bool is_pair = dtype == DType::complex64 || dtype == DType::complex128;
  return is_pair ? count / 2 : count;
}

Result<SlicedTensor> sliced_tensor(const proto::SavedSliceMeta& message) {
  auto dtype = dtype_from_proto(message.type());
  if (!dtype) return unimplemented(dtype.status().message());
  auto shape = shape_from_proto(message.shape());
  if (!shape) return damaged(shape.status().message());
  if (!shape->is_known() || shape->elements() > Shape::max_elements)
    return damaged("it has shape " + shape->to_string());
  SlicedTensor tensor{.name = message.name(), .dtype = *dtype, .shape = *shape, .slices = {}};
  for (const auto& slice : message.slice()) {
    auto extents = slice_from_proto(slice, *shape);
    if (!extents) return damaged("it has a slice outside of its shape");
    tensor.slices.push_back(*std::move(extents));
  }
  return tensor;
}

}  // namespace

std::string serialize_sliced_tensors(const std::vector<SlicedTensor>& tensors) {
  proto::SavedTensorSlices message;
  auto& meta = *message.mutable_meta();
  for (const auto& tensor : tensors) {
    auto& added = *meta.add_tensor();
    added.set_name(tensor.name);
    *added.mutable_shape() = shape_to_proto(tensor.shape);
    added.set_type(dtype_to_proto(tensor.dtype));
    for (const auto& extents : tensor.slices) *added.add_slice() = slice_to_proto(extents);
  }
  meta.mutable_versions()->set_producer(format_version);
  return message.SerializeAsString();
}

Result<std::vector<SlicedTensor>> parse_sliced_tensors(const std::string& bytes) {
  auto message = parse(bytes);
  if (!message || !message->has_meta()) return damaged("its first value is no list of tensors");
  auto oldest = message->meta().versions().min_consumer();
  if (oldest > format_version)
    return invalid_argument(
        "Checkpoint min consumer version " + std::to_string(oldest) + " above current version " +
        std::to_string(format_version));
  std::vector<SlicedTensor> tensors;
  for (const auto& each : message->meta().tensor()) {
    auto tensor = sliced_tensor(each);
    if (!tensor)
      return Status(
          tensor.status().code(), "tensor '" + each.name() + "': " + tensor.status().message());
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

Result<std::string> serialize_slice(
    const std::string& name, const SliceExtents& extents, const Tensor& value) {
  if (!is_in_format(value.dtype()))
    return unimplemented(
        std::string("checkpoints of format V1 have no tensors of type ") +
        to_string(value.dtype()) + "; those of V2 have");
  proto::SavedTensorSlices message;
  auto& slice = *message.mutable_data();
  slice.set_name(name);
  *slice.mutable_slice() = slice_to_proto(extents);
  add_elements(value, *slice.mutable_data());
  if (message.ByteSizeLong() > message_bytes_max)
    return invalid_argument(
        "Tensor slice is too large to serialize: " + std::to_string(message.ByteSizeLong()) +
        " bytes; checkpoints of format V2 have no such limit");
  return message.SerializeAsString();
}

Result<Tensor> parse_slice(const std::string& bytes, DType dtype, const Shape& shape) {
  if (!is_in_format(dtype))
    return unimplemented(std::string("the format has no tensors of type ") + to_string(dtype));
  auto message = parse(bytes);
  if (!message || !message->has_data()) return damaged("it is no slice of a tensor");
  auto& data = *message->mutable_data()->mutable_data();
  auto count = count_elements(data, dtype);
  if (count != shape.elements())
    return damaged(
        "it has " + std::to_string(count) + " values, and not those of " + to_string(dtype) +
        shape.to_string());
  data.set_dtype(dtype_to_proto(dtype));
  *data.mutable_tensor_shape() = shape_to_proto(shape);
  data.clear_tensor_content();
  auto tensor = tensor_from_proto(data);
  if (!tensor) return damaged(tensor.status().message());
  return tensor;
}

}  // namespace troupe
