#pragma once

#include <concepts>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "troupe/graph/types/dtype.hpp"
#include "troupe/graph/types/shape.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// The kinds of attribute values, in the order of AttrValue's alternatives.
enum class AttrType : uint8_t {
  integer,
  real,
  boolean,
  string,
  dtype,
  shape,
  tensor,
  integers,
  reals,
  strings,
  dtypes,
  shapes,
};

/// "int", "list(type)": as op definitions of TensorFlow spell them.
const char* to_string(AttrType type);

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

/// The value of one attribute of a node.
class AttrValue {
 public:
  using Variant = std::variant<
      int64_t, float, bool, std::string, DType, Shape, Tensor, std::vector<int64_t>,
      std::vector<float>, std::vector<std::string>, DTypes, Shapes>;

  AttrValue() = default;
  template <std::same_as<bool> B>
  AttrValue(B value) : value_(value) {}
  template <Integer I>
  AttrValue(I value) : value_(static_cast<int64_t>(value)) {}
  template <std::floating_point F>
  AttrValue(F value) : value_(static_cast<float>(value)) {}
  AttrValue(const char* value) : value_(std::string(value)) {}
  AttrValue(std::string value) : value_(std::move(value)) {}
  AttrValue(DType value) : value_(value) {}
  AttrValue(Shape value) : value_(value) {}
  AttrValue(Tensor value) : value_(std::move(value)) {}
  AttrValue(std::vector<int64_t> values) : value_(std::move(values)) {}
  AttrValue(std::vector<float> values) : value_(std::move(values)) {}
  AttrValue(std::vector<std::string> values) : value_(std::move(values)) {}
  AttrValue(DTypes values) : value_(std::move(values)) {}
  AttrValue(Shapes values) : value_(std::move(values)) {}

  AttrType type() const { return static_cast<AttrType>(value_.index()); }
  const Variant& variant() const { return value_; }
  /// Null when the value is of another type.
  template <class T>
  const T* get() const {
    return std::get_if<T>(&value_);
  }
  std::string to_string() const;

 private:
  Variant value_;
};

using Attrs = std::map<std::string, AttrValue, std::less<>>;

}  // namespace troupe
