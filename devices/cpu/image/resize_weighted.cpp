#include "troupe/devices/cpu/image/resize_weighted.hpp"

#include <algorithm>
#include <cmath>

#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

/// The cubic convolution with the parameter `a` at a distance below 1, and at one more than that.
float cubic_near(float a, float x) { return ((a + 2) * x - (a + 3)) * x * x + 1; }
float cubic_far(float a, float x) {
  x += 1;
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

void add_cubic_taps(ResizeTaps& taps, float at, int64_t from, bool is_keys) {
  constexpr float steps = 1024;  // TensorFlow's weights are those of the nearest of so many places
  const auto a = is_keys ? -0.5f : -0.75f;
  auto floor = std::floor(at);
  auto x = std::rint((at - floor) * steps) / steps;
  const float weights[] = {
      cubic_far(a, x), cubic_near(a, x), cubic_near(a, 1 - x), cubic_far(a, 1 - x)};
  float sum = 0;
  for (int64_t i = 0; i < 4; ++i) {
    auto pixel = static_cast<int64_t>(floor) + i - 1;
    auto inside = std::clamp<int64_t>(pixel, 0, from - 1);
    // Keys' weights outside of the image go to those inside; else to the pixel at the border.
    auto weight = is_keys && inside != pixel ? 0 : weights[i];
    taps.add_tap({inside, weight});
    sum += weight;
  }
  if (is_keys && std::abs(sum) >= 1000 * std::numeric_limits<float>::min())
    for (auto& tap : taps.of_open_pixel()) tap.weight /= sum;
  taps.end_pixel();
}

}  // namespace

ResizeTaps make_cubic_taps(const ResizeAttrs& attrs, int64_t from, int64_t to) {
  ResizeTaps taps;
  auto scale = attrs.scale(from, to);
  for (int64_t i = 0; i < to; ++i)
    add_cubic_taps(taps, attrs.position(i, scale), from, attrs.half_pixel_centers);
  return taps;
}

ResizeTaps make_area_taps(const ResizeAttrs& attrs, int64_t from, int64_t to) {
  ResizeTaps taps;
  auto scale = attrs.scale(from, to);
  for (int64_t i = 0; i < to; ++i) {
    auto begin = static_cast<float>(i) * scale, end = static_cast<float>(i + 1) * scale;
    for (auto pixel = std::floor(begin); pixel < std::ceil(end); ++pixel) {
      auto covered = std::min(pixel + 1, end) - std::max(pixel, begin);
      if (pixel < begin && pixel + 1 > end) covered = scale;
      auto inside = std::clamp<int64_t>(static_cast<int64_t>(pixel), 0, from - 1);
      taps.add_tap({inside, covered / scale});
    }
    // Nothing is covered where the only pixel is repeated.
    if (taps.of_open_pixel().empty()) taps.add_tap({0, 1});
    taps.end_pixel();
  }
  return taps;
}

ResizeTaps ResizeTaps::turned(int64_t pixels) const {
  std::vector<std::vector<ResizeTap>> of_pixels(static_cast<size_t>(pixels));
  for (size_t i = 0; i < count(); ++i)
    for (const auto& tap : (*this)[i])
      of_pixels[static_cast<size_t>(tap.pixel)].push_back({static_cast<int64_t>(i), tap.weight});
  ResizeTaps taps;
  for (const auto& of_pixel : of_pixels) {
    for (const auto& tap : of_pixel) taps.add_tap(tap);
    taps.end_pixel();
  }
  return taps;
}

