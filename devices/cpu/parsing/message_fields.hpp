#pragma once

#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "troupe/devices/cpu/parsing/wire.hpp"

// Messages of protobuf as values of ours. A function says what fields a message has, in the order
// of their numbers, and serves both to write it and to read it:
//
//     template <class Io>
//     void fields(Io& io, typename Io::template Of<Point>& point) {
//       io.integer(1, point.x);
//       io.real(2, point.weight);
//     }
//
// in troupe::cpu. A value that has a string `rest` keeps there what else the message has.

namespace troupe::cpu {

/// Writes the fields of a message, those that have their default left out.
class MessageWriter {
 public:
  template <class M>
  using Of = const M;

  std::string take() { return std::move(bytes_); }

  template <class T>
  void integer(uint64_t number, T value) {
    if (value != 0) set_integer(number, value);
  }
  void real(uint64_t number, float value) {
    if (value != 0) set_real(number, value);
  }
  void text(uint64_t number, std::string_view value) {
    if (!value.empty()) set_text(number, value);
  }
  void reals(uint64_t number, const std::vector<float>& values) {
    if (values.empty()) return;
    tag(number, WireType::bytes);
    varint(values.size() * sizeof(float));
    for (auto value : values) fixed(value);
  }
  void integers(uint64_t number, const std::vector<int32_t>& values) {
    if (values.empty()) return;
    MessageWriter packed;
    for (auto value : values) packed.varint(static_cast<uint64_t>(int64_t{value}));
    set_text(number, packed.bytes_);
  }
  template <class M>
  void message(uint64_t number, const M& message) {
    set_text(number, bytes_of(message));
  }
  template <class M>
  void optional(uint64_t number, const std::optional<M>& held) {
    if (held) message(number, *held);
  }
  template <class M>
  void repeated(uint64_t number, const std::vector<M>& messages) {
    for (const auto& each : messages) message(number, each);
  }
  /// Messages by whole numbers.
  template <class M>
  void map(uint64_t number, const std::map<int64_t, M>& messages) {
    for (const auto& [key, each] : messages) {
      MessageWriter entry;
      entry.set_integer(1, key);
      entry.message(2, each);
      set_text(number, entry.bytes_);
    }
  }
  /// One of the fields of a oneof, which says by its type which one it is: a message, a number, or
  /// shared bytes.
  template <class M, class... Ms>
  void alternative(uint64_t number, const std::variant<Ms...>& any) {
    auto* held = std::get_if<M>(&any);
    if (!held) return;
    if constexpr (std::is_same_v<M, float> || std::is_same_v<M, double>) set_real(number, *held);
    else if constexpr (std::is_integral_v<M>) set_integer(number, *held);
    else if constexpr (std::is_same_v<M, std::shared_ptr<const std::string>>)
      set_text(number, *held ? **held : "");
    else message(number, *held);
  }

  template <class M>
  static std::string bytes_of(const M& message) {
    MessageWriter inner;
    fields(inner, message);
    if constexpr (requires { message.rest; }) inner.bytes_ += message.rest;
    return inner.take();
  }

 private:
  template <class T>
  void set_integer(uint64_t number, T value) {
    tag(number, WireType::varint);
    varint(static_cast<uint64_t>(static_cast<int64_t>(value)));
  }
  template <class T>
  void set_real(uint64_t number, T value) {
    tag(number, sizeof(T) == 4 ? WireType::fixed32 : WireType::fixed64);
    fixed(value);
  }
  void set_text(uint64_t number, std::string_view inner) {
    tag(number, WireType::bytes);
    varint(inner.size());
    bytes_ += inner;
  }
  void tag(uint64_t number, WireType type) { varint(number << 3 | static_cast<uint64_t>(type)); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  template <class T>
  void fixed(T value) {
    static_assert(std::endian::native == std::endian::little);
    char raw[sizeof(value)];
    std::memcpy(raw, &value, sizeof(value));
    bytes_.append(raw, sizeof(raw));
  }

  std::string bytes_;
};

/// Takes one field of a message into what has its number and type, as protobuf does.
class FieldReader {
 public:
  template <class M>
  using Of = M;

  explicit FieldReader(const WireField& field) : field_(field) {}
  bool has_failed() const { return has_failed_; }
  /// Whether the message has such a field.
  bool was_taken() const { return was_taken_; }

