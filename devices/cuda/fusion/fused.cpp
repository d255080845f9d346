#include <algorithm>
#include <list>

#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/fusion/compiled_kernels.hpp"
#include "troupe/devices/cuda/fusion/fused_source.hpp"
#include "troupe/devices/cuda/slow_at_first.hpp"
#include "troupe/graph/ops/fusion.hpp"

namespace troupe::cuda {
namespace {

using Parts = std::vector<fusion::Part>;

/// The shape of a part's result; fails where its operands do not fit.
Result<Shape> shape_of_part(const fusion::Part& part, const Shape& x, const Shape& y) {
  if (part.op == "BiasAdd") {
    if (x.rank() < 2)
      return invalid_argument(
          "a tensor of rank 2 or more is needed, not one of shape " + x.to_string());
    auto channels = x[x.rank() - 1];
    if (y == Shape{channels}) return x;
    return invalid_argument(
        "the bias must have the shape [" + std::to_string(channels) + "], the channels of " +
        x.to_string() + ", but has " + y.to_string());
  }
  if (!part.op.ends_with("Grad")) return broadcast(x, y);
  if (x == y) return x;
  return invalid_argument(
      "both operands must have one shape, but are " + x.to_string() + " and " + y.to_string());
}

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

/// Adds a walk over those operands to the parameters of a kernel.
template <int N>
void add_walk(
    const std::vector<Shape>& operands, const Shape& whole, std::vector<std::byte>& memory) {
  Shape shapes[N];
  for (int i = 0; i < N; ++i) shapes[i] = operands[static_cast<size_t>(i)];
  auto walk = broadcast_walk<N>(whole, shapes);
  memory.resize(sizeof(walk));
  std::memcpy(memory.data(), &walk, sizeof(walk));
}

constexpr int walked_max = 4;

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

  std::vector<std::byte> walk(const Shape& whole) const {
    std::vector<std::byte> memory;
    switch (walked.size()) {
      case 0: break;
      case 1: add_walk<1>(walked, whole, memory); break;
      case 2: add_walk<2>(walked, whole, memory); break;
      case 3: add_walk<3>(walked, whole, memory); break;
      default: add_walk<4>(walked, whole, memory); break;
    }
    return memory;
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

Status compute_fused(Launch& launch, const Parts& parts, DType dtype) {
  auto whole = result_shape(launch, parts);
  if (!whole) return whole.status();
  FusedOperands operands(launch, *whole);
  std::vector<const void*> memory;
  for (int i = 0; i < launch.input_count(); ++i) memory.push_back(launch.input(i).raw());
  std::list<Tensor> copies;
  auto status = spread_operands(launch, *whole, copies, memory, operands);
  if (!status.ok()) return status;
  auto result = Result<Tensor>(Tensor());
  for (int i = 0; i < launch.input_count() && !result->is_set(); ++i) {
    const auto& input = launch.input(i);
    if (input.is_sole_owner() && input.shape() == *whole) result = input;
  }
  if (!result->is_set()) result = launch.allocate(dtype, *whole);
  if (!result) return result.status();
  auto count = result->elements();
  if (count > 0) {
    auto& kernels = kept<CompiledKernels>(launch);
    auto kernel = kernels.find(fused_source(parts, dtype, operands.kinds), "fused");
    if (!kernel) return kernel.status();
    auto* out = result->mutable_raw();
    auto walk = operands.walk(*whole);
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

Result<Kernel> make_fused(const Node& node) {
  auto parts = fusion::parts_of(node.attrs);
  auto dtype = node.attr<DType>("T");
  return slow_at_first([=](Launch& launch) { return compute_fused(launch, parts, dtype); });
}

}  // namespace

void add_fused_kernels(KernelCatalog& catalog) { catalog.add(fusion::op, make_fused); }

}  // namespace troupe::cuda
