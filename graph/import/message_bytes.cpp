#include "troupe/graph/import/message_bytes.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

namespace troupe {

bool parse_message(const std::string& bytes, google::protobuf::MessageLite& message) {
  google::protobuf::LogSilencer silencer;
  return message.ParseFromString(bytes);
}

std::string message_bytes(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

}  // namespace troupe
