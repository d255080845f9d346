#include "troupe/devices/cuda/quantization/quantize_and_dequantize.hpp"

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/quantization/quantize_and_dequantize.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

struct GivenRange {
  double low, high;
};

/// What a node's attributes say of its kernel.
struct ScaledNode {
  cpu::ScaledForm form;
  LaunchScale scale;
  DType dtype;

  static Result<ScaledNode> of(const Node& node) {
    auto dtype = node.attr<DType>("T");
    auto scale = find_scale(element_of(dtype));
    if (!scale) return no_kernel(dtype);
    return ScaledNode{.form = cpu::ScaledForm::of(node), .scale = scale, .dtype = dtype};
  }
};

/// Where the range is not given it is found by kernels, and the host does not see it.
Status set_scaled(Launch& launch, const ScaledNode& node, int64_t bits, const GivenRange& range) {
  auto integers = node.form.integers(bits);
  if (!integers) return integers.status();
  auto status = node.form.check_range(range.low, range.high);
  if (!status.ok()) return status;
  const auto shape = launch.input(0).shape();
  ScaleCall call{
      .out = nullptr,
      .x = launch.input(0).raw(),
      .count = shape.elements(),
      .pairs = nullptr,
      .low = range.low,
      .high = range.high,
      .integers = *integers,
      .rounds_half_up = node.form.rounds_half_up,
      .stream = stream_of(launch)};
  Tensor pairs;
  if (!node.form.has_range && call.count > 0) {
    auto room =
        scratch(launch, static_cast<size_t>(extreme_pairs_of(call.count)) * 2 * sizeof(double));
    if (!room) return room.status();
    pairs = *std::move(room);
    call.pairs = pairs.mutable_raw();
  }
  auto result = launch.reuse_or_allocate({0}, node.dtype, shape);
  if (!result) return result.status();
  call.out = result->mutable_raw();
  if (call.count > 0) node.scale(call);
  return set_launched(launch, 0, *std::move(result), "a quantization");
}

Result<Kernel> make_scaled_by_attrs(const Node& node) {
  auto scaled = ScaledNode::of(node);
  if (!scaled) return scaled.status();
  GivenRange range{node.attr<float>("input_min"), node.attr<float>("input_max")};
  return Kernel{
      .compute = [scaled = *scaled, range, bits = node.attr<int64_t>("num_bits")](Launch& launch) {
        return set_scaled(launch, scaled, bits, range);
      }};
}

double number_of(const Tensor& scalar) {
  double number = 0;
  cpu::for_dtype(cpu::Floating{}, scalar.dtype(), [&](auto zero) {
    number = static_cast<double>(scalar.value<decltype(zero)>());
  });
  return number;
}

/// A range that is not given is not read, wherever it lies.
Result<Kernel> make_scaled(const Node& node) {
  auto scaled = ScaledNode::of(node);
  if (!scaled) return scaled.status();
  auto bits = node.attrs.contains("num_bits") ? node.attr<int64_t>("num_bits") : 0;
  auto compute = [scaled = *scaled, bits](Launch& launch) {
    if (auto status = cpu::check_scalar_arguments(launch); !status.ok()) return status;
    GivenRange range{};
    if (scaled.form.has_range) range = {number_of(launch.input(1)), number_of(launch.input(2))};
    auto has_bits = launch.input_count() == 4;
    return set_scaled(launch, scaled, has_bits ? launch.input(3).value<int32_t>() : bits, range);
  };
  Kernel kernel{.compute = std::move(compute)};
  if (scaled->form.has_range) kernel.host_inputs = {1, 2};
  return kernel;
}

}  // namespace

void add_quantize_and_dequantize_kernels(KernelCatalog& catalog) {
  catalog.add("QuantizeAndDequantize", make_scaled_by_attrs);
  for (const auto* op : {"QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3"})
    catalog.add(op, make_scaled);
}

}  // namespace troupe::cuda
