#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

// Messages as bytes, for those who need not know what is in them.

namespace troupe {

/// The bytes that a tensor made of a message takes at most, unless a caller allows more or less. As
/// its last value stands for all elements that it does not have, a short message may describe a
/// large tensor. No message is larger itself.
inline constexpr size_t max_tensor_bytes_of_proto = size_t{1} << 31;

/// Where a message has the strings of a tensor; other elements are always content.
enum class StringsIn { field, content };

/// A tensor as the bytes of a message of TensorFlow's (TensorProto). InvalidArgument where it would
/// have more than 2 GiB, which no message can.
Result<std::string> serialize_tensor(const Tensor& tensor, StringsIn strings = StringsIn::field);

/// The tensor that such bytes describe. InvalidArgument where they are no such message, else as
/// tensor_from_proto().
Result<Tensor> parse_tensor(const std::string& bytes, size_t max_bytes = max_tensor_bytes_of_proto);

/// The bytes of an example (example.proto) that is given as JSON, in protobuf's mapping.
Result<std::string> example_from_json(const std::string& json);

/// What a reader has counted, and the last work unit that it began (reader_state.proto).
struct ReaderState {
  int64_t work_started = 0;
  int64_t work_finished = 0;
  int64_t records_produced = 0;
  std::string work_unit;
};
std::string serialize_reader_state(const ReaderState& state);
/// Nothing where the bytes are no such message.
std::optional<ReaderState> parse_reader_state(const std::string& bytes);

}  // namespace troupe
