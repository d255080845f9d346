#include "troupe/devices/cpu/image/colours.hpp"

#include <algorithm>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/image/pixels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {

Status check_pixels(const Shape& images) {
  if (images.rank() >= 1 && images[images.rank() - 1] == 3) return {};
  return invalid_argument("images must have 3 channels, but their shape is " + images.to_string());
}

Status check_adjustment(const Launch& launch, const char* name) {
  const auto &images = launch.input(0).shape(), &factor = launch.input(1).shape();
  if (images.rank() < 3)
    return invalid_argument(
        "images must have at least rank 3, but their shape is " + images.to_string());
  if (factor.is_scalar()) return {};
  return invalid_argument(
      std::string("'") + name + "' must be a scalar, but has the shape " + factor.to_string());
}

namespace {

/// Output 0: f(pixel) of each pixel of input 0.
template <class T, class F>
Status map_pixels(Launch& launch, const F& f) {
  using A = Promoted<T>;
  const auto shape = launch.input(0).shape();
  if (auto status = check_pixels(shape); !status.ok()) return status;
  const auto* from = launch.input(0).data<T>();
  auto out = launch.reuse_or_allocate({0}, dtype_of<T>(), shape);
  if (!out) return out.status();
  auto* to = out->template mutable_data<T>();
  // Each channel of some pixels for itself, for vector instructions.
  constexpr int64_t block = 64;
  parallel_ranges(shape.elements() / 3, 64, [&](int64_t begin, int64_t end) {
    A channels[3][block] = {};
    for (auto first = begin; first < end; first += block) {
      const auto count = std::min(block, end - first);
      for (int64_t i = 0; i < count; ++i)
        for (int64_t c = 0; c < 3; ++c) channels[c][i] = promote(from[3 * (first + i) + c]);
      for (int64_t i = 0; i < block; ++i) {
        const auto pixel = f(Pixel<A>{channels[0][i], channels[1][i], channels[2][i]});
        for (size_t c = 0; c < 3; ++c) channels[c][i] = pixel[c];
      }
      for (int64_t i = 0; i < count; ++i)
        for (int64_t c = 0; c < 3; ++c) to[3 * (first + i) + c] = static_cast<T>(channels[c][i]);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

template <class T, class Adjust>
Status adjust_pixels(Launch& launch, const char* name, const Adjust& adjust) {
  if (auto status = check_adjustment(launch, name); !status.ok()) return status;
  return map_pixels<T>(
      launch, [adjust, by = launch.input(1).value<float>()](const Pixel<float>& rgb) {
        return adjust(rgb, by);
      });
}

/// What is above or below an image's mean of each channel becomes so many times as much.
template <class T>
Status adjust_contrast(Launch& launch) {
  const auto shape = launch.input(0).shape();
  if (auto status = check_adjustment(launch, "contrast_factor"); !status.ok()) return status;
  auto out = launch.allocate(dtype_of<T>(), shape);
  if (!out) return out.status();
  const auto* images = launch.input(0).data<T>();
  auto* result = out->template mutable_data<T>();
  if (shape.elements() > 0) {
    auto factor = launch.input(1).value<float>();
    auto channels = shape[shape.rank() - 1];
    auto pixels = shape[shape.rank() - 3] * shape[shape.rank() - 2], size = pixels * channels;
    parallel_ranges(shape.elements() / size, 2 * size, [&](int64_t begin, int64_t end) {
      std::vector<double> means(static_cast<size_t>(channels));
      for (auto image = begin * size; image < end * size; image += size) {
        std::ranges::fill(means, 0);
        for (int64_t i = 0; i < size; i += channels)
          for (int64_t c = 0; c < channels; ++c)
            means[static_cast<size_t>(c)] += static_cast<double>(promote(images[image + i + c]));
        for (auto& mean : means) mean /= static_cast<double>(pixels);
        for (int64_t i = 0; i < size; i += channels)
          for (int64_t c = 0; c < channels; ++c) {
            auto mean = static_cast<float>(means[static_cast<size_t>(c)]);
            result[image + i + c] =
                static_cast<T>((promote(images[image + i + c]) - mean) * factor + mean);
          }
      }
    });
  }
  launch.set(0, *std::move(out));
  return {};
}

/// A kernel for each of those dtypes of its attribute T: compute(launch, zero of the dtype).
template <class... Ts, class Compute>
KernelCatalog::Make colour_kernel(Types<Ts...> dtypes, Compute compute) {
  return [=](const Node& node) -> Result<Kernel> {
    return dispatch(dtypes, node.attr<DType>("T"), [&](auto zero) {
      return Kernel{.compute = [=](Launch& launch) { return compute(launch, zero); }};
    });
  };
}

}  // namespace

void add_colours_kernels(KernelCatalog& catalog) {
  using Adjustable = Types<float16, float>;
  catalog.add("RGBToHSV", colour_kernel(Floating{}, [](Launch& launch, auto zero) {
                return map_pixels<decltype(zero)>(
                    launch, [](const auto& rgb) { return rgb_to_hsv(rgb); });
              }));
  catalog.add("HSVToRGB", colour_kernel(Floating{}, [](Launch& launch, auto zero) {
                return map_pixels<decltype(zero)>(
                    launch, [](const auto& hsv) { return hsv_to_rgb(hsv); });
              }));
  catalog.add("AdjustHue", colour_kernel(Adjustable{}, [](Launch& launch, auto zero) {
                return adjust_pixels<decltype(zero)>(
                    launch, "delta", [](const auto& rgb, float by) { return turn_hue(rgb, by); });
              }));
  catalog.add("AdjustSaturation", colour_kernel(Adjustable{}, [](Launch& launch, auto zero) {
                return adjust_pixels<decltype(zero)>(
                    launch, "scale",
                    [](const auto& rgb, float by) { return scale_saturation(rgb, by); });
              }));
  catalog.add("AdjustContrastv2", colour_kernel(Adjustable{}, [](Launch& launch, auto zero) {
                return adjust_contrast<decltype(zero)>(launch);
              }));
}

}  // namespace troupe::cpu
