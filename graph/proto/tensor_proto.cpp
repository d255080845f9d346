#include "troupe/graph/proto/tensor_proto.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "troupe/graph/types/dtype.hpp"

namespace troupe {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor_content is little-endian");

// The field of each element type: its values, and how many of them an element is.
constexpr int parts_of(DType dtype) {
  return dtype == DType::complex64 || dtype == DType::complex128 ? 2 : 1;
}

template <class T>
const auto& field_of(const proto::TensorProto& message) {
  if constexpr (std::is_same_v<T, float>) return message.float_val();
  else if constexpr (std::is_same_v<T, double>) return message.double_val();
  else if constexpr (std::is_same_v<T, int64_t>) return message.int64_val();
  else if constexpr (std::is_same_v<T, uint32_t>) return message.uint32_val();
  else if constexpr (std::is_same_v<T, uint64_t>) return message.uint64_val();
  else if constexpr (std::is_same_v<T, bool>) return message.bool_val();
  else if constexpr (std::is_same_v<T, complex64>) return message.scomplex_val();
  else if constexpr (std::is_same_v<T, complex128>) return message.dcomplex_val();
  else if constexpr (std::is_same_v<T, std::string>) return message.string_val();
  else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
    return message.half_val();
  else return message.int_val();
}

/// Element `i` of the values.
template <class T, class Values>
T element_of(const Values& values, int i) {
  if constexpr (parts_of(dtype_of<T>()) == 2) return T(values[2 * i], values[2 * i + 1]);
  else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
    return Eigen::numext::bit_cast<T>(static_cast<uint16_t>(values[i]));
  else return static_cast<T>(values[i]);
}

template <class T>
Status fill_from_field(const proto::TensorProto& message, Tensor& out) {
  const auto& values = field_of<T>(message);
  constexpr int parts = parts_of(dtype_of<T>());
  if (values.size() % parts != 0)
    return invalid_argument(
        std::to_string(values.size()) + " parts of complex numbers are no whole number of them");
  auto* to = out.mutable_data<T>();
  auto given = std::min<int64_t>(values.size() / parts, out.elements());
  for (int64_t i = 0; i < given; ++i) to[i] = element_of<T>(values, static_cast<int>(i));
  auto rest = given > 0 ? T(to[given - 1]) : T();
  std::fill(to + given, to + out.elements(), rest);
  return {};
}

Status wrong_content(const std::string& content, const Tensor& out, const std::string& why) {
  return invalid_argument(
      "tensor_content of " + std::to_string(content.size()) + " bytes does not fit " +
      to_string(out.dtype()) + out.shape().to_string() + why);
}

/// Takes a varint of at most 64 bits off the bytes; nothing where there is none.
std::optional<uint64_t> take_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), 10); ++i) {
    auto byte = static_cast<unsigned char>(bytes[i]);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte >= 0x80) continue;
    bytes.remove_prefix(i + 1);
    return value;
  }
  return std::nullopt;
}

Status fill_strings_from_content(const std::string& content, Tensor& out) {
  std::string_view lengths = content, rest = content;
  uint64_t total = 0;
  for (int64_t i = 0; i < out.elements(); ++i) {
    auto length = take_varint(rest);
    if (!length || *length > content.size())
      return wrong_content(content, out, ": string " + std::to_string(i) + " has no valid length");
    total += *length;
  }
  if (total != rest.size())
    return wrong_content(
        content, out,
        ": the strings have " + std::to_string(total) + " bytes, not " +
            std::to_string(rest.size()));
  for (int64_t i = 0; i < out.elements(); ++i) {
    auto length = static_cast<size_t>(*take_varint(lengths));
    out.mutable_data<std::string>()[i] = rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return {};
}

Status fill_from_content(const std::string& content, Tensor& out) {
  if (out.dtype() == DType::boolean) {
    // Another byte than 0 and 1 is no bool of C++.
    std::ranges::transform(content, out.mutable_data<bool>(), [](char byte) { return byte != 0; });
    return {};
  }
  std::memcpy(out.mutable_raw(), content.data(), content.size());
  return {};
}

/// Fails unless the message has as much content as such a tensor.
Status check_content(const std::string& content, DType dtype, const Shape& shape) {
  // A string takes at least the byte of its length.
  auto size = dtype == DType::string ? 1 : size_of(dtype);
  auto expected = static_cast<size_t>(shape.elements()) * size;
  if (dtype == DType::string ? content.size() >= expected : content.size() == expected) return {};
  return invalid_argument(
      "tensor_content of " + std::to_string(content.size()) + " bytes does not fit " +
      to_string(dtype) + shape.to_string() + ", which takes " +
      (dtype == DType::string ? "at least " : "") + std::to_string(expected));
}

/// Fails where the tensor would take more than that, with what its strings own: the last one is
/// copied to all elements that have none.
Status check_size(
    const proto::TensorProto& message, DType dtype, const Shape& shape, size_t max_bytes) {
  auto elements = static_cast<size_t>(shape.elements());
  auto given = static_cast<size_t>(message.string_val_size());
  auto each = size_of(dtype);
  auto repeated = dtype == DType::string && given > 0 && given < elements
                      ? message.string_val(static_cast<int>(given) - 1).size()
                      : 0;
  if (elements <= max_bytes / (each + repeated)) return {};
  return resource_exhausted(
      std::string("a message describes ") + to_string(dtype) + shape.to_string() +
      ", which would take more than " + std::to_string(max_bytes) + " bytes");
}

Result<Shape> known_shape_of(const proto::TensorProto& message) {
  auto shape = shape_from_proto(message.tensor_shape());
  if (!shape) return shape.status();
  if (!shape->is_known())
    return invalid_argument("a tensor cannot have the unknown shape " + shape->to_string());
  return shape;
}

std::string strings_as_content(const Tensor& tensor) {
  std::string content;
  for (const auto& text : tensor.values<std::string>()) {
    auto left = text.size();
    for (; left >= 0x80; left >>= 7) content += static_cast<char>((left & 0x7f) | 0x80);
    content += static_cast<char>(left);
  }
  for (const auto& text : tensor.values<std::string>()) content += text;
  return content;
}

}  // namespace

