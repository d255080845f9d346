#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"
#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/build/control_flow.hpp"
#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/draw/dot.hpp"
#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/signature.hpp"

namespace troupe::python {
namespace {

/// The index of a node and of one of its outputs, by which Python finds its objects for them.
using Place = std::pair<int, int>;

Place place_of(const Value& value) { return {value.output().node, value.output().index}; }

/// Throws the error of an invalid node: a TypeError for wrong dtypes or types of attributes, else a
/// ValueError; both are InvalidArgumentErrors too.
[[noreturn]] void raise_build_error(const Status& status, bool is_type_error) {
  const auto& where = status.where();
  auto error = call_object(
      import_module("troupe._src.types.errors").attr("build_error"), is_type_error,
      status.message(), where.node, where.op);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

/// Throws the builder's error and clears it, so that later calls do not fail because of it.
void check(const Builder& builder) {
  auto status = builder.take_status();
  if (!status.ok()) raise_build_error(status, false);
}

Value checked(const Builder& builder, Value value) {
  check(builder);
  return value;
}

/// True for a number below the least that an attribute may be, or another text than it allows.
bool is_out_of_range(const AttrRule& rule, const AttrValue& value) {
  if (const auto* number = value.get<int64_t>()) return *number < rule.minimum;
  const auto* text = value.get<std::string>();
  return text && !rule.allowed_strings.empty() && !std::ranges::count(rule.allowed_strings, *text);
}

/// True if the dtypes of the inputs or the types of attributes do not match the op's signature.
bool is_type_error(const Op& op, const Values& inputs, Attrs attrs) {
  for (const auto& [name, value] : attrs)
    if (const auto* rule = op.find_attr(name); rule && is_out_of_range(*rule, value)) return false;
  DTypes dtypes;
  for (const auto& input : inputs) dtypes.push_back(input.dtype());
  return !complete_signature(op, dtypes, attrs).ok();
}

Value add_op(
    const Builder& builder, const std::string& op_name, const std::vector<Value>& inputs,
    nb::dict given, const std::string& name) {
  const auto* op = take(builder.graph().catalog().find(op_name));
  Attrs attrs;
  for (auto [key, value] : given) {
    auto attr_name = nb::cast<std::string>(key);
    const auto* rule = op->find_attr(attr_name);
    if (rule) attrs.emplace(attr_name, to_attr(*rule, value));
    else if (attr_name == functional::gradient_function_attr)
      attrs.emplace(attr_name, FunctionRef(nb::cast<std::string>(value)));
    else if (attr_name.starts_with('_')) attrs.emplace(attr_name, to_free_attr(value));
    else attrs.emplace(attr_name, "");  // the op refuses it, by name
  }
  auto value = builder.named(name).op(op_name, inputs, attrs);
  auto status = builder.take_status();
  if (!status.ok()) raise_build_error(status, is_type_error(*op, inputs, std::move(attrs)));
  return value;
}

/// A variable that Builder::variables() does not list, so that monitored sessions do not wait for
/// its value.
Variable add_local_variable(
    const Builder& builder, const std::string& name, const Value& initial,
    const std::string& container, const std::string& shared_name) {
  auto inner = builder.scope(name);
  Variable variable{
      .name = inner.prefix().substr(0, inner.prefix().size() - 1),
      .handle = {},
      .initializer = {},
      .dtype = initial.dtype(),
      .shape = initial.shape()};
  variable.handle = inner.named("handle").op(
      "VarHandleOp", {},
      {{"dtype", variable.dtype},
       {"shape", variable.shape},
       {"container", container},
       {"shared_name", shared_name}});
  variable.initializer = inner.named("assign").op("AssignVariableOp", {variable.handle, initial});
  check(builder);
  return variable;
}

/// The variable with control dependencies: reads and updates through it run after those nodes.
Variable after(const Variable& variable, const Values& nodes) {
  auto later = variable;
  later.handle = variable.handle.builder().after(nodes).value(variable.handle.output());
  return later;
}

const Node& node_at(const Builder& builder, int id) {
  if (id < 0 || id >= builder.graph().size()) raise(not_found("the graph has no such node"));
  return builder.graph().node(id);
}

nb::dict attrs_of(const Builder& builder, int id) {
  nb::dict attrs;
  for (const auto& [name, value] : node_at(builder, id).attrs)
    attrs[nb::str(name.c_str())] = to_python(value);
  return attrs;
}

std::vector<Place> inputs_of(const Builder& builder, int id) {
  std::vector<Place> places;
  for (auto input : node_at(builder, id).inputs) places.emplace_back(input.node, input.index);
  return places;
}

nb::tuple outputs_of(const Builder& builder, int id) {
  nb::list fields;
  const auto& node = node_at(builder, id);
  for (size_t i = 0; i < node.output_dtypes.size(); ++i)
    fields.append(
        nb::make_tuple(static_cast<int>(node.output_dtypes[i]), to_python(node.output_shapes[i])));
  return nb::tuple(fields);
}

nb::object constant_value(const Builder& builder, const Value& value) {
  auto known = builder.graph().constant_value(value.output());
  return known ? nb::cast(TensorBuffer{*known, false}) : nb::none();
}

/// A value; values, indices and shape of rows; None for an x that the ys do not depend on.
nb::object to_object(const GradientValue& gradient) {
  if (gradient.rows)
    return nb::make_tuple(
        gradient.rows->values, gradient.rows->indices, gradient.rows->dense_shape);
  return gradient.tensor.is_valid() ? nb::cast(gradient.tensor) : nb::none();
}

/// Gives the node the gradients of the program's function for it; false where there is none.
bool add_own_gradients(Gradient& g, const nb::callable& function_for) {
  nb::object function = function_for(g.node().id);
  if (function.is_none()) return false;
  nb::list given;
  for (int i = 0; i < static_cast<int>(g.node().output_dtypes.size()); ++i) {
    auto has_gradient = std::ranges::count(differentiable(), g.node().output_dtypes[i]) > 0;
    given.append(has_gradient ? nb::cast(g.dy(i)) : nb::none());
  }
  int input = 0;
  for (nb::handle made : nb::list(function(g.prefix(), given))) {
    if (!made.is_none()) g.to_input(input, g.value(nb::cast<Value>(made).output()));
    ++input;
  }
  return true;
}

nb::list add_gradients(
    const Builder& builder, const Values& ys, const Values& xs, const Values& grad_ys,
    const Values& stop_gradients, const std::string& scope, const nb::callable& function_for) {
  auto made = sparse_gradients(
      builder, ys, xs,
      {.scope = scope,
       .grad_ys = grad_ys,
       .stop_gradients = stop_gradients,
       .allow_unconnected = true,
       .function = [&](Gradient& g) { return add_own_gradients(g, function_for); }});
  check(builder);
  if (!made) raise_build_error(made.status(), false);
  nb::list list;
  for (const auto& gradient : *made) list.append(to_object(gradient));
  return list;
}

bool has_node(const Builder& b, const std::string& name) { return b.graph().contains(name); }

void bind_builder(nb::module_& module) {
  nb::class_<Builder>(module, "Builder")
      .def(nb::init<>())
      .def("on", &Builder::on, nb::arg("device"))
      .def("container", &Builder::container, nb::arg("name"))
      .def("scope", &Builder::scope, nb::arg("name"))
      .def("within", &Builder::within, nb::arg("prefix"))
      .def("after", &Builder::after, nb::arg("nodes"))
      .def_prop_ro("prefix", &Builder::prefix)
      .def_prop_ro("size", [](const Builder& b) { return b.graph().size(); })
      .def("add_op", &add_op, nb::arg("op"), nb::arg("inputs"), nb::arg("attrs"), nb::arg("name"))
      .def(
          "add_variable",
          [](const Builder& b, const std::string& name, const Value& initial) {
            auto variable = b.variable(name, initial);
            check(b);
            return variable;
          },
          nb::arg("name"), nb::arg("initial"))
      .def(
          "add_local_variable", &add_local_variable, nb::arg("name"), nb::arg("initial"),
          nb::arg("container"), nb::arg("shared_name"))
      .def(
          "to_dot",
          [](const Builder& b, int scope_depth) {
            return to_dot(b.graph(), {.scope_depth = scope_depth});
          },
          nb::arg("scope_depth"))
      .def("variables", &Builder::variables)
      .def(
          "gradients", &add_gradients, nb::arg("ys"), nb::arg("xs"), nb::arg("grad_ys"),
          nb::arg("stop_gradients"), nb::arg("scope"), nb::arg("function_for"))
      .def(
          "value",
          [](const Builder& b, int id, int index) {
            return b.value({node_at(b, id).id, index});
          },
          nb::arg("id"), nb::arg("index"))
      .def("contains", &has_node, nb::arg("name"))
      .def(
          "find",
          [](const Builder& b, const std::string& name) { return take(b.graph().find(name)); },
          nb::arg("name"))
      .def(
          "find_output",
          [](const Builder& b, const std::string& name) -> Place {
            auto output = take(b.graph().find_output(name));
            return {output.node, output.index};
          },
          nb::arg("name"))
      .def("node_name", [](const Builder& b, int id) { return node_at(b, id).name; })
      .def("node_op", [](const Builder& b, int id) { return node_at(b, id).op->name(); })
      .def("node_device", [](const Builder& b, int id) { return node_at(b, id).device; })
      .def("node_attrs", &attrs_of)
      .def("node_inputs", &inputs_of)
      .def(
          "node_control_inputs",
          [](const Builder& b, int id) { return node_at(b, id).control_inputs; })
      .def("node_outputs", &outputs_of)
      .def("constant_value", &constant_value);
}

void bind_values(nb::module_& module) {
  nb::class_<Value>(module, "Value")
      .def_prop_ro("place", &place_of)
      .def_prop_ro("name", &Value::name)
      .def_prop_ro("node_name", &Value::node_name)
      .def_prop_ro("dtype", [](const Value& v) { return static_cast<int>(v.dtype()); })
      .def_prop_ro("shape", [](const Value& v) { return to_python(v.shape()); });
  nb::class_<Variable>(module, "Variable")
      .def_ro("name", &Variable::name)
      .def_ro("handle", &Variable::handle)
      .def_ro("initializer", &Variable::initializer)
      .def_prop_ro("dtype", [](const Variable& v) { return static_cast<int>(v.dtype); })
      .def_prop_ro("shape", [](const Variable& v) { return to_python(v.shape); })
      .def(
          "read",
          [](const Variable& v, const Values& nodes) {
            return checked(v.handle.builder(), after(v, nodes).value());
          },
          nb::arg("after"))
      .def(
          "change",
          [](const Variable& v, const std::string& operation, const Value& value,
             const Values& nodes) {
            auto later = after(v, nodes);
            auto change = operation == "add"   ? later.assign_add(value)
                          : operation == "sub" ? later.assign_sub(value)
                                               : later.assign(value);
            return checked(v.handle.builder(), change);
          },
          nb::arg("operation"), nb::arg("value"), nb::arg("after"));
}

}  // namespace

void bind_conditional(nb::module_& module) {
  module.def(
      "set_context", [](const Builder& b, int context) { b.contexts().set_current(context); },
      nb::arg("builder"), nb::arg("context"));
  module.def("context", [](const Builder& b) { return b.contexts().current(); });
  nb::class_<Conditional>(module, "Conditional")
      .def(
          "__init__",
          [](Conditional* self, const Builder& b, const Value& predicate) {
            new (self) Conditional(b, predicate);
            check(b);
          },
          nb::arg("builder"), nb::arg("predicate"))
      .def(
          "begin",
          [](Conditional& c, bool branch) {
            c.begin(branch);
            return c.context();
          },
          nb::arg("branch"))
      .def("pivot", &Conditional::pivot)
      .def(
          "end",
          [](Conditional& c, const Builder& b, const Values& results) {
            c.end(results);
            check(b);
          },
          nb::arg("builder"), nb::arg("results"))
      .def(
          "merge",
          [](Conditional& c, const Builder& b) {
            auto merged = c.merge();
            check(b);
            return merged;
          },
          nb::arg("builder"));
}

void bind_loop(nb::module_& module) {
  nb::class_<WhileLoop>(module, "WhileLoop")
      .def(
          "__init__",
          [](WhileLoop* self, const Builder& b, const Values& initial, int64_t parallel_iterations,
             const nb::list& shapes) {
            WhileOptions options{.parallel_iterations = parallel_iterations};
            for (nb::handle shape : shapes) options.shape_invariants.push_back(to_shape(shape));
            new (self) WhileLoop(b, initial, options);
            check(b);
          },
          nb::arg("builder"), nb::arg("initial"), nb::arg("parallel_iterations"),
          nb::arg("shape_invariants"))
      .def_prop_ro("context", &WhileLoop::context)
      .def("abandon", &WhileLoop::abandon)
      .def("variables", &WhileLoop::variables)
      .def(
          "begin_body",
          [](WhileLoop& loop, const Builder& b, const Value& condition) {
            loop.begin_body(condition);
            check(b);
          },
          nb::arg("builder"), nb::arg("condition"))
      .def(
          "end",
          [](WhileLoop& loop, const Builder& b, const Values& results) {
            auto exits = loop.end(results);
            check(b);
            return exits;
          },
          nb::arg("builder"), nb::arg("results"));
}

void bind_graph(nb::module_& module) {
  bind_values(module);
  bind_conditional(module);
  bind_loop(module);
  bind_builder(module);
  module.def(
      "merge_devices",
      [](const std::string& device, const std::string& fallback) {
        auto inner = take(DeviceName::parse(device));
        return inner.or_else(take(DeviceName::parse(fallback))).to_string();
      },
      nb::arg("device"), nb::arg("fallback"));
  module.def(
      "merge_shapes",
      [](nb::handle one, nb::handle other) {
        return to_python(take(to_shape(one).merge(to_shape(other))));
      },
      nb::arg("one").none(), nb::arg("other").none());
}

}  // namespace troupe::python
