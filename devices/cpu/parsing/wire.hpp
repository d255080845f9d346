#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace troupe::cpu {

/// How the value of a field is written in a message of protobuf.
enum class WireType : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// One field of a message, as it is written.
struct WireField {
  uint64_t number = 0;
  WireType type = WireType::varint;
  uint64_t value = 0;      // unless it is bytes
  std::string_view bytes;  // only then
};

/// Reads the fields of a message in place, one after the other:
///
///     WireReader reader(message);
///     for (WireField field; reader.next(field);) ...
///     if (reader.has_failed()) ...
///
/// Examples are read like this, since messages of protobuf's own would copy all features, also
/// those that nobody asks for. Any bytes may be given.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// False at the end, and where the bytes are no message.
  bool next(WireField& field) {
    if (rest_.empty() || failed_) return false;
    uint64_t tag = 0;
    failed_ = !take_varint(tag) || !take_value(tag, field);
    return !failed_;
  }
  bool has_failed() const { return failed_; }
  /// What is left.
  std::string_view rest() const { return rest_; }

  /// Takes one number that is written as a varint; false where there is none.
  bool take_varint(uint64_t& value) {
    value = 0;
    for (size_t i = 0; i < rest_.size() && i < 10; ++i) {
      auto byte = static_cast<unsigned char>(rest_[i]);
      value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if (byte >= 0x80) continue;
      rest_.remove_prefix(i + 1);
      return true;
    }
    return false;
  }

 private:
  bool take_value(uint64_t tag, WireField& field) {
    field.number = tag >> 3;
    field.type = static_cast<WireType>(tag & 7);
    if (field.number == 0 || field.number >> 29 != 0) return false;
    switch (field.type) {
      case WireType::varint: return take_varint(field.value);
      case WireType::fixed64: return take_fixed<uint64_t>(field.value);
      case WireType::fixed32: return take_fixed<uint32_t>(field.value);
      case WireType::bytes: {
        uint64_t size = 0;
        if (!take_varint(size) || size > rest_.size()) return false;
        field.bytes = rest_.substr(0, static_cast<size_t>(size));
        rest_.remove_prefix(static_cast<size_t>(size));
        return true;
      }
    }
    return false;  // groups, which these messages never had
  }

  template <class T>
  bool take_fixed(uint64_t& value) {
    static_assert(std::endian::native == std::endian::little);
    if (rest_.size() < sizeof(T)) return false;
    T number;
    std::memcpy(&number, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    value = number;
    return true;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace troupe::cpu
