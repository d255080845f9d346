#include <algorithm>
#include <array>
#include <cmath>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

/// The sizes of images and of the places at which they are sampled.
struct Resampling {
  int64_t batch, height, width, channels, samples;  // samples: of each image

  static Result<Resampling> of(const Shape& data, const Shape& warp) {
    if (data.rank() != 4)
      return unimplemented(
          "images must have the shape [batch,height,width,channels], but have " + data.to_string());
    if (warp.rank() < 2)
      return invalid_argument("warp should be at least a matrix, got shape " + warp.to_string());
    if (warp[warp.rank() - 1] != 2)
      return unimplemented(
          "places must have two coordinates, but their shape is " + warp.to_string());
    if (data[0] != warp[0])
      return invalid_argument(
          "Batch size of data and warp tensor must be the same, but input shapes are: " +
          data.to_string() + ", " + warp.to_string());
    auto samples = data[0] > 0 ? warp.elements() / 2 / data[0] : 0;
    return Resampling{data[0], data[1], data[2], data[3], samples};
  }

  int64_t image_elements() const { return height * width * channels; }
  int64_t cost() const { return std::max<int64_t>(samples * channels * 8, 1); }
};

Result<Shape> resampled_shape(const Resampling& sizes, Shape warp) {
  warp.set(warp.rank() - 1, sizes.channels);
  return Shape::make(warp.sizes());
}

/// The four pixels around a place, and their shares in it.
template <class T>
struct Surroundings {
  /// Of one pixel: where its channels begin, or -1 outside of the image.
  struct Pixel {
    int64_t at;
    T share;
  };

  T right, below;               // the shares of those that are left and above of the place
  std::array<Pixel, 4> pixels;  // above left, below right, below left, above right

  static bool is_near(const Resampling& sizes, T x, T y) {
    return x > T(-1) && y > T(-1) && x < static_cast<T>(sizes.width) &&
           y < static_cast<T>(sizes.height);
  }

  Surroundings(const Resampling& sizes, T x, T y) {
    auto left = static_cast<int64_t>(std::floor(static_cast<float>(x)));
    auto above = static_cast<int64_t>(std::floor(static_cast<float>(y)));
    right = static_cast<T>(left + 1) - x;
    below = static_cast<T>(above + 1) - y;
    auto at = [&](int64_t column, int64_t row) {
      auto is_inside = column >= 0 && row >= 0 && column < sizes.width && row < sizes.height;
      return is_inside ? (row * sizes.width + column) * sizes.channels : int64_t{-1};
    };
    pixels = {
        Pixel{at(left, above), right * below},
        Pixel{at(left + 1, above + 1), (T(1) - right) * (T(1) - below)},
        Pixel{at(left, above + 1), right * (T(1) - below)},
        Pixel{at(left + 1, above), (T(1) - right) * below}};
  }

  T pixel(const T* image, size_t which, int64_t channel) const {
    auto at = pixels[which].at;
    return at < 0 ? T(0) : image[at + channel];
  }
};

template <class T>
void resample(const Resampling& sizes, const T* image, const T* places, T* out) {
  for (int64_t i = 0; i < sizes.samples; ++i, places += 2, out += sizes.channels) {
    if (!Surroundings<T>::is_near(sizes, places[0], places[1])) {
      std::fill_n(out, sizes.channels, T(0));
      continue;
    }
    Surroundings<T> around(sizes, places[0], places[1]);
    for (int64_t channel = 0; channel < sizes.channels; ++channel) {
      T sum(0);
      for (size_t which = 0; which < 4; ++which)
        sum += around.pixels[which].share * around.pixel(image, which, channel);
      out[channel] = sum;
    }
  }
}

/// Of one image: its elements, those of its places and of the gradient of its samples.
template <class T>
struct ResampledImage {
  const T *image, *places, *dy;
  T *d_image, *d_places;
};

