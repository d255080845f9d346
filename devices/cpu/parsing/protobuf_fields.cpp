#include "troupe/devices/cpu/parsing/protobuf_fields.hpp"

#include <bit>
#include <cstring>

namespace troupe::cpu {
namespace {

bool take_number(std::string_view& rest, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < rest.size() && i < 10; ++i) {
    auto byte = static_cast<unsigned char>(rest[i]);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte >= 0x80) continue;
    rest.remove_prefix(i + 1);
    return true;
  }
  return false;
}

template <class T>
bool take_bits(std::string_view& rest, uint64_t& value) {
  static_assert(std::endian::native == std::endian::little);
  if (rest.size() < sizeof(T)) return false;
  T bits;
  std::memcpy(&bits, rest.data(), sizeof(T));
  rest.remove_prefix(sizeof(T));
  value = bits;
  return true;
}

bool take_tag(std::string_view& rest, int64_t& number, Written& written) {
  uint64_t tag = 0;
  if (!take_number(rest, tag) || tag >> 32 != 0) return false;
  number = static_cast<int64_t>(tag >> 3);
  written = static_cast<Written>(tag & 7);
  return number != 0 && (tag & 7) <= 5;
}

bool take_value(std::string_view& rest, ProtobufField& field, int depth);

/// The fields up to the tag that ends the group of that number, and that tag.
bool skip_group(std::string_view& rest, int64_t number, int depth) {
  constexpr int depth_max = 100;
  if (depth > depth_max) return false;
  for (ProtobufField inner; take_tag(rest, inner.number, inner.written);) {
    if (inner.written == Written::group_end) return inner.number == number;
    if (!take_value(rest, inner, depth)) return false;
  }
  return false;
}

bool take_value(std::string_view& rest, ProtobufField& field, int depth) {
  switch (field.written) {
    case Written::varint: return take_number(rest, field.value);
    case Written::fixed64: return take_bits<uint64_t>(rest, field.value);
    case Written::fixed32: return take_bits<uint32_t>(rest, field.value);
    case Written::group: return skip_group(rest, field.number, depth + 1);
    case Written::group_end: return false;
    case Written::bytes: break;
  }
  uint64_t size = 0;
  if (!take_number(rest, size) || size > rest.size()) return false;
  field.bytes = rest.substr(0, static_cast<size_t>(size));
  rest.remove_prefix(static_cast<size_t>(size));
  return true;
}

template <class T>
void append_bits(std::string& to, T bits) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &bits, sizeof(T));
  to.append(bytes, sizeof(T));
}

}  // namespace

Written written_as(FieldKind kind) {
  switch (kind) {
    case FieldKind::float64:
    case FieldKind::fixed64:
    case FieldKind::sfixed64: return Written::fixed64;
    case FieldKind::float32:
    case FieldKind::fixed32:
    case FieldKind::sfixed32: return Written::fixed32;
    case FieldKind::string:
    case FieldKind::message:
    case FieldKind::bytes: return Written::bytes;
    case FieldKind::group: return Written::group;
    default: return Written::varint;
  }
}

bool fits(FieldKind kind, DType dtype) {
  switch (kind) {
    case FieldKind::float64: return dtype == DType::float64;
    case FieldKind::float32: return dtype == DType::float32 || dtype == DType::float64;
    case FieldKind::int64:
    case FieldKind::sfixed64:
    case FieldKind::sint64: return dtype == DType::int64;
    case FieldKind::uint64:
    case FieldKind::fixed64: return dtype == DType::uint64;
    case FieldKind::int32:
    case FieldKind::sfixed32:
    case FieldKind::sint32: return dtype == DType::int32 || dtype == DType::int64;
    case FieldKind::uint32:
    case FieldKind::fixed32: return dtype == DType::uint32 || dtype == DType::uint64;
    case FieldKind::boolean: return dtype == DType::boolean;
    case FieldKind::enumeration: return dtype == DType::int32;
    case FieldKind::string:
    case FieldKind::group:
    case FieldKind::message:
    case FieldKind::bytes: return dtype == DType::string;
  }
  return false;
}

bool take_field(std::string_view& rest, ProtobufField& field) {
  auto whole = rest;
  if (!take_tag(rest, field.number, field.written)) return false;
  if (!take_value(rest, field, /*depth=*/0)) return false;
  if (field.written == Written::group) field.bytes = whole.substr(0, whole.size() - rest.size());
  return true;
}

bool take_packed(std::string_view& rest, FieldKind kind, uint64_t& value) {
  switch (written_as(kind)) {
    case Written::varint: return take_number(rest, value);
    case Written::fixed64: return take_bits<uint64_t>(rest, value);
    case Written::fixed32: return take_bits<uint32_t>(rest, value);
    default: return false;
  }
}

uint64_t decoded(FieldKind kind, uint64_t value) {
  auto narrow = static_cast<uint32_t>(value);
  switch (kind) {
    case FieldKind::float32:
      return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(narrow)));
    case FieldKind::int32:
    case FieldKind::enumeration:
    case FieldKind::sfixed32:
      return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(narrow)));
    case FieldKind::uint32:
    case FieldKind::fixed32: return narrow;
    case FieldKind::boolean: return value != 0;
    case FieldKind::sint32: {
      auto number = static_cast<int32_t>((narrow >> 1) ^ (~(narrow & 1) + 1));
      return static_cast<uint64_t>(static_cast<int64_t>(number));
    }
    case FieldKind::sint64: return (value >> 1) ^ (~(value & 1) + 1);
    default: return value;
  }
}

void append_varint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

void append_tag(std::string& to, int number, Written written) {
  append_varint(to, static_cast<uint64_t>(number) << 3 | static_cast<uint64_t>(written));
}

void append_number(std::string& to, FieldKind kind, uint64_t value) {
  auto narrow = static_cast<uint32_t>(value);
  switch (kind) {
    case FieldKind::float64:
    case FieldKind::fixed64:
    case FieldKind::sfixed64: return append_bits(to, value);
    case FieldKind::float32:
      return append_bits(to, static_cast<float>(std::bit_cast<double>(value)));
    case FieldKind::fixed32:
    case FieldKind::sfixed32: return append_bits(to, narrow);
    case FieldKind::int32:
    case FieldKind::enumeration:  // a negative one has ten bytes
      return append_varint(to, decoded(FieldKind::int32, narrow));
    case FieldKind::uint32: return append_varint(to, narrow);
    case FieldKind::sint32: return append_varint(to, uint32_t(narrow << 1 ^ (~(narrow >> 31) + 1)));
    case FieldKind::sint64: return append_varint(to, value << 1 ^ (~(value >> 63) + 1));
    default: return append_varint(to, value);
  }
}

}  // namespace troupe::cpu
