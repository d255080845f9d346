#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "troupe/devices/cpu/parsing/wire.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

/// The values of a feature, where they lie in the bytes of an example.
struct FeatureView {
  DType dtype = DType::invalid;  // float32, int64 or string; invalid where it has no values at all
  std::string_view bytes;        // of the message, from where its kind is decided
  int64_t count = 0;

  bool has_values() const { return dtype != DType::invalid; }
};

/// Reads a message Feature and counts its values; false where the bytes are none.
bool read_feature(std::string_view message, FeatureView& feature);

/// Copies the values of a feature that read_feature() read to the elements from `at` on of a tensor
/// of its dtype.
void copy_values(const FeatureView& feature, Tensor& out, int64_t at);

/// Calls f(key, value) for each entry of a map, which is the field 1 of a message; f returns false
/// to give up. False then, and where the bytes are no such message.
template <class F>
bool each_entry(std::string_view message, const F& f) {
  WireReader map(message);
  for (WireField entry; map.next(entry);) {
    if (entry.number != 1 || entry.type != WireType::bytes) continue;
    std::string_view key, value;
    WireReader parts(entry.bytes);
    for (WireField part; parts.next(part);) {
      if (part.type != WireType::bytes) continue;
      if (part.number == 1) key = part.bytes;
      if (part.number == 2) value = part.bytes;
    }
    if (parts.has_failed() || !f(key, value)) return false;
  }
  return !map.has_failed();
}

/// "float", "int64", "string", "bytes_list": TensorFlow's words for the types of features, which
/// messages of errors have.
const char* type_word(DType dtype);
const char* value_word(DType dtype);  // "float", "int64", "bytes"
const char* list_word(DType dtype);   // "float_list", or "empty" without values

/// "Data types don't match. ...": why a feature is not what was asked for.
std::string type_mismatch(DType expected, const FeatureView& feature);
/// "Number of float values != expected. ..."
std::string count_mismatch(const FeatureView& feature, const Shape& shape);

}  // namespace troupe::cpu
