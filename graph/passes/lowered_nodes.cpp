#include "troupe/graph/passes/lowered_nodes.hpp"

#include "troupe/graph/ops/functional.hpp"

namespace troupe {
namespace {

Tensor zero_of(DType dtype) {
  if (dtype == DType::string) return Tensor::scalar<std::string>("");
  auto zero = Tensor::allocate(dtype, Shape());
  CHECK(zero.ok());
  std::memset(zero->mutable_raw(), 0, zero->bytes());
  return *std::move(zero);
}

}  // namespace

LoweredNodes::LoweredNodes(const NodeDef& node, const std::vector<FunctionArgument>& inputs)
    : lowered_{.function = {.name = node.name, .arguments = inputs}, .done = ""},
      is_gradient_(node.attrs.contains(functional::forward_call_attr)) {}

std::string LoweredNodes::add(
    std::string name, std::string op, std::vector<std::string> inputs, Attrs attrs) {
  auto output = name + ":0";
  lowered_.function.nodes.push_back(
      {.name = std::move(name),
       .op = std::move(op),
       .device = "",
       .inputs = std::move(inputs),
       .attrs = std::move(attrs)});
  return output;
}

std::string LoweredNodes::constant(std::string name, Tensor value, const std::string& after) {
  auto dtype = value.dtype();
  std::vector<std::string> inputs;
  if (!after.empty()) inputs.push_back("^" + after);
  return add(
      std::move(name), "Const", std::move(inputs), {{"value", std::move(value)}, {"dtype", dtype}});
}

std::string LoweredNodes::call(
    std::string name, const FunctionRef& function, const DTypes& results,
    std::vector<std::string> inputs) {
  Attrs attrs = {{"f", function}, {"Tout", results}};
  if (is_gradient_) attrs.emplace(functional::forward_call_attr, name);
  return add(std::move(name), functional::stateful_call, std::move(inputs), std::move(attrs));
}

std::string LoweredNodes::truth(
    const std::string& name, const FunctionArgument& value, const std::string& after) {
  auto is_scalar = value.shape.is_scalar();
  auto output = value.name + ":0";
  if (value.dtype == DType::boolean && (is_scalar || !value.shape.has_rank())) return output;
  auto zero = [&](const char* what) {
    return constant(name + what, Tensor::scalar<int32_t>(0), after);
  };
  std::string element, elements;
  if (is_scalar || !value.shape.has_rank())
    element =
        add(is_scalar ? name : name + "/element", "NotEqual",
            {output, constant(name + "/zero", zero_of(value.dtype), after)});
  if (is_scalar) return element;
  auto has_elements = [&](const std::string& of) {
    return add(of, "Greater", {add(of + "/size", "Size", {output}), zero("/none")});
  };
  if (value.shape.has_rank()) return has_elements(name);
  // A scalar, whose value decides, or something that has one if it has elements.
  elements = has_elements(name + "/elements");
  auto rank = add(name + "/rank", "Rank", {output});
  auto is_array = add(name + "/is_array", "Greater", {rank, zero("/scalar")});
  auto axes =
      add(name + "/axes", "Range",
          {zero("/first"), rank, constant(name + "/step", Tensor::scalar<int32_t>(1), after)});
  auto any = add(name + "/any", "Any", {element, axes});
  auto either = add(name + "/either", "LogicalOr", {is_array, any});
  return add(name, "LogicalAnd", {elements, either});
}

void LoweredNodes::result(std::string output, DType dtype) {
  auto name = "result" + std::to_string(lowered_.function.results.size());
  lowered_.function.results.push_back({std::move(name), std::move(output), dtype});
}

LoweredNode LoweredNodes::end(std::string done) {
  lowered_.done = std::move(done);
  return std::move(lowered_);
}

}  // namespace troupe
