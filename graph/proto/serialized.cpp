#include "troupe/graph/proto/serialized.hpp"

#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <memory>

#include <troupe_proto/example.pb.h>
#include <troupe_proto/reader_state.pb.h>

#include "troupe/graph/proto/tensor_proto.hpp"

namespace troupe {
namespace {

constexpr size_t max_message_bytes = (size_t{1} << 31) - 1;
// What the fields beside the elements take at most.
constexpr size_t header_bytes = 4096;

constexpr const char* type_prefix = "type.googleapis.com";

/// The bytes that a message of the elements takes at least.
size_t bytes_of_elements(const Tensor& tensor) {
  if (tensor.dtype() != DType::string) return tensor.bytes();
  size_t bytes = 0;
  // The tag, the length in at most 5 bytes, the string.
  for (const auto& text : tensor.values<std::string>()) bytes += text.size() + 6;
  return bytes;
}

/// What finds the definitions of messages; it lives as long as the process.
google::protobuf::util::TypeResolver& type_resolver() {
  static auto* resolver = google::protobuf::util::NewTypeResolverForDescriptorPool(
      type_prefix, proto::Example::descriptor()->file()->pool());
  return *resolver;
}

}  // namespace

Result<std::string> serialize_tensor(const Tensor& tensor, StringsIn strings) {
  auto bytes = bytes_of_elements(tensor);
  if (bytes > max_message_bytes - header_bytes)
    return invalid_argument(
        std::string("a message cannot hold ") + to_string(tensor.dtype()) +
        tensor.shape().to_string() + ": " + std::to_string(bytes) + " bytes are more than 2 GiB");
  return tensor_to_proto(tensor, strings).SerializeAsString();
}

Result<Tensor> parse_tensor(const std::string& bytes, size_t max_bytes) {
  proto::TensorProto message;
  google::protobuf::LogSilencer silencer;  // what is wrong with the bytes, the caller is told
  if (bytes.size() > max_message_bytes || !message.ParseFromString(bytes))
    return invalid_argument(
        "the " + std::to_string(bytes.size()) + " bytes are no message of a tensor");
  return tensor_from_proto(message, max_bytes);
}

Result<std::string> example_from_json(const std::string& json) {
  std::string bytes;
  auto type = std::string(type_prefix) + "/" + proto::Example::descriptor()->full_name();
  auto status = google::protobuf::util::JsonToBinaryString(&type_resolver(), type, json, &bytes);
  if (status.ok()) return bytes;
  return invalid_argument(
      "Error while parsing JSON: " + std::string(status.message().data(), status.message().size()));
}

std::string serialize_reader_state(const ReaderState& state) {
  proto::ReaderBaseState message;
  message.set_work_started(state.work_started);
  message.set_work_finished(state.work_finished);
  message.set_num_records_produced(state.records_produced);
  message.set_current_work(state.work_unit);
  return message.SerializeAsString();
}

std::optional<ReaderState> parse_reader_state(const std::string& bytes) {
  proto::ReaderBaseState message;
  google::protobuf::LogSilencer silencer;
  if (bytes.size() > max_message_bytes || !message.ParseFromString(bytes)) return std::nullopt;
  return ReaderState{
      .work_started = message.work_started(),
      .work_finished = message.work_finished(),
      .records_produced = message.num_records_produced(),
      .work_unit = message.current_work()};
}

}  // namespace troupe
