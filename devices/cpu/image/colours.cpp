#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

template <class A>
using Pixel = std::array<A, 3>;

/// The hue in [0, 6): red is 0, green 2, blue 4.
template <class A>
A hue_of(const Pixel<A>& rgb, A high, A range) {
  auto [r, g, b] = rgb;
  if (!(range > 0)) return 0;
  auto hue = r == high ? (g - b) / range : g == high ? (b - r) / range + 2 : (r - g) / range + 4;
  return hue < 0 ? hue + 6 : hue;
}

/// How much of the greatest component red, green and blue have at that hue, above the least one.
template <class A>
Pixel<A> shares_of_hue(A hue) {
  auto clamp = [](A value) { return std::min(std::max(value, A(0)), A(1)); };
  return {clamp(std::abs(hue - 3) - 1), clamp(2 - std::abs(hue - 2)), clamp(2 - std::abs(hue - 4))};
}

template <class A>
Pixel<A> rgb_to_hsv(const Pixel<A>& rgb) {
  auto [low, high] = std::minmax({rgb[0], rgb[1], rgb[2]});
  return {hue_of(rgb, high, high - low) / 6, high > 0 ? (high - low) / high : 0, high};
}

template <class A>
Pixel<A> hsv_to_rgb(const Pixel<A>& hsv) {
  auto shares = shares_of_hue(hsv[0] * 6);
  for (auto& share : shares) share = (1 - hsv[1] + hsv[1] * share) * hsv[2];
  return shares;
}

Pixel<float> turn_hue(const Pixel<float>& rgb, float delta) {
  auto [low, high] = std::minmax({rgb[0], rgb[1], rgb[2]});
  auto hue = std::fmod(hue_of(rgb, high, high - low) + delta * 6, 6.0f);
  auto shares = shares_of_hue(hue < 0 ? hue + 6 : hue);
  for (auto& share : shares) share = low + share * (high - low);
  return shares;
}

Pixel<float> scale_saturation(const Pixel<float>& rgb, float scale) {
  auto hsv = rgb_to_hsv(rgb);
  hsv[1] = std::min(1.0f, std::max(0.0f, hsv[1] * scale));
  auto shares = shares_of_hue(hsv[0] * 6);
  auto range = hsv[1] * hsv[2];
  for (auto& share : shares) share = share * range + (hsv[2] - range);
  return shares;
}

/// Output 0: f(pixel) of each pixel of input 0.
template <class T, class F>
Status map_pixels(Launch& launch, const F& f) {
  using A = Promoted<T>;
  const auto shape = launch.input(0).shape();
  if (shape.rank() < 1 || shape[shape.rank() - 1] != 3)
    return invalid_argument("images must have 3 channels, but their shape is " + shape.to_string());
  const auto* from = launch.input(0).data<T>();
  auto out = launch.reuse_or_allocate({0}, dtype_of<T>(), shape);
  if (!out) return out.status();
  auto* to = out->template mutable_data<T>();
  parallel_ranges(shape.elements() / 3, 64, [&](int64_t begin, int64_t end) {
    for (auto i = 3 * begin; i < 3 * end; i += 3) {
      auto pixel = f(Pixel<A>{promote(from[i]), promote(from[i + 1]), promote(from[i + 2])});
      for (int64_t c = 0; c < 3; ++c) to[i + c] = static_cast<T>(pixel[static_cast<size_t>(c)]);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<float> scalar_factor(const Launch& launch, const char* name) {
  const auto& factor = launch.input(1);
  if (factor.shape().is_scalar()) return factor.value<float>();
  return invalid_argument(
      std::string("'") + name + "' must be a scalar, but has the shape " +
      factor.shape().to_string());
}

Status check_colour_rank(const Shape& shape) {
  if (shape.rank() >= 3) return {};
  return invalid_argument(
      "images must have at least rank 3, but their shape is " + shape.to_string());
}

template <class T>
Status adjust_pixels(
    Launch& launch, const char* name, Pixel<float> (*adjust)(const Pixel<float>&, float)) {
  if (auto status = check_colour_rank(launch.input(0).shape()); !status.ok()) return status;
  auto factor = scalar_factor(launch, name);
  if (!factor) return factor.status();
  return map_pixels<T>(
      launch, [=, by = *factor](const Pixel<float>& rgb) { return adjust(rgb, by); });
}

/// What is above or below an image's mean of each channel becomes so many times as much.
template <class T>
Status adjust_contrast(Launch& launch) {
  const auto shape = launch.input(0).shape();
  if (auto status = check_colour_rank(shape); !status.ok()) return status;
  auto given = scalar_factor(launch, "contrast_factor");
  if (!given) return given.status();
  auto out = launch.allocate(dtype_of<T>(), shape);
  if (!out) return out.status();
  const auto* images = launch.input(0).data<T>();
  auto* result = out->template mutable_data<T>();
  if (shape.elements() > 0) {
    auto factor = *given;
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
                using T = decltype(zero);
                return map_pixels<T>(launch, rgb_to_hsv<Promoted<T>>);
              }));
  catalog.add("HSVToRGB", colour_kernel(Floating{}, [](Launch& launch, auto zero) {
                using T = decltype(zero);
                return map_pixels<T>(launch, hsv_to_rgb<Promoted<T>>);
              }));
  catalog.add("AdjustHue", colour_kernel(Adjustable{}, [](Launch& launch, auto zero) {
                return adjust_pixels<decltype(zero)>(launch, "delta", turn_hue);
              }));
  catalog.add("AdjustSaturation", colour_kernel(Adjustable{}, [](Launch& launch, auto zero) {
                return adjust_pixels<decltype(zero)>(launch, "scale", scale_saturation);
              }));
  catalog.add("AdjustContrastv2", colour_kernel(Adjustable{}, [](Launch& launch, auto zero) {
                return adjust_contrast<decltype(zero)>(launch);
              }));
}

}  // namespace troupe::cpu
