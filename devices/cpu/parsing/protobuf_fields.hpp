#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "troupe/graph/proto/message_type.hpp"
#include "troupe/graph/types/dtype.hpp"

namespace troupe::cpu {

/// How a value is written: as WireType, and groups, which are what lies between two tags.
enum class Written : uint8_t {
  varint = 0,
  fixed64 = 1,
  bytes = 2,
  group = 3,
  group_end = 4,
  fixed32 = 5
};

/// How a value of that kind is written by itself.
Written written_as(FieldKind kind);

/// Whether values of such fields can be elements of a tensor: as TensorFlow, which widens some.
bool fits(FieldKind kind, DType dtype);

/// One field of a message, in its bytes.
struct ProtobufField {
  int64_t number = 0;
  Written written = Written::varint;
  uint64_t value = 0;      // of numbers
  std::string_view bytes;  // of others; of a group with both tags
};

/// Takes the next field off the bytes of a message; false where they are no field.
bool take_field(std::string_view& rest, ProtobufField& field);

/// Takes the next of the numbers that lie in the bytes of a packed field.
bool take_packed(std::string_view& rest, FieldKind kind, uint64_t& value);

/// What the bits of a number of that kind stand for: of floats, the bits of a double; of signed
/// numbers, those of an int64.
uint64_t decoded(FieldKind kind, uint64_t value);

/// Appends a number of that kind, whose bits are as decoded() makes them, and its tag if there is
/// one.
void append_number(std::string& to, FieldKind kind, uint64_t value);
void append_varint(std::string& to, uint64_t value);
void append_tag(std::string& to, int number, Written written);

}  // namespace troupe::cpu
