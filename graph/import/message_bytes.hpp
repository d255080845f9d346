#pragma once

#include <google/protobuf/message_lite.h>

#include <string>

namespace troupe {

/// Reads a message; false where the bytes are none. Says nothing on standard error: anybody may
/// send them.
bool parse_message(const std::string& bytes, google::protobuf::MessageLite& message);

/// The bytes of a message, with maps in the order of their keys: equal messages have equal ones.
std::string message_bytes(const google::protobuf::MessageLite& message);

}  // namespace troupe
