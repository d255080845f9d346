#include "troupe/devices/cuda/image/resize_weighted.hpp"

#include <cstring>
#include <functional>
#include <vector>

#include "troupe/devices/cpu/image/resize_weighted.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cuda {
namespace {

/// The weights along both axes, in one tensor.
class WeightTables {
 public:
  void add_axis(const cpu::ResizeTaps& taps) {
    for (auto tap : taps.all()) pixels_.push_back({tap.pixel, tap.weight});
    for (auto bound : taps.bounds()) bounds_.push_back(static_cast<int64_t>(bound));
    axes_.push_back({pixels_.size(), bounds_.size()});
  }

  Result<Tensor> copy_in(const Launch& launch) const {
    auto pixel_bytes = pixels_.size() * sizeof(WeightedPixel);
    auto bytes = pixel_bytes + bounds_.size() * sizeof(int64_t);
    auto tables = Tensor::allocate(DType::uint8, {static_cast<int64_t>(bytes)});
    if (!tables) return tables;
    auto* memory = static_cast<char*>(tables->mutable_raw());
    std::memcpy(memory, pixels_.data(), pixel_bytes);
    std::memcpy(memory + pixel_bytes, bounds_.data(), bytes - pixel_bytes);
    return launch.device().copy_in(*tables);
  }

  /// Axis `index` where the tables lie on the card, from so many pixels to so many.
  WeightedAxis axis(const Tensor& on_card, size_t index, int64_t from, int64_t to) const {
    auto begin = index == 0 ? End{0, 0} : axes_[index - 1];
    const auto* pixels = static_cast<const WeightedPixel*>(on_card.raw());
    const auto* bounds = reinterpret_cast<const int64_t*>(pixels + pixels_.size());
    return {
        .pixels = pixels + begin.pixels, .bounds = bounds + begin.bounds, .from = from, .to = to};
  }

 private:
  struct End {
    size_t pixels, bounds;
  };
  std::vector<WeightedPixel> pixels_;
  std::vector<int64_t> bounds_;
  std::vector<End> axes_;
};

/// Sets output 0, of that dtype and shape, to weighted sums of input 0.
Status set_weighted(
    Launch& launch, LaunchWeighted function, DType dtype, const Shape& to,
    const std::function<cpu::ResizeTaps(int64_t from, int64_t to)>& make_taps) {
  auto result = launch.allocate(dtype, to);
  if (!result) return result.status();
  if (result->elements() == 0) return set_launched(launch, 0, *std::move(result), "a resize");
  const auto& from = launch.input(0).shape();
  WeightTables tables;
  for (int axis : {1, 2}) tables.add_axis(make_taps(from[axis], to[axis]));
  auto on_card = tables.copy_in(launch);
  if (!on_card) return on_card.status();
  function(
      {.out = result->mutable_raw(),
       .from = launch.input(0).raw(),
       .rows = tables.axis(*on_card, 0, from[1], to[1]),
       .columns = tables.axis(*on_card, 1, from[2], to[2]),
       .batch = to[0],
       .channels = to[3],
       .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "a resize");
}

KernelCatalog::Make resizing(cpu::MakeTaps make_taps) {
  return [make_taps](const Node& node) -> Result<Kernel> {
    auto function = find_weighted(element_of(node.attr<DType>("T")));
    if (!function) return no_kernel(node.attr<DType>("T"));
    return Kernel{.compute = [=, attrs = cpu::ResizeAttrs(node)](Launch& launch) -> Status {
      if (auto status = attrs.check(); !status.ok()) return status;
      auto resized = cpu::resized_shape(launch.input(0).shape(), launch.input(1));
      if (!resized) return resized.status();
      return set_weighted(
          launch, function, DType::float32, *resized,
          [&](int64_t from, int64_t to) { return make_taps(attrs, from, to); });
    }};
  };
}

Result<Kernel> make_cubic_grad(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto function = find_weighted_grad(element_of(dtype));
  if (!function) return no_kernel(dtype);
  return Kernel{.compute = [=, attrs = cpu::ResizeAttrs(node)](Launch& launch) -> Status {
    if (auto status = attrs.check(); !status.ok()) return status;
    const auto images = launch.input(1).shape();
    auto status = cpu::check_resize_gradients(launch.input(0).shape(), images);
    if (!status.ok()) return status;
    return set_weighted(launch, function, dtype, images, [&](int64_t resized, int64_t size) {
      return cpu::make_cubic_taps(attrs, size, resized).turned(size);
    });
  }};
}

}  // namespace

void add_weighted_resize_kernels(KernelCatalog& catalog) {
  catalog.add("ResizeBicubic", resizing(cpu::make_cubic_taps));
  catalog.add("ResizeArea", resizing(cpu::make_area_taps));
  catalog.add("ResizeBicubicGrad", make_cubic_grad);
}

}  // namespace troupe::cuda
