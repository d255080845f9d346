#include <algorithm>
#include <list>

#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/fusion/compiled_kernels.hpp"
#include "troupe/devices/cuda/fusion/fused_source.hpp"
#include "troupe/devices/cuda/fusion/operand_walk.hpp"
#include "troupe/devices/cuda/fusion/part_shape.hpp"
#include "troupe/devices/cuda/fusion/single_nodes.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/slow_at_first.hpp"
#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/passes/fuse_elementwise.hpp"

namespace troupe::cuda {
namespace {

using Parts = std::vector<fusion::Part>;

struct FusedProgram {
  Parts parts;
  DType dtype;
  SingleNodes singles;
};

Result<Shape> result_shape(const Launch& launch, const Parts& parts) {
  std::vector<Shape> shapes;
  for (int i = 0; i < launch.input_count(); ++i) shapes.push_back(launch.input(i).shape());
  for (const auto& part : parts) {
    const auto& x = shapes[static_cast<size_t>(part.operands[0])];
    if (part.operands.size() == 1) {
      shapes.push_back(Shape(x));
      continue;
    }
    auto shape = shape_of_part(part, x, shapes[static_cast<size_t>(part.operands[1])]);
    if (!shape) return shape.status().at({.node = part.name, .op = part.op});
    shapes.push_back(*shape);
  }
  return shapes.back();
}

/// How the operands of a launch are read.
struct FusedOperands {
  std::vector<FusedOperand> kinds;
  std::vector<Shape> walked;

  FusedOperands(const Launch& launch, const Shape& whole) {
    for (int i = 0; i < launch.input_count(); ++i) {
      const auto& shape = launch.input(i).shape();
      auto kind = shape == whole          ? FusedOperand::each
                  : shape.elements() == 1 ? FusedOperand::one
                                          : FusedOperand::walked;
      if (kind == FusedOperand::walked) walked.push_back(shape);
      kinds.push_back(kind);
    }
  }
};

/// Of operands that there is no room for in a walk, copies with an element for each of the result.
Status spread_operands(
    const Launch& launch, const Shape& whole, std::list<Tensor>& copies,
    std::vector<const void*>& memory, FusedOperands& operands) {
  for (size_t i = operands.kinds.size(); i-- > 0 && operands.walked.size() > walked_max;) {
    if (operands.kinds[i] != FusedOperand::walked) continue;
    const auto& input = launch.input(static_cast<int>(i));
    auto copy = launch.allocate(input.dtype(), whole);
    if (!copy) return copy.status();
    const Shape shapes[] = {whole, input.shape()};
    copy_walk(launch, *copy, 0, input, 0, broadcast_walk<2>(whole, shapes));
    memory[i] = copy->raw();
    copies.push_back(*std::move(copy));
    operands.kinds[i] = FusedOperand::each;
    operands.walked.pop_back();
  }
  return {};
}

Status compute_fused(Launch& launch, const FusedProgram& program) {
  auto whole = result_shape(launch, program.parts);
  if (!whole) return whole.status();
  FusedOperands operands(launch, *whole);
  std::vector<const void*> memory;
  for (int i = 0; i < launch.input_count(); ++i) memory.push_back(launch.input(i).raw());
  std::list<Tensor> copies;
  auto status = spread_operands(launch, *whole, copies, memory, operands);
  if (!status.ok()) return status;
  auto& kernels = kept<CompiledKernels>(launch);
  auto kernel = kernels.find(fused_source(program.parts, program.dtype, operands.kinds), "fused");
  if (!kernel) return program.singles.compute(launch);
  auto result = Result<Tensor>(Tensor());
  for (int i = 0; i < launch.input_count() && !result->is_set(); ++i) {
    const auto& input = launch.input(i);
    if (input.is_sole_owner() && input.shape() == *whole) result = input;
  }
  if (!result->is_set()) result = launch.allocate(program.dtype, *whole);
  if (!result) return result.status();
  auto count = result->elements();
  if (count > 0) {
    auto* out = result->mutable_raw();
    auto walk = walk_over(operands.walked, *whole);
    std::vector<void*> parameters{&out};
    for (auto& operand : memory) parameters.push_back(&operand);
    parameters.push_back(&count);
    if (!walk.empty()) parameters.push_back(walk.data());
    auto blocks = blocks_for(count, walk.empty() ? 4 * block_threads : block_threads);
    status = kernels.start(*kernel, blocks, block_threads, stream_of(launch), parameters.data());
  }
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

Result<Kernel> make_fused(const Node& node, const SingleNodes::Makers& makers) {
  auto input_count =
      static_cast<int>(node.attr<int64_t>("N"));  // of a part of rows nothing else tells
  NodeDef fused{
      .name = node.name,
      .op = fusion::op,
      .device = {},
      .inputs = SingleNodes::input_names(input_count),
      .attrs = node.attrs};
  auto singles = SingleNodes::make(nodes_of_elementwise(fused), input_count, makers);
  if (!singles) return singles.status();
  auto program = std::make_shared<FusedProgram>(FusedProgram{
      .parts = fusion::parts_of(node.attrs),
      .dtype = node.attr<DType>("T"),
      .singles = *std::move(singles)});
  return slow_at_first([program](Launch& launch) { return compute_fused(launch, *program); });
}

}  // namespace

void add_fused_kernels(KernelCatalog& catalog) {
  auto makers = SingleNodes::makers_of(catalog);
  catalog.add(fusion::op, [makers](const Node& node) { return make_fused(node, *makers); });
}

}  // namespace troupe::cuda
