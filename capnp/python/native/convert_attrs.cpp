#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "troupe/capnp/python/native/convert.hpp"

namespace troupe::python {
namespace {

std::string to_text(nb::handle value) {
  if (nb::isinstance<nb::bytes>(value)) {
    auto bytes = nb::borrow<nb::bytes>(value);
    return {bytes.c_str(), bytes.size()};
  }
  return nb::cast<std::string>(value);
}

template <class T, class Convert>
std::vector<T> to_vector(nb::handle values, Convert convert) {
  std::vector<T> converted;
  for (auto value : values) converted.push_back(convert(value));
  return converted;
}

template <class T, class Convert>
nb::list to_list(const std::vector<T>& values, Convert convert) {
  nb::list list;
  for (const auto& value : values) list.append(convert(value));
  return list;
}

DType dtype_in(nb::handle value) { return to_dtype(nb::cast<int>(value)); }

/// An attribute of a function, whose type nothing but the value tells.
AttrValue attr_of_function(nb::handle value) {
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value);
  if (nb::isinstance<nb::int_>(value)) return nb::cast<int64_t>(value);
  if (nb::isinstance<nb::float_>(value)) return nb::cast<float>(value);
  return to_text(value);
}

/// A name, or a pair of a name and a dict of attributes: numbers, booleans and texts.
FunctionRef to_function(nb::handle value) {
  if (!nb::isinstance<nb::tuple>(value)) return FunctionRef(to_text(value));
  auto [name, given] = nb::cast<std::pair<std::string, nb::dict>>(value);
  Attrs attrs;
  for (auto [key, attr] : given) attrs[nb::cast<std::string>(key)] = attr_of_function(attr);
  return FunctionRef(std::move(name), attrs);
}

AttrValue convert(AttrType type, nb::handle value) {
  switch (type) {
    case AttrType::integer: return nb::cast<int64_t>(value);
    case AttrType::real: return nb::cast<float>(value);
    case AttrType::boolean: return nb::cast<bool>(value);
    case AttrType::string: return to_text(value);
    case AttrType::dtype: return dtype_in(value);
    case AttrType::shape: return to_shape(value);
    case AttrType::tensor: return nb::cast<TensorBuffer&>(value).tensor;
    case AttrType::integers: return nb::cast<std::vector<int64_t>>(value);
    case AttrType::reals: return nb::cast<std::vector<float>>(value);
    case AttrType::strings: return to_vector<std::string>(value, to_text);
    case AttrType::dtypes: return to_vector<DType>(value, dtype_in);
    case AttrType::shapes: return to_vector<Shape>(value, to_shape);
    case AttrType::function: return to_function(value);
    case AttrType::functions: return to_vector<FunctionRef>(value, to_function);
  }
  return {};
}

}  // namespace

DType to_dtype(int number) {
  auto dtype = static_cast<DType>(number);
  if (number < 0 || number > 255 || !is_valid(dtype))
    raise(invalid_argument("no dtype has the number " + std::to_string(number)));
  return dtype;
}

nb::object to_python(const Shape& shape) {
  if (!shape.has_rank()) return nb::none();
  return nb::tuple(to_list(
      std::vector<int64_t>(shape.sizes().begin(), shape.sizes().end()),
      [](int64_t size) { return nb::int_(size); }));
}

Shape to_shape(nb::handle sizes) {
  if (sizes.is_none()) return Shape::unknown_rank();
  auto values = to_vector<int64_t>(sizes, [](nb::handle size) {
    return size.is_none() ? Shape::unknown : nb::cast<int64_t>(size);
  });
  return take(Shape::make(values));
}

nb::object to_python(const AttrValue& value) {
  auto number = [](DType dtype) { return nb::int_(static_cast<int>(dtype)); };
  auto text = [](const std::string& value) { return nb::bytes(value.data(), value.size()); };
  auto function = [](const FunctionRef& value) -> nb::object {
    if (value.attrs().empty()) return nb::str(value.name().c_str(), value.name().size());
    nb::dict attrs;
    for (const auto& [name, attr] : value.attrs()) attrs[name.c_str()] = to_python(attr);
    return nb::make_tuple(value.name(), attrs);
  };
  return std::visit(
      [&](const auto& held) -> nb::object {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, DType>) return number(held);
        else if constexpr (std::is_same_v<T, Shape>) return to_python(held);
        else if constexpr (std::is_same_v<T, Tensor>) return nb::cast(TensorBuffer{held, false});
        else if constexpr (std::is_same_v<T, std::string>) return text(held);
        else if constexpr (std::is_same_v<T, std::vector<std::string>>) return to_list(held, text);
        else if constexpr (std::is_same_v<T, DTypes>) return to_list(held, number);
        else if constexpr (std::is_same_v<T, FunctionRef>) return function(held);
        else if constexpr (std::is_same_v<T, FunctionRefs>) return to_list(held, function);
        else if constexpr (std::is_same_v<T, Shapes>)
          return to_list(held, [](const Shape& shape) { return to_python(shape); });
        else return nb::cast(held);
      },
      value.variant());
}

AttrValue to_attr(const AttrRule& rule, nb::handle value) {
  try {
    return convert(rule.type, value);
  } catch (const nb::cast_error&) {
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  auto message = "attribute '" + rule.name + "' must be of type " + to_string(rule.type) +
                 ", not " + nb::cast<std::string>(nb::repr(value));
  throw nb::type_error(message.c_str());
}

AttrValue to_free_attr(nb::handle value) {
  if (nb::isinstance<nb::list>(value)) return to_vector<std::string>(value, to_text);
  return attr_of_function(value);
}

}  // namespace troupe::python
