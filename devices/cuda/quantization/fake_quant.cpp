#include "troupe/devices/cuda/quantization/fake_quant.hpp"

#include <string>

#include "troupe/devices/cpu/quantization/fake_quant.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/reduction/reduction.hpp"

namespace troupe::cuda {
namespace {

constexpr auto kernel_name = "simulated quantization";

/// Of inputs `min` and `max`, from that input on; their values stay on the card.
Result<ElementRanges> given_ranges(
    const Launch& launch, int first, const Shape& input, const cpu::QuantizedForm& form,
    bool by_channel) {
  auto status = cpu::check_limits(launch, first, input, by_channel);
  if (!status.ok()) return status;
  return ElementRanges{
      .min = in<float>(launch, first),
      .max = in<float>(launch, first + 1),
      .channels = by_channel ? input[input.rank() - 1] : 1,
      .form = form,
      .fixed = {}};
}

ElementRanges one_range(const cpu::QuantizedRange& range) {
  return {.min = nullptr, .max = nullptr, .channels = 1, .form = {}, .fixed = range};
}

Status quantize(Launch& launch, const ElementRanges& ranges) {
  const auto shape = launch.input(0).shape();
  QuantizeCall call{
      .out = nullptr,
      .x = in<float>(launch, 0),
      .ranges = ranges,
      .count = shape.elements(),
      .stream = stream_of(launch)};
  auto result = launch.reuse_or_allocate({0}, DType::float32, shape);
  if (!result) return result.status();
  call.out = out<float>(*result);
  if (call.count > 0) launch_quantize(call);
  return set_launched(launch, 0, *std::move(result), kernel_name);
}

QuantizeGradientCall gradient_call(const Launch& launch, const ElementRanges& ranges) {
  return {
      .out = nullptr,
      .below = nullptr,
      .above = nullptr,
      .gradients = in<float>(launch, 0),
      .x = in<float>(launch, 1),
      .ranges = ranges,
      .count = launch.input(1).elements(),
      .stream = stream_of(launch)};
}

Status pass_in_range(Launch& launch, const cpu::QuantizedRange& range) {
  if (auto status = cpu::check_same_size(launch); !status.ok()) return status;
  auto call = gradient_call(launch, one_range(range));
  auto result = launch.reuse_or_allocate({0, 1}, DType::float32, launch.input(1).shape());
  if (!result) return result.status();
  call.out = out<float>(*result);
  if (call.count > 0) launch_quantize_gradient(call);
  return set_launched(launch, 0, *std::move(result), kernel_name);
}

/// What goes to the limits is summed once it has been written, as any other tensor is.
Status pass_gradients(Launch& launch, const cpu::QuantizedForm& form, bool by_channel) {
  if (auto status = cpu::check_same_size(launch); !status.ok()) return status;
  const auto shape = launch.input(1).shape(), limits = launch.input(2).shape();
  auto ranges = given_ranges(launch, 2, shape, form, by_channel);
  if (!ranges) return ranges.status();
  auto call = gradient_call(launch, *ranges);
  auto result = launch.allocate(DType::float32, shape);
  auto below = launch.allocate(DType::float32, shape);
  auto above = launch.allocate(DType::float32, shape);
  for (const auto* tensor : {&result, &below, &above})
    if (!*tensor) return tensor->status();
  call.out = out<float>(*result);
  call.below = out<float>(*below);
  call.above = out<float>(*above);
  if (call.count > 0) launch_quantize_gradient(call);
  auto kept = shape;
  for (int axis = 0; axis < shape.rank() - (by_channel ? 1 : 0); ++axis) kept.set(axis, 1);
  auto sum = find_fold("Sum", element_of(DType::float32));
  auto low = fold(launch, sum, *below, kept, limits),
       high = fold(launch, sum, *above, kept, limits);
  for (const auto* tensor : {&low, &high})
    if (!*tensor) return tensor->status();
  launch.set(1, *std::move(low));
  launch.set(2, *std::move(high));
  return set_launched(launch, 0, *std::move(result), kernel_name);
}

Result<Kernel> make_fixed(
    const Node& node, Status (*compute)(Launch&, const cpu::QuantizedRange&)) {
  auto range = cpu::fixed_range(node);
  if (!range) return range.status();
  return Kernel{.compute = [=, range = *range](Launch& launch) { return compute(launch, range); }};
}

template <class Compute>
KernelCatalog::Make with_form(Compute compute) {
  return [=](const Node& node) -> Result<Kernel> {
    auto form = cpu::quantized_form(node);
    if (!form) return form.status();
    return Kernel{.compute = [=, form = *form](Launch& launch) { return compute(launch, form); }};
  };
}

}  // namespace

void add_fake_quant_kernels(KernelCatalog& catalog) {
  catalog.add("FakeQuantWithMinMaxArgs", [](const Node& node) {
    return make_fixed(node, [](Launch& launch, const cpu::QuantizedRange& range) {
      return quantize(launch, one_range(range));
    });
  });
  catalog.add("FakeQuantWithMinMaxArgsGradient", [](const Node& node) {
    return make_fixed(node, pass_in_range);
  });
  for (bool by_channel : {false, true}) {
    auto op = std::string("FakeQuantWithMinMaxVars") + (by_channel ? "PerChannel" : "");
    catalog.add(op, with_form([=](Launch& launch, const cpu::QuantizedForm& form) -> Status {
                  auto ranges = given_ranges(launch, 1, launch.input(0).shape(), form, by_channel);
                  return ranges ? quantize(launch, *ranges) : ranges.status();
                }));
    catalog.add(op + "Gradient", with_form([=](Launch& launch, const cpu::QuantizedForm& form) {
                  return pass_gradients(launch, form, by_channel);
                }));
  }
}

}  // namespace troupe::cuda
