#include "troupe/graph/import/attr_proto.hpp"

#include <algorithm>
#include <array>

#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/ops/handle.hpp"
#include "troupe/graph/ops/loops.hpp"
#include "troupe/graph/proto/tensor_proto.hpp"

namespace troupe {
namespace {

/// References have the dtype of their values.
Result<DType> dtype_in_attr(proto::DataType number) {
  constexpr int ref_offset = 100;
  auto value = static_cast<int>(number);
  return dtype_from_proto(
      static_cast<proto::DataType>(value > ref_offset ? value - ref_offset : value));
}

Result<Tensor> take_tensor(const proto::TensorProto& message, size_t& bytes_left) {
  auto tensor = tensor_from_proto(message, bytes_left);
  if (tensor) bytes_left -= std::min(bytes_left, tensor->bytes());
  return tensor;
}

Result<FunctionRef> function_from_proto(const proto::NameAttrList& message, size_t& bytes_left) {
  Attrs attrs;
  for (const auto& [name, value] : message.attr()) {
    auto attr = attr_from_proto(value, nullptr, bytes_left);
    if (!attr) return attr.status();
    attrs.emplace(name, *std::move(attr));
  }
  return FunctionRef(message.name(), attrs);
}

template <class T, class Messages, class Convert>
Result<AttrValue> list_of(const Messages& messages, Convert convert) {
  std::vector<T> values;
  for (const auto& message : messages) {
    auto value = convert(message);
    if (!value) return value.status();
    values.push_back(*std::move(value));
  }
  return AttrValue(std::move(values));
}

/// The type of a list's elements, which an empty one does not tell.
Result<AttrType> type_of(const proto::AttrValue::ListValue& list, const AttrRule* rule) {
  if (list.i_size() > 0) return AttrType::integers;
  if (list.f_size() > 0) return AttrType::reals;
  if (list.s_size() > 0) return AttrType::strings;
  if (list.type_size() > 0) return AttrType::dtypes;
  if (list.shape_size() > 0) return AttrType::shapes;
  if (list.func_size() > 0) return AttrType::functions;
  if (list.b_size() > 0) return unimplemented("lists of bools are not supported");
  if (list.tensor_size() > 0) return unimplemented("lists of tensors are not supported");
  return rule ? rule->type : AttrType::strings;
}

Result<AttrValue> list_from_proto(
    const proto::AttrValue::ListValue& list, const AttrRule* rule, size_t& bytes_left) {
  auto type = type_of(list, rule);
  if (!type) return type.status();
  switch (*type) {
    case AttrType::integers:
      return AttrValue(std::vector<int64_t>(list.i().begin(), list.i().end()));
    case AttrType::reals: return AttrValue(std::vector<float>(list.f().begin(), list.f().end()));
    case AttrType::strings:
      return AttrValue(std::vector<std::string>(list.s().begin(), list.s().end()));
    case AttrType::dtypes:
      return list_of<DType>(list.type(), [](int number) {
        return dtype_in_attr(static_cast<proto::DataType>(number));
      });
    case AttrType::shapes:
      return list_of<Shape>(
          list.shape(), [](const auto& shape) { return shape_from_proto(shape); });
    case AttrType::functions:
      return list_of<FunctionRef>(list.func(), [&](const auto& function) {
        return function_from_proto(function, bytes_left);
      });
    default: return invalid_argument(std::string("a list is no ") + to_string(*type));
  }
}

proto::NameAttrList function_to_proto(const FunctionRef& function) {
  proto::NameAttrList message;
  message.set_name(function.name());
  for (const auto& [name, value] : function.attrs())
    if (!is_internal_attr(name)) (*message.mutable_attr())[name] = attr_to_proto(value);
  return message;
}

/// Sets the field for values of that type.
struct AttrWriter {
  proto::AttrValue& to;