template <class T>
void resample_backwards(const Resampling& sizes, ResampledImage<T> of) {
  std::fill_n(of.d_image, sizes.image_elements(), T(0));
  std::fill_n(of.d_places, 2 * sizes.samples, T(0));
  for (int64_t i = 0; i < sizes.samples; ++i) {
    auto x = of.places[2 * i], y = of.places[2 * i + 1];
    if (!Surroundings<T>::is_near(sizes, x, y)) continue;
    Surroundings<T> around(sizes, x, y);
    for (int64_t channel = 0; channel < sizes.channels; ++channel) {
      auto dy = of.dy[i * sizes.channels + channel];
      std::array<T, 4> at;
      for (size_t which = 0; which < 4; ++which) at[which] = around.pixel(of.image, which, channel);
      auto [above_left, below_right, below_left, above_right] = at;
      of.d_places[2 * i] += dy * ((T(1) - around.below) * (below_right - below_left) +
                                  around.below * (above_right - above_left));
      of.d_places[2 * i + 1] += dy * ((T(1) - around.right) * (below_right - above_right) +
                                      around.right * (below_left - above_left));
      for (const auto& pixel : around.pixels)
        if (pixel.at >= 0) of.d_image[pixel.at + channel] += dy * pixel.share;
    }
  }
}

template <class T>
Status compute_resampler(Launch& launch) {
  const auto &data = launch.input(0), &warp = launch.input(1);
  auto sizes = Resampling::of(data.shape(), warp.shape());
  if (!sizes) return sizes.status();
  auto shape = resampled_shape(*sizes, warp.shape());
  if (!shape) return shape.status();
  auto out = launch.allocate(data.dtype(), *shape);
  if (!out) return out.status();
  auto* samples = out->template mutable_data<T>();
  parallel_ranges(sizes->batch, sizes->cost(), [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      resample(
          *sizes, data.data<T>() + i * sizes->image_elements(),
          warp.data<T>() + i * 2 * sizes->samples, samples + i * sizes->samples * sizes->channels);
  });
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status compute_resampler_gradient(Launch& launch) {
  const auto &data = launch.input(0), &warp = launch.input(1), &dy = launch.input(2);
  auto sizes = Resampling::of(data.shape(), warp.shape());
  if (!sizes) return sizes.status();
  auto shape = resampled_shape(*sizes, warp.shape());
  if (!shape) return shape.status();
  if (dy.shape() != *shape)
    return invalid_argument(
        "grad_output must have the shape " + shape->to_string() + ", but has " +
        dy.shape().to_string());
  auto d_data = launch.allocate(data.dtype(), data.shape());
  auto d_warp = launch.allocate(warp.dtype(), warp.shape());
  if (!d_data || !d_warp) return d_data ? d_warp.status() : d_data.status();
  auto *images = d_data->template mutable_data<T>(), *places = d_warp->template mutable_data<T>();
  parallel_ranges(sizes->batch, sizes->cost(), [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto image = i * sizes->image_elements(), place = i * 2 * sizes->samples;
      resample_backwards<T>(
          *sizes,
          {data.data<T>() + image, warp.data<T>() + place,
           dy.data<T>() + i * sizes->samples * sizes->channels, images + image, places + place});
    }
  });
  launch.set(0, *std::move(d_data));
  launch.set(1, *std::move(d_warp));
  return {};
}

using Resampled = Types<float16, float, double>;

}  // namespace

void add_resampler_kernels(KernelCatalog& catalog) {
  catalog.add("Resampler", [](const Node& node) {
    return dispatch(Resampled{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = compute_resampler<decltype(zero)>};
    });
  });
  catalog.add("ResamplerGrad", [](const Node& node) {
    return dispatch(Resampled{}, node.attr<DType>("T"), [](auto zero) {
      return Kernel{.compute = compute_resampler_gradient<decltype(zero)>};
    });
  });
}

}  // namespace troupe::cpu
