#include "troupe/graph/proto/bundle_messages.hpp"

#include <google/protobuf/stubs/logging.h>
#include <troupe_proto/tensor_bundle.pb.h>

#include "troupe/graph/proto/tensor_proto.hpp"
#include "troupe/graph/proto/tensor_slice_proto.hpp"

namespace troupe {
namespace {

template <class Message>
bool parse_quietly(const std::string& bytes, Message& message) {
  google::protobuf::LogSilencer silencer;  // what is wrong with the bytes, the caller is told
  return message.ParseFromString(bytes);
}

}  // namespace

std::string serialize_bundle_header(const BundleHeader& header) {
  proto::BundleHeaderProto message;
  message.set_num_shards(header.data_files);
  message.set_endianness(
      header.is_big_endian ? proto::BundleHeaderProto::BIG : proto::BundleHeaderProto::LITTLE);
  auto& version = *message.mutable_version();
  version.set_producer(header.producer);
  version.set_min_consumer(header.min_consumer);
  for (auto consumer : header.bad_consumers) version.add_bad_consumers(consumer);
  return message.SerializeAsString();
}

std::optional<BundleHeader> parse_bundle_header(const std::string& bytes) {
  proto::BundleHeaderProto message;
  if (!parse_quietly(bytes, message)) return {};
  const auto& version = message.version();
  return BundleHeader{
      .data_files = message.num_shards(),
      .is_big_endian = message.endianness() != proto::BundleHeaderProto::LITTLE,
      .producer = version.producer(),
      .min_consumer = version.min_consumer(),
      .bad_consumers = {version.bad_consumers().begin(), version.bad_consumers().end()}};
}

std::string serialize_bundle_entry(const BundleEntry& entry) {
  proto::BundleEntryProto message;
  message.set_dtype(dtype_to_proto(entry.dtype));
  *message.mutable_shape() = shape_to_proto(entry.shape);
  message.set_shard_id(entry.data_file);
  message.set_offset(entry.offset);
  message.set_size(entry.size);
  message.set_crc32c(entry.checksum);
  for (const auto& extents : entry.slices) *message.add_slices() = slice_to_proto(extents);
  return message.SerializeAsString();
}

Result<BundleEntry> parse_bundle_entry(const std::string& bytes) {
  proto::BundleEntryProto message;
  if (!parse_quietly(bytes, message)) return Status(Code::data_loss, "its entry is no message");
  auto dtype = dtype_from_proto(message.dtype());
  if (!dtype) return unimplemented(dtype.status().message());
  auto shape = shape_from_proto(message.shape());
  if (!shape) return Status(Code::data_loss, shape.status().message());
  if (!shape->is_known() || shape->elements() > Shape::max_elements)
    return Status(Code::data_loss, "its entry has shape " + shape->to_string());
  BundleEntry entry{
      .dtype = *dtype,
      .shape = *shape,
      .data_file = message.shard_id(),
      .offset = message.offset(),
      .size = message.size(),
      .checksum = message.crc32c(),
      .slices = {}};
  for (const auto& slice : message.slices()) {
    auto extents = slice_from_proto(slice, *shape);
    if (!extents) return Status(Code::data_loss, "its entry has a slice outside of its shape");
    entry.slices.push_back(*std::move(extents));
  }
  return entry;
}

}  // namespace troupe