namespace {

/// The rows of an image, weighted and added up: piece by piece, whose sums stay in
/// registers.
template <class T>
void add_resize_rows(const T* image, ResizeTaps::Taps taps, int64_t row_elements, float* sums) {
  constexpr int64_t piece = 16;
  int64_t first = 0;
  for (; first + piece <= row_elements; first += piece) {
    float sum[piece] = {};
    for (const auto& tap : taps) {
      const auto* row = image + tap.pixel * row_elements + first;
      for (int64_t i = 0; i < piece; ++i) sum[i] += static_cast<float>(row[i]) * tap.weight;
    }
    std::copy_n(sum, piece, sums + first);
  }
  for (; first < row_elements; ++first) {
    float sum = 0;
    for (const auto& tap : taps)
      sum += static_cast<float>(image[tap.pixel * row_elements + first]) * tap.weight;
    sums[first] = sum;
  }
}

/// A row of pixels of so many channels, or of `channels` where that is 0, each a weighted sum.
template <int64_t known>
void add_resize_columns(
    const float* row, const ResizeTaps& columns, int64_t channels, float* pixel) {
  if constexpr (known > 0) channels = known;
  for (size_t i = 0; i < columns.count(); ++i, pixel += channels) {
    auto taps = columns[i];
    if constexpr (known > 0) {
      float sums[known] = {};  // in registers
      for (const auto& tap : taps)
        for (int64_t c = 0; c < known; ++c) sums[c] += row[tap.pixel * known + c] * tap.weight;
      std::copy_n(sums, known, pixel);
    } else {
      std::fill_n(pixel, channels, 0.0f);
      for (const auto& tap : taps)
        for (int64_t c = 0; c < channels; ++c)
          pixel[c] += row[tap.pixel * channels + c] * tap.weight;
    }
  }
}

using AddColumns =
    void (*)(const float* row, const ResizeTaps& columns, int64_t channels, float* pixel);

AddColumns find_add_columns(int64_t channels) {
  switch (channels) {
    case 1: return add_resize_columns<1>;
    case 3: return add_resize_columns<3>;
    case 4: return add_resize_columns<4>;
    default: return add_resize_columns<0>;
  }
}

template <class T>
Status resize_weighted(Launch& launch, const ResizeAttrs& attrs, MakeTaps make_taps) {
  if (auto status = attrs.check(); !status.ok()) return status;
  const auto from = launch.input(0).shape();
  auto shape = resized_shape(from, launch.input(1));
  if (!shape) return shape.status();
  const auto to = *shape;
  auto out = launch.allocate(DType::float32, to);
  if (!out) return out.status();
  if (to.elements() > 0) {
    const auto* images = launch.input(0).data<T>();
    auto* result = out->template mutable_data<float>();
    auto rows = make_taps(attrs, from[1], to[1]), columns = make_taps(attrs, from[2], to[2]);
    auto channels = to[3], from_row = from[2] * channels, to_row = to[2] * channels;
    auto add_columns = find_add_columns(channels);
    auto work = from_row * static_cast<int64_t>(rows[0].size()) + 4 * to_row;
    parallel_ranges(to[0] * to[1], work, [&](int64_t begin, int64_t end) {
      std::vector<float> sums(static_cast<size_t>(from_row));
      for (auto i = begin; i < end; ++i) {
        const auto* image = images + i / to[1] * from[1] * from_row;
        add_resize_rows(image, rows[static_cast<size_t>(i % to[1])], from_row, sums.data());
        add_columns(sums.data(), columns, channels, result + i * to_row);
      }
    });
  }
  launch.set(0, *std::move(out));
  return {};
}

/// Adds up in `sums` what each pixel of one image had in the resized one's gradients.
template <class T>
void add_weighted_shares(
    const float* dy, const ResizeTaps& rows, const ResizeTaps& columns, int64_t width,
    int64_t channels, T* sums) {
  for (size_t row = 0; row < rows.count(); ++row)
    for (size_t column = 0; column < columns.count(); ++column) {
      for (const auto& y : rows[row])
        for (const auto& x : columns[column]) {
          auto* to = sums + (y.pixel * width + x.pixel) * channels;
          for (int64_t c = 0; c < channels; ++c)
            to[c] += static_cast<T>(dy[c] * y.weight * x.weight);
        }
      dy += channels;
    }
}

template <class T>
Status resize_bicubic_grad(Launch& launch, const ResizeAttrs& attrs) {
  if (auto status = attrs.check(); !status.ok()) return status;
  const auto from = launch.input(1).shape(), to = launch.input(0).shape();
  if (auto status = check_resize_gradients(to, from); !status.ok()) return status;
  auto out = launch.allocate(dtype_of<T>(), from);
  if (!out) return out.status();
  if (from.elements() > 0) {
    const auto* dy = launch.input(0).data<float>();
    auto* result = out->template mutable_data<T>();
    auto rows = make_cubic_taps(attrs, from[1], to[1]);
    auto columns = make_cubic_taps(attrs, from[2], to[2]);
    auto size = from.elements() / from[0], gradients = to.elements() / to[0];
    parallel_ranges(from[0], size + 32 * gradients, [&](int64_t begin, int64_t end) {
      std::fill(result + begin * size, result + end * size, T(0));
      for (auto i = begin; i < end; ++i)
        add_weighted_shares(dy + i * gradients, rows, columns, from[2], from[3], result + i * size);
    });
  }
  launch.set(0, *std::move(out));
  return {};
}

template <class... Ts>
KernelCatalog::Make weighted_kernel(Types<Ts...> dtypes, MakeTaps make_taps) {
  return resize_kernel(dtypes, [=](auto& launch, const auto& attrs, auto zero) {
    return resize_weighted<decltype(zero)>(launch, attrs, make_taps);
  });
}

}  // namespace

void add_weighted_resize_kernels(KernelCatalog& catalog) {
  catalog.add("ResizeBicubic", weighted_kernel(Resizable{}, make_cubic_taps));
  catalog.add("ResizeArea", weighted_kernel(Resizable{}, make_area_taps));
  catalog.add(
      "ResizeBicubicGrad",
      resize_kernel(Types<float, double>{}, [](auto& launch, const auto& attrs, auto zero) {
        return resize_bicubic_grad<decltype(zero)>(launch, attrs);
      }));
}

}  // namespace troupe::cpu
