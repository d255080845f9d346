#pragma once

#include <concepts>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "troupe/graph/dtype.hpp"
#include "troupe/graph/shape.hpp"
#include "troupe/graph/tensor.hpp"

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
  using Held = std::variant<
      int64_t, float, bool, std::string, DType, Shape, Tensor, std::vector<int64_t>,
      std::vector<float>, std::vector<std::string>, DTypes, Shapes>;

  AttrValue() = default;
  template <std::same_as<bool> B>
  AttrValue(B value) : held_(value) {}
  template <Integer I>
  AttrValue(I value) : held_(static_cast<int64_t>(value)) {}
  template <std::floating_point F>
  AttrValue(F value) : held_(static_cast<float>(value)) {}
  AttrValue(const char* value) : held_(std::string(value)) {}
  AttrValue(std::string value) : held_(std::move(value)) {}
  AttrValue(DType value) : held_(value) {}
  AttrValue(Shape value) : held_(value) {}
  AttrValue(Tensor value) : held_(std::move(value)) {}
  AttrValue(std::vector<int64_t> values) : held_(std::move(values)) {}
  AttrValue(std::vector<float> values) : held_(std::move(values)) {}
  AttrValue(std::vector<std::string> values) : held_(std::move(values)) {}
  AttrValue(DTypes values) : held_(std::move(values)) {}
  AttrValue(Shapes values) : held_(std::move(values)) {}

  AttrType type() const { return static_cast<AttrType>(held_.index()); }
  const Held& held() const { return held_; }
  /// Null when the value is of another type.
  template <class T>
  const T* get() const {
    return std::get_if<T>(&held_);
  }
  std::string to_string() const;

 private:
  Held held_;
};

using Attrs = std::map<std::string, AttrValue, std::less<>>;

}  // namespace troupe
