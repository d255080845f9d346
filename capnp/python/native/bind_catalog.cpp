#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe::python {
namespace {

nb::object dtypes_of(const DTypes& dtypes) {
  nb::list numbers;
  for (auto dtype : dtypes) numbers.append(static_cast<int>(dtype));
  return nb::tuple(numbers);
}

nb::dict describe(const Argument& argument) {
  nb::dict facts;
  facts["name"] = argument.name;
  facts["dtype"] = static_cast<int>(argument.dtype);
  facts["dtype_attr"] = argument.dtype_attr;
  facts["count_attr"] = argument.count_attr;
  facts["dtypes_attr"] = argument.dtypes_attr;
  return facts;
}

nb::dict describe(const AttrRule& rule) {
  nb::dict facts;
  facts["name"] = rule.name;
  facts["type"] = to_string(rule.type);
  facts["has_default"] = rule.fallback.has_value();
  facts["default"] = rule.fallback ? to_python(*rule.fallback) : nb::none();
  facts["allowed"] = dtypes_of(rule.allowed_dtypes);
  return facts;
}

template <class T>
nb::list describe_all(const std::vector<T>& things) {
  nb::list list;
  for (const auto& thing : things) list.append(describe(thing));
  return list;
}

/// All that the Python functions of the ops are made of.
nb::dict describe_ops() {
  nb::dict ops;
  auto catalog = make_op_catalog();
  for (const auto& [name, op] : catalog->all()) {
    nb::dict facts;
    facts["doc"] = op.doc();
    facts["inputs"] = describe_all(op.inputs());
    facts["outputs"] = describe_all(op.outputs());
    facts["attrs"] = describe_all(op.attrs());
    facts["is_stateful"] = op.is_stateful();
    ops[name.c_str()] = facts;
  }
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
  module.def("dtypes", &describe_dtypes);
}

}  // namespace troupe::python
