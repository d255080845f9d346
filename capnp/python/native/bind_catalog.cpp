#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"
#include "troupe/devices/op_library.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/loaded_ops.hpp"

namespace troupe::python {
namespace {

nb::object dtypes_of(const DTypes& dtypes) {
  nb::list numbers;
  for (auto dtype : dtypes) numbers.append(static_cast<int>(dtype));
  return nb::tuple(numbers);
}

nb::dict describe(const Argument& argument) {
  nb::dict fields;
  fields["name"] = argument.name;
  fields["dtype"] = static_cast<int>(argument.dtype);
  fields["is_ref"] = argument.is_ref;
  fields["dtype_attr"] = argument.dtype_attr;
  fields["count_attr"] = argument.count_attr;
  fields["dtypes_attr"] = argument.dtypes_attr;
  return fields;
}

nb::dict describe(const AttrRule& rule) {
  nb::dict fields;
  fields["name"] = rule.name;
  fields["type"] = to_string(rule.type);
  fields["has_default"] = rule.fallback.has_value();
  fields["default"] = rule.fallback ? to_python(*rule.fallback) : nb::none();
  fields["allowed"] = dtypes_of(rule.allowed_dtypes);
  return fields;
}

template <class T>
nb::list describe_all(const std::vector<T>& items) {
  nb::list list;
  for (const auto& item : items) list.append(describe(item));
  return list;
}

nb::dict describe(const Op& op) {
  nb::dict fields;
  fields["doc"] = op.doc();
  fields["inputs"] = describe_all(op.inputs());
  fields["outputs"] = describe_all(op.outputs());
  fields["attrs"] = describe_all(op.attrs());
  fields["is_stateful"] = op.is_stateful();
  return fields;
}

/// The definitions of all ops, from which the Python functions are generated.
nb::dict describe_ops() {
  nb::dict ops;
  auto catalog = op_catalog();
  for (const auto& [name, op] : catalog->all()) ops[name.c_str()] = describe(op);
  return ops;
}

/// Loads a library of ops, and returns their definitions.
nb::dict load_ops(const std::string& path) {
  auto library = take(load_op_library(path));
  nb::dict ops;
  for (const auto& name : library.ops) ops[name.c_str()] = describe(*loaded_ops::find(name));
  return ops;
}

nb::list describe_dtypes() {
  nb::list list;
  for (int number = 1; number < 256; ++number) {
    auto dtype = static_cast<DType>(number);
    if (is_valid(dtype)) list.append(nb::make_tuple(to_string(dtype), number));
  }
  return list;
}

}  // namespace

void bind_catalog(nb::module_& module) {
  module.def("ops", &describe_ops);
  module.def("load_ops", &load_ops);
  module.def("dtypes", &describe_dtypes);
}

}  // namespace troupe::python
