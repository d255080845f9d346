#include <capnp/message.h>

#include <type_traits>

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/convert/convert_tensor.hpp"
#include "troupe/capnp/convert/to_vector.hpp"

namespace troupe {
namespace {

std::string bytes_of(capnp::Data::Reader data) {
  return {reinterpret_cast<const char*>(data.begin()), data.size()};
}

template <class T>
Result<AttrValue> as_attr(Result<T> value) {
  if (!value) return value.status();
  return AttrValue(*std::move(value));
}

template <class T, class List>
AttrValue numbers_of(List from) {
  std::vector<T> numbers;
  numbers.reserve(from.size());
  for (auto number : from) numbers.push_back(number);
  return AttrValue(std::move(numbers));
}

// One overload for each type that an attribute may hold, except for those with tensors.
void fill_alternative(rpc::AttrValue::Builder to, int64_t value) { to.setInt(value); }
void fill_alternative(rpc::AttrValue::Builder to, float value) { to.setFloat(value); }
void fill_alternative(rpc::AttrValue::Builder to, bool value) { to.setBool(value); }
void fill_alternative(rpc::AttrValue::Builder to, const std::string& value) {
  to.setString(data_of(value));
}
void fill_alternative(rpc::AttrValue::Builder to, DType value) {
  to.setType(static_cast<uint16_t>(value));
}
void fill_alternative(rpc::AttrValue::Builder to, const Shape& value) {
  fill(to.initShape(), value);
}
void fill_alternative(rpc::AttrValue::Builder to, const std::vector<int64_t>& values) {
  to.setInts({values.data(), values.size()});
}
void fill_alternative(rpc::AttrValue::Builder to, const std::vector<float>& values) {
  to.setFloats({values.data(), values.size()});
}
void fill_alternative(rpc::AttrValue::Builder to, const std::vector<std::string>& values) {
  auto list = to.initStrings(static_cast<unsigned>(values.size()));
  for (unsigned i = 0; i < values.size(); ++i) list.set(i, data_of(values[i]));
}
void fill_alternative(rpc::AttrValue::Builder to, const DTypes& values) {
  auto list = to.initTypes(static_cast<unsigned>(values.size()));
  for (unsigned i = 0; i < values.size(); ++i) list.set(i, static_cast<uint16_t>(values[i]));
}
void fill_alternative(rpc::AttrValue::Builder to, const Shapes& values) {
  auto list = to.initShapes(static_cast<unsigned>(values.size()));
  for (unsigned i = 0; i < values.size(); ++i) fill(list[i], values[i]);
}

Result<FunctionRef> read_function_ref(rpc::FunctionRef::Reader from, int function_nesting);

Result<AttrValue> read_attr_value(rpc::AttrValue::Reader from, int function_nesting) {
  switch (from.which()) {
    case rpc::AttrValue::INT: return AttrValue(from.getInt());
    case rpc::AttrValue::FLOAT: return AttrValue(from.getFloat());
    case rpc::AttrValue::BOOL: return AttrValue(from.getBool());
    case rpc::AttrValue::STRING: return AttrValue(bytes_of(from.getString()));
    case rpc::AttrValue::TYPE: return as_attr(to_dtype(from.getType()));
    case rpc::AttrValue::SHAPE: return as_attr(to_shape(from.getShape()));
    case rpc::AttrValue::TENSOR: return as_attr(to_tensor(from.getTensor()));
    case rpc::AttrValue::INTS: return numbers_of<int64_t>(from.getInts());
    case rpc::AttrValue::FLOATS: return numbers_of<float>(from.getFloats());
    case rpc::AttrValue::STRINGS:
      return as_attr(to_vector<std::string>(
          from.getStrings(), [](auto data) { return Result<std::string>(bytes_of(data)); }));
    case rpc::AttrValue::TYPES: return as_attr(to_vector<DType>(from.getTypes(), to_dtype));
    case rpc::AttrValue::SHAPES: return as_attr(to_vector<Shape>(from.getShapes(), to_shape));
    case rpc::AttrValue::FUNC: return as_attr(read_function_ref(from.getFunc(), function_nesting));
    case rpc::AttrValue::FUNCS:
      return as_attr(to_vector<FunctionRef>(from.getFuncs(), [&](auto function) {
        return read_function_ref(function, function_nesting);
      }));
  }
  return invalid_argument(
      "its value is of kind " + std::to_string(static_cast<int>(from.which())) +
      ", which this release does not know");
}

Result<Attrs> read_attrs(capnp::List<rpc::Attr>::Reader from, int function_nesting) {
  Attrs attrs;
  for (auto attr : from) {
    auto name = text_of(attr.getName());
    auto value = read_attr_value(attr.getValue(), function_nesting);
    if (!value) return invalid_argument("attribute '" + name + "': " + value.status().message());
    if (!attrs.emplace(name, *std::move(value)).second)
      return invalid_argument("attribute '" + name + "' is given twice");
  }
  return attrs;
}

Result<FunctionRef> read_function_ref(rpc::FunctionRef::Reader from, int function_nesting) {
  if (function_nesting >= function_nesting_max)
    return invalid_argument(
        "functions are nested more than " + std::to_string(function_nesting_max) + " deep");
  auto attrs = read_attrs(from.getAttrs(), function_nesting + 1);
  if (!attrs) return attrs.status();
  return FunctionRef(text_of(from.getName()), *attrs);
}

Result<NodeDef> read_node_def(rpc::Node::Reader from) {
  NodeDef node{
      .name = text_of(from.getName()),
      .op = text_of(from.getOp()),
      .device = text_of(from.getDevice()),
      .inputs = {},
      .attrs = {}};
  for (auto input : from.getInputs()) node.inputs.push_back(text_of(input));
  auto attrs = read_attrs(from.getAttrs(), /*function_nesting=*/0);
  if (!attrs) return attrs.status().at({.node = node.name, .op = node.op});
  node.attrs = *std::move(attrs);
  return node;
}

Result<FunctionArgument> read_argument(rpc::Function::Argument::Reader from) {
  auto dtype = to_dtype(from.getType());
  if (!dtype) return dtype.status();
  // Left out, it is unknown: a default of the schema would be a scalar's.
  auto shape = from.hasShape() ? to_shape(from.getShape()) : Shape::unknown_rank();
  if (!shape) return shape.status();
  return FunctionArgument{text_of(from.getName()), *dtype, *shape};
}

Result<FunctionResult> read_result(rpc::Function::Result::Reader from) {
  auto dtype = to_dtype(from.getType());
  if (!dtype) return dtype.status();
  return FunctionResult{text_of(from.getName()), text_of(from.getOutput()), *dtype};
}

Result<FunctionDef> read_function_def(rpc::Function::Reader from) {
  auto name = text_of(from.getName());
  auto in_function = [&name](const Status& status) {
    return Status(status.code(), "in function '" + name + "': " + status.message(), status.where());
  };
  auto arguments = to_vector<FunctionArgument>(from.getArguments(), read_argument);
  auto results = to_vector<FunctionResult>(from.getResults(), read_result);
  auto nodes = to_vector<NodeDef>(from.getNodes(), read_node_def);
  if (!arguments) return in_function(arguments.status());
  if (!results) return in_function(results.status());
  if (!nodes) return in_function(nodes.status());
  return FunctionDef{name, *std::move(arguments), *std::move(results), *std::move(nodes)};
}

void fill_attrs(
    capnp::List<rpc::Attr>::Builder to, const Attrs& attrs, ExternalSegmentBudget& segment_budget) {
  unsigned index = 0;
  for (const auto& [name, value] : attrs) {
    auto attr = to[index++];
    attr.setName(name);
    fill(attr.initValue(), value, segment_budget);
  }
}

void fill_ref(
    rpc::FunctionRef::Builder to, const FunctionRef& function,
    ExternalSegmentBudget& segment_budget) {
  to.setName(function.name());
  auto count = static_cast<unsigned>(function.attrs().size());
  if (count > 0) fill_attrs(to.initAttrs(count), function.attrs(), segment_budget);
}

}  // namespace

void fill(
    rpc::AttrValue::Builder to, const AttrValue& value, ExternalSegmentBudget& segment_budget) {
  std::visit(
      [&](const auto& alternative) {
        using T = std::decay_t<decltype(alternative)>;
        if constexpr (std::is_same_v<T, Tensor>) fill(to.initTensor(), alternative, segment_budget);
        else if constexpr (std::is_same_v<T, FunctionRef>)
          fill_ref(to.initFunc(), alternative, segment_budget);
        else if constexpr (std::is_same_v<T, FunctionRefs>) {
          auto list = to.initFuncs(static_cast<unsigned>(alternative.size()));
          for (unsigned i = 0; i < alternative.size(); ++i)
            fill_ref(list[i], alternative[i], segment_budget);
        } else fill_alternative(to, alternative);
      },
      value.variant());
}

Result<AttrValue> to_attr_value(rpc::AttrValue::Reader from) {
  return checked([from] { return read_attr_value(from, /*function_nesting=*/0); });
}

void fill(rpc::Node::Builder to, const NodeDef& node, ExternalSegmentBudget& segment_budget) {
  to.setName(node.name);
  to.setOp(node.op);
  if (!node.device.empty()) to.setDevice(node.device);
  fill(to.initInputs(static_cast<unsigned>(node.inputs.size())), node.inputs);
  fill_attrs(to.initAttrs(static_cast<unsigned>(node.attrs.size())), node.attrs, segment_budget);
}

Result<NodeDef> to_node_def(rpc::Node::Reader from) {
  return checked([from] { return read_node_def(from); });
}

Result<std::vector<NodeDef>> to_node_defs(capnp::List<rpc::Node>::Reader from) {
  return checked([from] { return to_vector<NodeDef>(from, to_node_def); });
}

void fill(
    capnp::List<rpc::Function>::Builder to, const std::vector<FunctionDef>& functions,
    ExternalSegmentBudget& segment_budget) {
  for (unsigned i = 0; i < functions.size(); ++i) {
    const auto& function = functions[i];
    to[i].setName(function.name);
    auto arguments = to[i].initArguments(static_cast<unsigned>(function.arguments.size()));
    for (unsigned j = 0; j < arguments.size(); ++j) {
      arguments[j].setName(function.arguments[j].name);
      arguments[j].setType(static_cast<uint16_t>(function.arguments[j].dtype));
      fill(arguments[j].initShape(), function.arguments[j].shape);
    }
    auto results = to[i].initResults(static_cast<unsigned>(function.results.size()));
    for (unsigned j = 0; j < results.size(); ++j) {
      results[j].setName(function.results[j].name);
      results[j].setOutput(function.results[j].output);
      results[j].setType(static_cast<uint16_t>(function.results[j].dtype));
    }
    auto nodes = to[i].initNodes(static_cast<unsigned>(function.nodes.size()));
    for (unsigned j = 0; j < nodes.size(); ++j) fill(nodes[j], function.nodes[j], segment_budget);
  }
}

Result<std::vector<FunctionDef>> to_function_defs(capnp::List<rpc::Function>::Reader from) {
  return checked([from] { return to_vector<FunctionDef>(from, read_function_def); });
}

Result<GraphMessage> to_graph(rpc::Graph::Reader from) {
  return checked([from]() -> Result<GraphMessage> {
    auto nodes = to_node_defs(from.getNodes());
    if (!nodes) return nodes.status();
    auto functions = to_function_defs(from.getFunctions());
    if (!functions) return functions.status();
    return GraphMessage{*std::move(nodes), *std::move(functions)};
  });
}

}  // namespace troupe