  template <class T>
  void integer(uint64_t number, T& value) {
    if (is(number, WireType::varint)) value = static_cast<T>(field_.value);
  }
  void real(uint64_t number, float& value) {
    if (is(number, WireType::fixed32)) value = real_of(field_.value);
  }
  void text(uint64_t number, std::string& value) {
    if (is(number, WireType::bytes)) value = field_.bytes;
  }
  void reals(uint64_t number, std::vector<float>& values) {
    if (is(number, WireType::fixed32)) values.push_back(real_of(field_.value));
    if (!is(number, WireType::bytes)) return;
    auto count = field_.bytes.size() / sizeof(float);
    has_failed_ = field_.bytes.size() % sizeof(float) != 0;
    if (has_failed_ || count == 0) return;
    values.resize(values.size() + count);
    std::memcpy(&values[values.size() - count], field_.bytes.data(), count * sizeof(float));
  }
  void integers(uint64_t number, std::vector<int32_t>& values) {
    if (is(number, WireType::varint)) values.push_back(static_cast<int32_t>(field_.value));
    if (!is(number, WireType::bytes)) return;
    WireReader packed(field_.bytes);
    for (uint64_t value; !packed.rest().empty() && !has_failed_;) {
      has_failed_ = !packed.take_varint(value);
      values.push_back(static_cast<int32_t>(value));
    }
  }
  template <class M>
  void message(uint64_t number, M& message) {
    if (is(number, WireType::bytes)) read(message);
  }
  template <class M>
  void optional(uint64_t number, std::optional<M>& held) {
    if (!is(number, WireType::bytes)) return;
    if (!held) held.emplace();
    read(*held);
  }
  template <class M>
  void repeated(uint64_t number, std::vector<M>& messages) {
    if (is(number, WireType::bytes)) read(messages.emplace_back());
  }
  template <class M>
  void map(uint64_t number, std::map<int64_t, M>& messages);
  template <class M, class... Ms>
  void alternative(uint64_t number, std::variant<Ms...>& any) {
    if constexpr (std::is_same_v<M, float>) {
      if (is(number, WireType::fixed32)) any = real_of(field_.value);
    } else if constexpr (std::is_same_v<M, double>) {
      if (is(number, WireType::fixed64)) any = std::bit_cast<double>(field_.value);
    } else if constexpr (std::is_integral_v<M>) {
      if (is(number, WireType::varint)) any = static_cast<M>(field_.value);
    } else if constexpr (std::is_same_v<M, std::shared_ptr<const std::string>>) {
      if (is(number, WireType::bytes)) any = std::make_shared<const std::string>(field_.bytes);
    } else {
      if (!is(number, WireType::bytes)) return;
      if (!std::holds_alternative<M>(any)) any.template emplace<M>();
      read(std::get<M>(any));
    }
  }

 private:
  bool is(uint64_t number, WireType type) {
    auto found = field_.number == number && field_.type == type;
    was_taken_ = was_taken_ || found;
    return found;
  }
  static float real_of(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
  template <class M>
  void read(M& message);

  const WireField& field_;
  bool has_failed_ = false;
  bool was_taken_ = false;
};

/// Reads the fields of a message into a value; false where the bytes are no such message.
template <class M>
bool read_message(std::string_view bytes, M& message) {
  WireReader reader(bytes);
  auto before = reader.rest();
  for (WireField field; reader.next(field); before = reader.rest()) {
    FieldReader into(field);
    fields(into, message);
    if (into.has_failed()) return false;
    if constexpr (requires { message.rest; })
      if (!into.was_taken()) message.rest += before.substr(0, before.size() - reader.rest().size());
  }
  return !reader.has_failed();
}

template <class M>
void FieldReader::read(M& message) {
  has_failed_ = !read_message(field_.bytes, message);
}

template <class M>
void FieldReader::map(uint64_t number, std::map<int64_t, M>& messages) {
  if (!is(number, WireType::bytes)) return;
  uint64_t key = 0;
  M value;
  WireReader reader(field_.bytes);
  for (WireField field; reader.next(field) && !has_failed_;) {
    if (field.number == 1 && field.type == WireType::varint) key = field.value;
    if (field.number == 2 && field.type == WireType::bytes)
      has_failed_ = !read_message(field.bytes, value);
  }
  has_failed_ = has_failed_ || reader.has_failed();
  messages[static_cast<int64_t>(key)] = std::move(value);
}

}  // namespace troupe::cpu