  void operator()(int64_t value) const { to.set_i(value); }
  void operator()(float value) const { to.set_f(value); }
  void operator()(bool value) const { to.set_b(value); }
  void operator()(const std::string& value) const { to.set_s(value); }
  void operator()(DType value) const { to.set_type(dtype_to_proto(value)); }
  void operator()(const Shape& value) const { *to.mutable_shape() = shape_to_proto(value); }
  void operator()(const Tensor& value) const { *to.mutable_tensor() = tensor_to_proto(value); }
  void operator()(const FunctionRef& value) const { *to.mutable_func() = function_to_proto(value); }
  void operator()(const std::vector<int64_t>& values) const {
    for (auto value : values) list().add_i(value);
  }
  void operator()(const std::vector<float>& values) const {
    for (auto value : values) list().add_f(value);
  }
  void operator()(const std::vector<std::string>& values) const {
    for (const auto& value : values) list().add_s(value);
  }
  void operator()(const DTypes& values) const {
    for (auto value : values) list().add_type(dtype_to_proto(value));
  }
  void operator()(const Shapes& values) const {
    for (const auto& value : values) *list().add_shape() = shape_to_proto(value);
  }
  void operator()(const FunctionRefs& values) const {
    for (const auto& value : values) *list().add_func() = function_to_proto(value);
  }

 private:
  proto::AttrValue::ListValue& list() const { return *to.mutable_list(); }
};

}  // namespace

bool is_internal_attr(std::string_view name) {
  constexpr std::array<std::string_view, 5> internal = {
      loops::shape_attr, unpinned_attr, functional::forward_call_attr,
      functional::forward_node_attr, functional::gradient_function_attr};
  return name.starts_with('_') && std::ranges::count(internal, name) > 0;
}

Result<AttrValue> attr_from_proto(
    const proto::AttrValue& message, const AttrRule* rule, size_t& bytes_left) {
  switch (message.value_case()) {
    case proto::AttrValue::kS: return AttrValue(message.s());
    case proto::AttrValue::kI: return AttrValue(static_cast<int64_t>(message.i()));
    case proto::AttrValue::kF: return AttrValue(message.f());
    case proto::AttrValue::kB: return AttrValue(message.b());
    case proto::AttrValue::kType: return dtype_in_attr(message.type());
    case proto::AttrValue::kShape: return shape_from_proto(message.shape());
    case proto::AttrValue::kTensor: return take_tensor(message.tensor(), bytes_left);
    case proto::AttrValue::kFunc: return function_from_proto(message.func(), bytes_left);
    case proto::AttrValue::kList: return list_from_proto(message.list(), rule, bytes_left);
    case proto::AttrValue::kPlaceholder:
      return unimplemented(
          "it is that attribute '" + message.placeholder() +
          "' of a function's call, and functions with attributes are not supported");
    case proto::AttrValue::VALUE_NOT_SET: break;
  }
  return invalid_argument("it has no value");
}

proto::AttrValue attr_to_proto(const AttrValue& value) {
  proto::AttrValue message;
  if (value.type() >= AttrType::integers && value.type() != AttrType::function)
    message.mutable_list();  // also where it is empty
  std::visit(AttrWriter{message}, value.variant());
  return message;
}

bool is_zero(const proto::AttrValue& message) {
  switch (message.value_case()) {
    case proto::AttrValue::kS: return message.s().empty();
    case proto::AttrValue::kI: return message.i() == 0;
    case proto::AttrValue::kF: return message.f() == 0;
    case proto::AttrValue::kB: return !message.b();
    case proto::AttrValue::kType: return message.type() == proto::DT_INVALID;
    case proto::AttrValue::kShape:
      return message.shape().unknown_rank() || message.shape().dim_size() == 0;
    case proto::AttrValue::kList: return message.list().ByteSizeLong() == 0;
    case proto::AttrValue::kFunc: return message.func().name().empty();
    default: return message.value_case() == proto::AttrValue::VALUE_NOT_SET;
  }
}

}  // namespace troupe
