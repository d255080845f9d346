#include <algorithm>
#include <map>

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/fusion/compiled_kernels.hpp"
#include "troupe/devices/cuda/fusion/operand_walk.hpp"
#include "troupe/devices/cuda/fusion/row_source.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/reduction/lane_count.hpp"
#include "troupe/devices/cuda/slow_at_first.hpp"
#include "troupe/graph/passes/fuse_rows.hpp"

namespace troupe::cuda {
namespace {

/// One of the nodes that rows are made of, with its own kernel.
struct SingleNode {
  Where where;
  Kernel kernel;
  std::vector<int> operands;  // the node's inputs count from 0, results of earlier nodes go on
};

struct RowsProgram {
  std::vector<fusion::Part> parts;
  DType dtype;
  bool keeps_dims;
  int input_count;  // with the axes
  std::vector<SingleNode> singles;
  std::vector<int> uses;  // of inputs and results, by operands of single nodes
};

std::optional<RowLayout> layout_of(const Launch& launch, const RowsProgram& program) {
  auto axes = cpu::IntInput::of(launch.input(program.input_count - 1));
  if (!axes) return std::nullopt;  // a reduction will say it
  Shapes operands;
  for (int i = 0; i + 1 < program.input_count; ++i) operands.push_back(launch.input(i).shape());
  return layout_rows(
      program.parts,
      {.operands = operands, .axes = axes->values(), .keeps_dims = program.keeps_dims});
}

Result<Tensor> make_result(const Launch& launch, const RowsProgram& program, const Shape& shape) {
  for (int i = 0; i + 1 < program.input_count; ++i) {
    const auto& input = launch.input(i);
    if (input.is_sole_owner() && input.shape() == shape) return input;
  }
  return launch.allocate(program.dtype, shape);
}

Status compute_as_rows(Launch& launch, const RowsProgram& program, RowLayout& layout) {
  auto& kernels = kept<CompiledKernels>(launch);
  auto kernel = kernels.find(rows_source(program.parts, program.dtype, layout), "rows");
  if (!kernel) return kernel.status();
  std::vector<Shape> walked;
  std::vector<const void*> memory;
  for (size_t i = 0; i < layout.operands.size(); ++i) {
    const auto& operand = launch.input(static_cast<int>(i));
    if (layout.operands[i] == RowOperand::walked) walked.push_back(operand.shape());
    memory.push_back(operand.raw());
  }
  auto result = make_result(launch, program, layout.result);
  if (!result) return result.status();
  auto* out = result->mutable_raw();
  auto walk = walk_over(walked, layout.whole);
  std::vector<void*> parameters{&out};
  for (auto& operand : memory) parameters.push_back(&operand);
  parameters.push_back(&layout.rows);
  parameters.push_back(&layout.columns);
  if (!walk.empty()) parameters.push_back(walk.data());
  auto threads = lanes_for(layout.columns);
  auto status = kernels.start(
      *kernel, blocks_for(layout.rows, threads.y), threads, stream_of(launch), parameters.data());
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

/// As without the pass, and memory goes back as it would.
Status compute_one_by_one(Launch& launch, const RowsProgram& program) {
  std::vector<Tensor> values;
  for (int i = 0; i < program.input_count; ++i) values.push_back(launch.take_input(i));
  auto uses = program.uses;
  for (const auto& single : program.singles) {
    std::vector<Tensor> operands;
    for (auto operand : single.operands) {
      auto index = static_cast<size_t>(operand);
      operands.push_back(--uses[index] == 0 ? std::move(values[index]) : values[index]);
    }
    Tensor result;
    Launch alone(launch.device(), launch.step(), operands, {&result, 1});
    auto status = single.kernel.compute(alone);
    if (!status.ok()) return status.at(single.where);
    values.push_back(std::move(result));
  }
  launch.set(0, std::move(values.back()));
  return {};
}

using Makers = std::map<std::string, KernelCatalog::Make, std::less<>>;

Result<Kernel> make_single(const NodeDef& single, const Makers& makers) {
  if (fusion::passes_on(single.op))
    return Kernel{.compute = [](Launch& launch) {
      launch.set(0, launch.take_input(0));
      return Status();
    }};
  auto maker = makers.find(single.op);
  if (maker == makers.end()) return unimplemented("there is no kernel of a card for " + single.op);
  return maker->second(Node{
      .id = 0,
      .name = single.name,
      .op = nullptr,
      .device = {},
      .attrs = single.attrs,
      .inputs = {},
      .control_inputs = {},
      .output_dtypes = {},
      .output_shapes = {}});
}

Result<Kernel> make_rows(const Node& node, const Makers& makers) {
  auto program = std::make_shared<RowsProgram>();
  program->parts = fusion::parts_of(node.attrs);
  program->dtype = node.attr<DType>("T");
  program->keeps_dims = node.attr<bool>("keep_dims");
  program->input_count = static_cast<int>(node.inputs.size());
  NodeDef rows{
      .name = node.name, .op = fusion::rows_op, .device = {}, .inputs = {}, .attrs = node.attrs};
  std::map<std::string, int> numbers;  // of inputs and results
  for (int i = 0; i < program->input_count; ++i) {
    rows.inputs.push_back("_in" + std::to_string(i) + ":0");
    numbers.emplace(rows.inputs.back(), i);
  }
  program->uses.resize(rows.inputs.size());
  for (const auto& single : nodes_of_rows(rows)) {
    Where where{.node = single.name, .op = single.op, .device = {}, .task = {}};
    auto kernel = make_single(single, makers);
    if (!kernel) return kernel.status().at(where);
    auto& added = program->singles.emplace_back(SingleNode{where, *std::move(kernel), {}});
    for (const auto& input : single.inputs) {
      auto number = numbers.find(input);
      if (number == numbers.end()) return invalid_argument("a fused node has no value " + input);
      added.operands.push_back(number->second);
      ++program->uses[static_cast<size_t>(number->second)];
    }
    numbers.emplace(single.name + ":0", static_cast<int>(program->uses.size()));
    program->uses.push_back(0);
  }
  auto kernel = slow_at_first([program](Launch& launch) {
    auto layout = layout_of(launch, *program);
    return layout ? compute_as_rows(launch, *program, *layout)
                  : compute_one_by_one(launch, *program);
  });
  kernel.host_inputs = {program->input_count - 1};
  return kernel;
}

}  // namespace

void add_fused_rows_kernels(KernelCatalog& catalog) {
  auto makers = std::make_shared<Makers>();
  for (const auto& op : catalog.ops())
    if (op == fusion::op || fusion::is_reduction(op) || fusion::operand_count(op) > 0)
      makers->emplace(op, catalog.find(op));
  catalog.add(fusion::rows_op, [makers](const Node& node) { return make_rows(node, *makers); });
}

}  // namespace troupe::cuda
