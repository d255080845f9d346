#include "troupe/devices/cpu/parsing/features.hpp"

#include <bit>

namespace troupe::cpu {
namespace {

DType dtype_of_list(const WireField& field) {
  if (field.type != WireType::bytes) return DType::invalid;
  switch (field.number) {
    case 1: return DType::string;
    case 2: return DType::float32;
    case 3: return DType::int64;
    default: return DType::invalid;
  }
}

// Calls f(value) for each value of a list; false where the bytes are no such list. Numbers may be
// packed, or a field each.

template <class F>
bool each_string(std::string_view list, const F& f) {
  WireReader reader(list);
  for (WireField field; reader.next(field);)
    if (field.number == 1 && field.type == WireType::bytes) f(field.bytes);
  return !reader.has_failed();
}

template <class F>
bool each_float(std::string_view list, const F& f) {
  WireReader reader(list);
  for (WireField field; reader.next(field);) {
    if (field.number != 1) continue;
    if (field.type == WireType::fixed32)
      f(std::bit_cast<float>(static_cast<uint32_t>(field.value)));
    if (field.type != WireType::bytes) continue;
    if (field.bytes.size() % sizeof(float) != 0) return false;
    for (size_t at = 0; at < field.bytes.size(); at += sizeof(float)) {
      float value;
      std::memcpy(&value, field.bytes.data() + at, sizeof(float));
      f(value);
    }
  }
  return !reader.has_failed();
}

template <class F>
bool each_int(std::string_view list, const F& f) {
  WireReader reader(list);
  for (WireField field; reader.next(field);) {
    if (field.number != 1) continue;
    if (field.type == WireType::varint) f(static_cast<int64_t>(field.value));
    if (field.type != WireType::bytes) continue;
    WireReader packed(field.bytes);
    for (uint64_t value; !packed.rest().empty(); f(static_cast<int64_t>(value)))
      if (!packed.take_varint(value)) return false;
  }
  return !reader.has_failed();
}

/// Calls f(list) for each list of the feature's kind: there may be several, which count as one.
template <class F>
bool each_list(const FeatureView& feature, const F& f) {
  WireReader reader(feature.bytes);
  for (WireField field; reader.next(field);)
    if (dtype_of_list(field) == feature.dtype && !f(field.bytes)) return false;
  return !reader.has_failed();
}

bool count_values(std::string_view list, DType dtype, int64_t& count) {
  if (dtype == DType::string) return each_string(list, [&](std::string_view) { ++count; });
  if (dtype == DType::float32) return each_float(list, [&](float) { ++count; });
  return each_int(list, [&](int64_t) { ++count; });
}

}  // namespace

bool read_feature(std::string_view message, FeatureView& feature) {
  feature = {};
  WireReader reader(message);
  auto rest = reader.rest();
  for (WireField field; reader.next(field); rest = reader.rest()) {
    auto dtype = dtype_of_list(field);
    if (dtype == DType::invalid || dtype == feature.dtype) continue;
    feature.dtype = dtype;  // of several kinds the last one holds
    feature.bytes = rest;
  }
  if (reader.has_failed()) return false;
  return each_list(feature, [&](std::string_view list) {
    return count_values(list, feature.dtype, feature.count);
  });
}

void copy_values(const FeatureView& feature, Tensor& out, int64_t at) {
  if (feature.count == 0) return;
  auto is_read = each_list(feature, [&](std::string_view list) {
    if (feature.dtype == DType::string)
      return each_string(
          list, [&, to = out.mutable_data<std::string>()](auto value) { to[at++] = value; });
    if (feature.dtype == DType::float32)
      return each_float(
          list, [&, to = out.mutable_data<float>()](auto value) { to[at++] = value; });
    return each_int(list, [&, to = out.mutable_data<int64_t>()](auto value) { to[at++] = value; });
  });
  CHECK(is_read);
}

const char* type_word(DType dtype) { return dtype == DType::float32 ? "float" : to_string(dtype); }

const char* value_word(DType dtype) { return dtype == DType::string ? "bytes" : type_word(dtype); }

const char* list_word(DType dtype) {
  switch (dtype) {
    case DType::string: return "bytes_list";
    case DType::float32: return "float_list";
    case DType::int64: return "int64_list";
    default: return "empty";
  }
}

std::string type_mismatch(DType expected, const FeatureView& feature) {
  return std::string("Data types don't match. Expected type: ") + type_word(expected) +
         "  Feature is: " + list_word(feature.dtype);
}

std::string count_mismatch(const FeatureView& feature, const Shape& shape) {
  return std::string("Number of ") + value_word(feature.dtype) +
         " values != expected.  values size: " + std::to_string(feature.count) +
         " but output shape: " + shape.to_string();
}

}  // namespace troupe::cpu
