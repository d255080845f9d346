#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// What the type of a field is, as its descriptor says it: the numbers of descriptor.proto.
enum class FieldKind : uint8_t {
  float64 = 1,
  float32 = 2,
  int64 = 3,
  uint64 = 4,
  int32 = 5,
  fixed64 = 6,
  fixed32 = 7,
  boolean = 8,
  string = 9,
  group = 10,
  message = 11,
  bytes = 12,
  uint32 = 13,
  enumeration = 14,
  sfixed32 = 15,
  sfixed64 = 16,
  sint32 = 17,
  sint64 = 18,
};

/// A field of a message.
struct MessageField {
  int number = 0;
  FieldKind kind = FieldKind::int32;
  bool is_repeated = false;
  bool is_packed = false;
  /// What it is where a message does not have it; none of messages and groups, that is "".
  std::variant<double, int64_t, uint64_t, std::string> absent = std::string();
};

/// A type of messages that is known by its descriptor. A value; immutable.
class MessageType {
 public:
  /// `source`: the path of a file that is a FileDescriptorSet, "bytes://" and the bytes of one, or
  /// "local://" for the messages of TensorFlow that this process has. InvalidArgument: there is no
  /// such type, or that is no set of descriptors. Errors of files.
  static Result<MessageType> find(const std::string& source, const std::string& name);

  /// The field of that name, or an extension of that full name. InvalidArgument: there is none.
  Result<MessageField> field(const std::string& name) const;

  /// The bytes of a message that is given in protobuf's text format, or as bytes, which may be
  /// written in another way then. DataLoss: it is none of that type.
  Result<std::string> from_text(const std::string& text) const;
  Result<std::string> rewritten(const std::string& bytes) const;

 private:
  struct Known;
  explicit MessageType(std::shared_ptr<const Known> known) : known_(std::move(known)) {}

  std::shared_ptr<const Known> known_;
};

}  // namespace troupe
