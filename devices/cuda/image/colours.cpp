#include "troupe/devices/cuda/image/colours.hpp"

#include "troupe/devices/cpu/image/colours.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

/// Sets output 0 to a function of each pixel of input 0, and of input 1 where `factor` names it.
Status compute_pixels(Launch& launch, LaunchPixels function, DType dtype, const char* factor) {
  if (factor)
    if (auto status = cpu::check_adjustment(launch, factor); !status.ok()) return status;
  const auto shape = launch.input(0).shape();
  if (auto status = cpu::check_pixels(shape); !status.ok()) return status;
  PixelCall call{
      .to = nullptr,
      .from = launch.input(0).raw(),
      .factor = factor ? in<float>(launch, 1) : nullptr,
      .pixels = shape.elements() / 3,
      .stream = stream_of(launch)};
  auto result = launch.reuse_or_allocate({0}, dtype, shape);
  if (!result) return result.status();
  call.to = result->mutable_raw();
  if (call.pixels > 0) function(call);
  return set_launched(launch, 0, *std::move(result), "colours");
}

KernelCatalog::Make pixels(PixelFunction function, const char* factor = nullptr) {
  return [=](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    auto start = find_pixels(element_of(dtype), function);
    if (!start) return no_kernel(dtype);
    return Kernel{
        .compute = [=](Launch& launch) { return compute_pixels(launch, start, dtype, factor); }};
  };
}

Status compute_contrast(Launch& launch, LaunchContrast function) {
  const auto& images = launch.input(0);
  const auto shape = images.shape();
  if (auto status = cpu::check_adjustment(launch, "contrast_factor"); !status.ok()) return status;
  auto result = launch.allocate(images.dtype(), shape);
  if (!result) return result.status();
  if (result->elements() == 0) return set_launched(launch, 0, *std::move(result), "a contrast");
  auto rank = shape.rank();
  ContrastCall call{
      .to = result->mutable_raw(),
      .from = images.raw(),
      .factor = in<float>(launch, 1),
      .sums = nullptr,
      .images = 1,
      .pixels = shape[rank - 3] * shape[rank - 2],
      .channels = shape[rank - 1],
      .parts = 1,
      .stream = stream_of(launch)};
  call.images = shape.elements() / (call.pixels * call.channels);
  call.parts = contrast_parts(call.images, call.pixels);
  auto sums = scratch(
      launch, static_cast<size_t>(call.parts * call.images * call.channels) * sizeof(double));
  if (!sums) return sums.status();
  call.sums = out<double>(*sums);
  function(call);
  return set_launched(launch, 0, *std::move(result), "a contrast");
}

Result<Kernel> make_contrast(const Node& node) {
  auto function = find_contrast(element_of(node.attr<DType>("T")));
  if (!function) return no_kernel(node.attr<DType>("T"));
  return Kernel{
      .compute = [function](Launch& launch) { return compute_contrast(launch, function); }};
}

}  // namespace

void add_colours_kernels(KernelCatalog& catalog) {
  catalog.add("RGBToHSV", pixels(PixelFunction::rgb_to_hsv));
  catalog.add("HSVToRGB", pixels(PixelFunction::hsv_to_rgb));
  catalog.add("AdjustHue", pixels(PixelFunction::turn_hue, "delta"));
  catalog.add("AdjustSaturation", pixels(PixelFunction::scale_saturation, "scale"));
  catalog.add("AdjustContrastv2", make_contrast);
}

}  // namespace troupe::cuda