Result<Shape> shape_from_proto(const proto::TensorShapeProto& message) {
  if (message.unknown_rank()) {
    if (message.dim_size() == 0) return Shape::unknown_rank();
    return invalid_argument(
        "a shape of unknown rank cannot have " + std::to_string(message.dim_size()) +
        " dimensions");
  }
  if (message.dim_size() > Shape::max_rank)
    return invalid_argument(
        "a shape cannot have " + std::to_string(message.dim_size()) + " dimensions");
  std::vector<int64_t> sizes;
  for (const auto& dim : message.dim()) sizes.push_back(dim.size());
  return Shape::make(sizes);
}

proto::TensorShapeProto shape_to_proto(const Shape& shape) {
  proto::TensorShapeProto message;
  if (!shape.has_rank()) message.set_unknown_rank(true);
  else
    for (auto size : shape.sizes()) message.add_dim()->set_size(size);
  return message;
}

Result<DType> dtype_from_proto(proto::DataType number) {
  auto value = static_cast<int>(number);
  if (value > 0 && value < 256 && is_valid(static_cast<DType>(value)))
    return static_cast<DType>(value);
  auto name = proto::DataType_Name(number);
  return invalid_argument(
      "there are no tensors of type " + (name.empty() ? std::to_string(value) : name));
}

proto::DataType dtype_to_proto(DType dtype) { return static_cast<proto::DataType>(dtype); }

Result<Tensor> tensor_from_proto(const proto::TensorProto& message, size_t max_bytes) {
  auto dtype = dtype_from_proto(message.dtype());
  if (!dtype) return dtype.status();
  if (is_opaque(*dtype))
    return invalid_argument(
        "a message cannot hold handles of resources, or variants: its dtype is " +
        proto::DataType_Name(message.dtype()));
  auto shape = known_shape_of(message);
  if (!shape) return shape.status();
  if (auto status = check_size(message, *dtype, *shape, max_bytes); !status.ok()) return status;
  const auto& content = message.tensor_content();
  auto has_content = !content.empty() && shape->elements() > 0;
  if (has_content)
    if (auto status = check_content(content, *dtype, *shape); !status.ok()) return status;
  auto tensor = Tensor::allocate(*dtype, *shape);
  if (!tensor) return tensor.status();
  Status status;
  if (*dtype == DType::string) {
    status = has_content ? fill_strings_from_content(content, *tensor)
                         : fill_from_field<std::string>(message, *tensor);
  } else if (has_content) {
    status = fill_from_content(content, *tensor);
  } else {
    visit(*dtype, [&](auto zero) { status = fill_from_field<decltype(zero)>(message, *tensor); });
  }
  if (!status.ok()) return status;
  return tensor;
}

proto::TensorProto tensor_to_proto(const Tensor& tensor, StringsIn strings) {
  CHECK(!is_opaque(tensor.dtype()));
  proto::TensorProto message;
  message.set_dtype(dtype_to_proto(tensor.dtype()));
  *message.mutable_tensor_shape() = shape_to_proto(tensor.shape());
  if (tensor.dtype() != DType::string) {
    message.set_tensor_content(tensor.raw(), tensor.bytes());
  } else if (strings == StringsIn::content) {
    message.set_tensor_content(strings_as_content(tensor));
  } else {
    for (const auto& text : tensor.values<std::string>()) message.add_string_val(text);
  }
  return message;
}

}  // namespace troupe
