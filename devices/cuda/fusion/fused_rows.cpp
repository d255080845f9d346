#include <algorithm>

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/fusion/compiled_kernels.hpp"
#include "troupe/devices/cuda/fusion/operand_walk.hpp"
#include "troupe/devices/cuda/fusion/row_source.hpp"
#include "troupe/devices/cuda/fusion/single_nodes.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/reduction/lane_count.hpp"
#include "troupe/devices/cuda/slow_at_first.hpp"
#include "troupe/graph/passes/fuse_rows.hpp"

namespace troupe::cuda {
namespace {

struct RowsProgram {
  std::vector<fusion::Part> parts;
  DType dtype;
  bool keeps_dims;
  int input_count;  // with the axes
  SingleNodes singles;
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
  if (!kernel) return program.singles.compute(launch);
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

Result<Kernel> make_rows(const Node& node, const SingleNodes::Makers& makers) {
  auto program = std::make_shared<RowsProgram>();
  program->parts = fusion::parts_of(node.attrs);
  program->dtype = node.attr<DType>("T");
  program->keeps_dims = node.attr<bool>("keep_dims");
  program->input_count = static_cast<int>(node.inputs.size());
  NodeDef rows{
      .name = node.name,
      .op = fusion::rows_op,
      .device = {},
      .inputs = SingleNodes::input_names(program->input_count),
      .attrs = node.attrs};
  auto singles = SingleNodes::make(nodes_of_rows(rows), program->input_count, makers);
  if (!singles) return singles.status();
  program->singles = *std::move(singles);
  auto kernel = slow_at_first([program](Launch& launch) {
    auto layout = layout_of(launch, *program);
    return layout ? compute_as_rows(launch, *program, *layout) : program->singles.compute(launch);
  });
  kernel.host_inputs = {program->input_count - 1};
  return kernel;
}

}  // namespace

void add_fused_rows_kernels(KernelCatalog& catalog) {
  auto makers = SingleNodes::makers_of(catalog);
  catalog.add(fusion::rows_op, [makers](const Node& node) { return make_rows(node, *makers); });
}

}  // namespace troupe::cuda
