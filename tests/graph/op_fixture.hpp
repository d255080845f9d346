#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "troupe/graph/graph.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

/// A graph to which each call adds one node, or returns why that failed.
struct OpFixture {
  using Names = std::vector<std::string>;

  Graph graph{op_catalog()};
  int count = 0;

  std::string add(const std::string& op, Names inputs, Attrs attrs) {
    NodeDef def{
        .name = "n" + std::to_string(count++),
        .op = op,
        .device = "",
        .inputs = inputs,
        .attrs = std::move(attrs)};
    auto id = graph.add(def);
    return id ? def.name : id.status().message();
  }

  std::string placeholder(DType dtype, const Shape& shape = Shape::unknown_rank()) {
    return add("Placeholder", {}, {{"dtype", dtype}, {"shape", shape}});
  }
  std::string floats(const Shape& shape = Shape::unknown_rank()) {
    return placeholder(DType::float32, shape);
  }
  std::string constant(const Tensor& value) {
    return add("Const", {}, {{"dtype", value.dtype()}, {"value", value}});
  }
  std::string number(int32_t value) { return constant(Tensor::scalar<int32_t>(value)); }
  std::string ints(std::initializer_list<int32_t> values) {
    return constant(Tensor::of<int32_t>({static_cast<int64_t>(values.size())}, values));
  }
  /// An int32 value that is unknown until a step runs.
  std::string later(const Shape& shape) { return placeholder(DType::int32, shape); }

  /// The shapes of the outputs, as "[2,3] [2]"; or the message of the error.
  std::string shape(const std::string& op, Names inputs, Attrs attrs = {}) {
    auto size = graph.size();
    auto name = add(op, std::move(inputs), std::move(attrs));
    if (graph.size() == size) return name;
    std::string text;
    for (const auto& output : graph.nodes().back().output_shapes)
      text += (text.empty() ? "" : " ") + output.to_string();
    return text;
  }
};

}  // namespace troupe
