#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/parsing/protobuf_fields.hpp"

namespace troupe::cpu {
namespace {

using Numbers = Types<float, double, int32_t, int64_t, uint32_t, uint64_t, bool>;

Status damaged() { return Status(Code::data_loss, "the bytes are no message of that type"); }

/// A field that an op is asked for, and the dtype of its tensor.
struct WantedField : MessageField {
  std::string name;
  DType dtype;
};

Result<std::vector<WantedField>> find_fields(
    const MessageType& type, const std::vector<std::string>& names, const DTypes& dtypes) {
  if (names.size() != dtypes.size())
    return invalid_argument(
        "field_names and the dtypes of the values must have the same length, but have " +
        std::to_string(names.size()) + " and " + std::to_string(dtypes.size()));
  std::vector<WantedField> fields;
  for (size_t i = 0; i < names.size(); ++i) {
    auto field = type.field(names[i]);
    if (!field) return field.status();
    if (!fits(field->kind, dtypes[i]))
      return invalid_argument(
          "Incompatible type for field " + names[i] + ": its values cannot be " +
          to_string(dtypes[i]));
    fields.push_back({*std::move(field), names[i], dtypes[i]});
  }
  return fields;
}

Result<MessageType> type_of(const Node& node) {
  return MessageType::find(
      node.attr<std::string>("descriptor_source"), node.attr<std::string>("message_type"));
}

/// The shape with one more axis.
Result<Shape> appended(const Shape& shape, int64_t size) {
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  sizes.push_back(size);
  return Shape::make(sizes);
}

// -- decoding

/// The values of one field in one message, in the bytes of that.
struct FieldValues {
  std::vector<uint64_t> numbers;
  std::vector<std::string_view> bytes;

  size_t size() const { return numbers.size() + bytes.size(); }

  Status add(const WantedField& wanted, const ProtobufField& field) {
    auto written = written_as(wanted.kind);
    if (field.written == Written::bytes && written != Written::bytes) {  // a list of numbers
      auto rest = field.bytes;
      for (uint64_t value = 0; !rest.empty();) {
        if (!take_packed(rest, wanted.kind, value)) return damaged();
        if (!wanted.is_repeated) numbers.clear();
        numbers.push_back(decoded(wanted.kind, value));
      }
    } else if (field.written == written) {  // others are of another type's field
      if (!wanted.is_repeated) numbers.clear(), bytes.clear();  // the last one counts
      if (written == Written::bytes || written == Written::group) bytes.push_back(field.bytes);
      else numbers.push_back(decoded(wanted.kind, field.value));
    }
    return {};
  }
};

using DecodedMessage = std::vector<FieldValues>;

Result<DecodedMessage> decode(
    std::string_view message, const std::vector<WantedField>& wanted,
    const std::multimap<int64_t, size_t>& by_number) {
  DecodedMessage decoded(wanted.size());
  for (ProtobufField field; !message.empty();) {
    if (!take_field(message, field)) return damaged();
    auto [begin, end] = by_number.equal_range(field.number);
    for (auto place = begin; place != end; ++place)
      if (auto status = decoded[place->second].add(wanted[place->second], field); !status.ok())
        return status;
  }
  return decoded;
}

template <class T>
T number_of(FieldKind kind, uint64_t bits) {
  if (kind == FieldKind::float32 || kind == FieldKind::float64)
    return static_cast<T>(std::bit_cast<double>(bits));
  return static_cast<T>(bits);
}

template <class T>
T absent_number(const WantedField& field) {
  T value{};
  std::visit(
      [&](const auto& absent) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(absent)>, std::string>)
          value = static_cast<T>(absent);
      },
      field.absent);
  return value;
}

