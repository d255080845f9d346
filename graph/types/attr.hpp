#pragma once

#include <concepts>
#include <map>
#include <memory>
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
  function,
  functions,
};

/// "int", "list(type)": as op definitions of TensorFlow spell them.
const char* to_string(AttrType type);

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

class AttrValue;
using Attrs = std::map<std::string, AttrValue, std::less<>>;

/// A function of a graph's library by its name, with values for attributes of its definition. A
/// small value: copies share the attributes.
class FunctionRef {
 public:
  FunctionRef() = default;
  explicit FunctionRef(std::string name) : name_(std::move(name)) {}
  FunctionRef(std::string name, const Attrs& attrs);

  const std::string& name() const { return name_; }
  const Attrs& attrs() const;
  /// "f", "f[T=float32]".
  std::string to_string() const;
  bool operator==(const FunctionRef& other) const;

 private:
  std::string name_;
  std::shared_ptr<const Attrs> attrs_;  // null where there are none
};
using FunctionRefs = std::vector<FunctionRef>;

/// How deep functions may be nested in the attributes of functions; what is nested deeper is
/// InvalidArgument, in a graph and in messages.
inline constexpr int function_nesting_max = 8;

/// The value of one attribute of a node.
class AttrValue {
 public:
  using Variant = std::variant<
      int64_t, float, bool, std::string, DType, Shape, Tensor, std::vector<int64_t>,
      std::vector<float>, std::vector<std::string>, DTypes, Shapes, FunctionRef, FunctionRefs>;

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
  AttrValue(FunctionRef value) : value_(std::move(value)) {}
  AttrValue(FunctionRefs values) : value_(std::move(values)) {}

  AttrType type() const { return static_cast<AttrType>(value_.index()); }
  const Variant& variant() const { return value_; }
  /// Null when the value is of another type.
  template <class T>
  const T* get() const {
    return std::get_if<T>(&value_);
  }
  std::string to_string() const;
  /// How deep functions are nested in it: 0 without one, 1 for a function without attributes.
  int function_nesting() const;
  /// Bit by bit, so that a NaN equals itself.
  bool operator==(const AttrValue& other) const;

 private:
  Variant value_;
};

/// The functions that the value names, without those in attributes of functions.
FunctionRefs functions_in(const AttrValue& value);

}  // namespace troupe
