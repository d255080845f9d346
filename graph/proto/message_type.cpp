#include "troupe/graph/proto/message_type.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <troupe_proto/example.pb.h>
#include <troupe_proto/graph.pb.h>

#include <vector>

#include "troupe/graph/support/file.hpp"

namespace troupe {
namespace {

namespace pb = google::protobuf;

constexpr std::string_view bytes_prefix = "bytes://", local_source = "local://";
constexpr std::string_view tensorflow_prefix = "tensorflow.", own_prefix = "troupe.proto.";

/// Says what is wrong with a descriptor, and keeps it from the log.
class DescriptorErrors final : public pb::DescriptorPool::ErrorCollector {
 public:
  void AddError(
      const std::string& file, const std::string& element, const pb::Message*, ErrorLocation,
      const std::string& message) override {
    if (first.empty()) first = file + ": " + element + ": " + message;
  }

  std::string first;
};

class TextErrors final : public pb::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (first.empty())
      first = std::to_string(line + 1) + ":" + std::to_string(column + 1) + ": " + message;
  }

  std::string first;
};

Result<std::string> read_file(const std::string& path) {
  auto file = FileReader::open(path);
  if (!file) return file.status();
  constexpr uint64_t most = uint64_t{1} << 30;
  if (file->size() > most) return invalid_argument("'" + path + "' is too large for descriptors");
  std::string bytes(static_cast<size_t>(file->size()), '\0');
  if (auto status = file->read(0, bytes.data(), bytes.size()); !status.ok()) return status;
  return bytes;
}

Result<std::unique_ptr<pb::DescriptorPool>> read_pool(const std::string& source) {
  auto is_bytes = source.starts_with(bytes_prefix);
  auto bytes =
      is_bytes ? Result<std::string>(source.substr(bytes_prefix.size())) : read_file(source);
  if (!bytes) return bytes.status();
  pb::FileDescriptorSet set;
  if (!set.ParseFromString(*bytes))
    return invalid_argument(
        is_bytes ? "Source does not represent serialized file descriptor set proto."
                 : "descriptor_source contains invalid FileDescriptorSet: " + source);
  auto pool = std::make_unique<pb::DescriptorPool>();
  for (const auto& file : set.file()) {
    DescriptorErrors errors;
    if (!pool->BuildFileCollectingErrors(file, &errors))
      return invalid_argument("Failed to load FileDescriptorProto: " + errors.first);
  }
  return pool;
}

/// The messages that this process is linked with, under TensorFlow's names.
const pb::Descriptor* find_local(const std::string& name) {
  // The files of these are linked in by what they name.
  proto::Example::descriptor();
  proto::GraphDef::descriptor();
  auto own = name.starts_with(tensorflow_prefix)
                 ? std::string(own_prefix) + name.substr(tensorflow_prefix.size())
                 : name;
  return pb::DescriptorPool::generated_pool()->FindMessageTypeByName(own);
}

std::variant<double, int64_t, uint64_t, std::string> value_of_absent(
    const pb::FieldDescriptor& field) {
  using Field = pb::FieldDescriptor;
  switch (field.cpp_type()) {
    case Field::CPPTYPE_DOUBLE: return field.default_value_double();
    case Field::CPPTYPE_FLOAT: return double{field.default_value_float()};
    case Field::CPPTYPE_INT32: return int64_t{field.default_value_int32()};
    case Field::CPPTYPE_INT64: return int64_t{field.default_value_int64()};
    case Field::CPPTYPE_UINT32: return uint64_t{field.default_value_uint32()};
    case Field::CPPTYPE_UINT64: return uint64_t{field.default_value_uint64()};
    case Field::CPPTYPE_BOOL: return int64_t{field.default_value_bool()};
    case Field::CPPTYPE_ENUM: return int64_t{field.default_value_enum()->number()};
    case Field::CPPTYPE_STRING: return field.default_value_string();
    case Field::CPPTYPE_MESSAGE: break;
  }
  return std::string();
}

}  // namespace

struct MessageType::Known {
  std::unique_ptr<pb::DescriptorPool> own_pool;  // null for those of this process
  const pb::DescriptorPool* pool;
  const pb::Descriptor* type;
};

Result<MessageType> MessageType::find(const std::string& source, const std::string& name) {
  auto known = std::make_shared<Known>();
  if (source == local_source) {
    known->pool = pb::DescriptorPool::generated_pool();
    known->type = find_local(name);
  } else {
    auto pool = read_pool(source);
    if (!pool) return pool.status();
    known->own_pool = *std::move(pool);
    known->pool = known->own_pool.get();
    known->type = known->pool->FindMessageTypeByName(name);
  }
  if (!known->type) return invalid_argument("No descriptor found for message type " + name);
  return MessageType(std::move(known));
}

Result<MessageField> MessageType::field(const std::string& name) const {
  const auto* field = known_->type->FindFieldByName(name);
  if (!field) {
    std::vector<const pb::FieldDescriptor*> extensions;
    known_->pool->FindAllExtensions(known_->type, &extensions);
    for (const auto* extension : extensions)
      if (extension->full_name() == name) field = extension;
  }
  if (!field)
    return invalid_argument(
        "Unknown field: " + name + " in message type " + known_->type->full_name());
  return MessageField{
      .number = field->number(),
      .kind = static_cast<FieldKind>(field->type()),
      .is_repeated = field->is_repeated(),
      .is_packed = field->options().packed(),
      .absent = value_of_absent(*field)};
}

Result<std::string> MessageType::from_text(const std::string& text) const {
  pb::DynamicMessageFactory factory;
  std::unique_ptr<pb::Message> message(factory.GetPrototype(known_->type)->New());
  pb::TextFormat::Parser parser;
  TextErrors errors;
  parser.RecordErrorsTo(&errors);
  std::string bytes;
  if (parser.ParseFromString(text, message.get()) && message->SerializeToString(&bytes))
    return bytes;
  return Status(Code::data_loss, "Unable to parse text protobuf: " + errors.first);
}

Result<std::string> MessageType::rewritten(const std::string& bytes) const {
  pb::DynamicMessageFactory factory;
  std::unique_ptr<pb::Message> message(factory.GetPrototype(known_->type)->New());
  std::string again;
  if (message->ParseFromString(bytes) && message->SerializeToString(&again)) return again;
  return Status(Code::data_loss, "Unable to parse binary protobuf");
}

}  // namespace troupe