/// The values of a field in all messages, so many for each.
Status set_values(
    Tensor& out, const WantedField& field, size_t place, int64_t count,
    const std::vector<DecodedMessage>& messages) {
  if (field.dtype == DType::string) {
    const auto* absent = std::get_if<std::string>(&field.absent);
    auto* to = out.mutable_data<std::string>();
    for (const auto& message : messages)
      for (int64_t i = 0; i < count; ++i, ++to) {
        const auto& bytes = message[place].bytes;
        if (i < std::ssize(bytes)) *to = bytes[static_cast<size_t>(i)];
        else if (absent) *to = *absent;
      }
    return {};
  }
  for_dtype(Numbers{}, field.dtype, [&](auto zero) {
    using T = decltype(zero);
    auto* to = out.mutable_data<T>();
    for (const auto& message : messages)
      for (int64_t i = 0; i < count; ++i) {
        const auto& numbers = message[place].numbers;
        *to++ = i < std::ssize(numbers) ? number_of<T>(field.kind, numbers[static_cast<size_t>(i)])
                                        : absent_number<T>(field);
      }
  });
  return {};
}

struct Decoder {
  MessageType type;
  std::vector<WantedField> fields;
  std::multimap<int64_t, size_t> by_number;
  bool is_text, sanitizes;

  Result<std::vector<DecodedMessage>> read(
      const Tensor& bytes, std::vector<std::string>& rewritten) const {
    std::vector<DecodedMessage> messages;
    rewritten.reserve(static_cast<size_t>(bytes.elements()));
    for (const auto& each : bytes.values<std::string>()) {
      std::string_view message = each;
      if (is_text || sanitizes) {
        auto again = is_text ? type.from_text(each) : type.rewritten(each);
        if (!again) return again.status();
        message = rewritten.emplace_back(*std::move(again));
      }
      auto decoded = decode(message, fields, by_number);
      if (!decoded) return decoded.status();
      messages.push_back(*std::move(decoded));
    }
    return messages;
  }

  Status set_sizes(Launch& launch, const std::vector<DecodedMessage>& messages) const {
    auto shape = appended(launch.input(0).shape(), std::ssize(fields));
    if (!shape) return shape.status();
    auto sizes = launch.allocate(DType::int32, *shape);
    if (!sizes) return sizes.status();
    auto* to = sizes->mutable_data<int32_t>();
    for (const auto& message : messages)
      for (const auto& values : message) *to++ = static_cast<int32_t>(values.size());
    launch.set(0, *std::move(sizes));
    return {};
  }

  Status compute(Launch& launch) const {
    const auto& bytes = launch.input(0);
    if (bytes.elements() == 0)
      return invalid_argument("Bufs argument must contain at least one value");
    std::vector<std::string> rewritten;  // which the values point into
    auto messages = read(bytes, rewritten);
    if (!messages) return messages.status();
    if (auto status = set_sizes(launch, *messages); !status.ok()) return status;
    for (size_t i = 0; i < fields.size(); ++i) {
      size_t most = 1;
      for (const auto& message : *messages) most = std::max(most, message[i].size());
      auto shape = appended(bytes.shape(), static_cast<int64_t>(most));
      if (!shape) return shape.status();
      auto out = launch.allocate(fields[i].dtype, *shape);
      if (!out) return out.status();
      auto status = set_values(*out, fields[i], i, static_cast<int64_t>(most), *messages);
      if (!status.ok()) return status;
      launch.set(static_cast<int>(i) + 1, *std::move(out));
    }
    return {};
  }
};

Result<Kernel> make_decode(const Node& node) {
  auto type = type_of(node);
  if (!type) return type.status();
  auto fields = find_fields(
      *type, node.attr<std::vector<std::string>>("field_names"), node.attr<DTypes>("output_types"));
  if (!fields) return fields.status();
  const auto& format = node.attr<std::string>("message_format");
  if (format != "binary" && format != "text")
    return invalid_argument("format must be one of binary or text");
  Decoder decoder{*type, *std::move(fields), {}, format == "text", node.attr<bool>("sanitize")};
  for (size_t i = 0; i < decoder.fields.size(); ++i)
    decoder.by_number.emplace(decoder.fields[i].number, i);
  return Kernel{.compute = [decoder = std::move(decoder)](Launch& launch) {
    return decoder.compute(launch);
  }};
}

// -- encoding

/// The bits of element `at`, as decoded() makes them.
uint64_t bits_of(const Tensor& values, FieldKind kind, int64_t at) {
  uint64_t bits = 0;
  for_dtype(Numbers{}, values.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto value = values.data<T>()[at];
    if constexpr (std::is_floating_point_v<T>) bits = std::bit_cast<uint64_t>(double{value});
    else bits = static_cast<uint64_t>(value);
  });
  return bits;
}

/// Appends `count` values of a field, from element `begin` on.
void append_values(
    std::string& to, const WantedField& field, const Tensor& values, int64_t begin, int64_t count) {
  auto written = written_as(field.kind);
  if (written == Written::bytes || written == Written::group) {
    for (const auto& bytes : values.values<std::string>().subspan(size_t(begin), size_t(count))) {
      append_tag(to, field.number, written);
      if (written == Written::bytes) append_varint(to, bytes.size());
      to += bytes;
      if (written == Written::group) append_tag(to, field.number, Written::group_end);
    }
    return;
  }
  std::string packed;
  for (auto i = begin; i < begin + count; ++i) {
    if (!field.is_packed) append_tag(to, field.number, written);
    append_number(field.is_packed ? packed : to, field.kind, bits_of(values, field.kind, i));
  }
  if (!field.is_packed) return;
  append_tag(to, field.number, Written::bytes);
  append_varint(to, packed.size());
  to += packed;
}

struct Encoder {
  std::vector<WantedField> fields;
  std::vector<size_t> by_number;  // their order in a message

  /// The shape of the messages, which all values have before their last axis.
  Result<Shape> check(const Launch& launch) const {
    std::optional<Shape> common;
    for (size_t i = 0; i < fields.size(); ++i) {
      const auto& shape = launch.input(static_cast<int>(i) + 1).shape();
      if (shape.rank() < 2)
        return invalid_argument(
            "Invalid shape for field " + fields[i].name + ".  Saw shape " + shape.to_string() +
            " but it should be at least a matrix.");
      Shape prefix(shape.sizes().first(shape.sizes().size() - 1));
      if (common && *common != prefix)
        return invalid_argument("Values must match up to the last dimension");
      common = prefix;
    }
    auto messages = common.value_or(Shape());
    auto expected = appended(messages, std::ssize(fields));
    if (!expected) return expected.status();
    if (launch.input(0).shape() != *expected)
      return invalid_argument(
          "sizes should be batch_size + [len(field_names)].  Saw: " +
          launch.input(0).shape().to_string() + " but expected: " + expected->to_string());
    return messages;
  }

  Status compute(Launch& launch) const {
    auto messages = check(launch);
    if (!messages) return messages.status();
    auto out = launch.allocate(DType::string, *messages);
    if (!out) return out.status();
    const auto* sizes = launch.input(0).data<int32_t>();
    for (int64_t i = 0; i < messages->elements(); ++i)
      for (auto place : by_number) {
        const auto& values = launch.input(static_cast<int>(place) + 1);
        auto most = values.shape()[values.shape().rank() - 1];
        auto count = sizes[i * std::ssize(fields) + static_cast<int64_t>(place)];
        if (count > most)
          return invalid_argument(
              "Size to write must not be larger than value tensor; but saw: " +
              std::to_string(count) + " > " + std::to_string(most) + " at message " +
              std::to_string(i) + " field " + std::to_string(place));
        if (count > 0)
          append_values(
              out->mutable_data<std::string>()[i], fields[place], values, i * most, count);
      }
    launch.set(0, *std::move(out));
    return {};
  }
};

Result<Kernel> make_encode(const Node& node) {
  auto type = type_of(node);
  if (!type) return type.status();
  auto fields = find_fields(
      *type, node.attr<std::vector<std::string>>("field_names"), node.attr<DTypes>("Tinput_types"));
  if (!fields) return fields.status();
  Encoder encoder{*std::move(fields), {}};
  for (size_t i = 0; i < encoder.fields.size(); ++i) encoder.by_number.push_back(i);
  std::ranges::stable_sort(
      encoder.by_number, {}, [&](size_t i) { return encoder.fields[i].number; });
  return Kernel{.compute = [encoder = std::move(encoder)](Launch& launch) {
    return encoder.compute(launch);
  }};
}

}  // namespace

void add_protobufs_kernels(KernelCatalog& catalog) {
  catalog.add("DecodeProtoV2", make_decode);
  catalog.add("EncodeProto", make_encode);
}

}  // namespace troupe::cpu
