#include "troupe/devices/cpu/image/resize_weighted.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

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

ResizeTaps make_linear_taps(const ResizeAttrs& attrs, int64_t from, int64_t to) {
  ResizeTaps taps;
  for (const auto& source : attrs.linear(from, to)) {
    taps.add_tap({source.lower, 1 - source.share});
    taps.add_tap({source.upper, source.share});
    taps.end_pixel();
  }
  return taps;
}

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
  std::vector<std::vector<vector::WeightedPixel>> of_pixels(static_cast<size_t>(pixels));
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

/// The rows of an image, weighted and added up: piece by piece, whose sums stay in registers.
template <class T>
void add_resize_rows(const T* image, ResizeTaps::Taps taps, int64_t row_elements, float* sums) {
  if (auto loop = vector::resize_loops(dtype_of<T>()).sum_weighted) {
    const size_t bounds[] = {0, taps.size()};
    return loop(image, {taps.data(), bounds, 1, row_elements}, sums);
  }
  constexpr int64_t piece = 16;
  for (int64_t first = 0; first < row_elements; first += piece) {
    float sum[piece] = {};
    const auto count = std::min(piece, row_elements - first);
    for (const auto& tap : taps) {
      const auto* row = image + tap.pixel * row_elements + first;
      for (int64_t i = 0; i < count; ++i) sum[i] += static_cast<float>(row[i]) * tap.weight;
    }
    std::copy_n(sum, count, sums + first);
  }
}

/// A row of pixels of so many channels, each a weighted sum.
template <int64_t known>
void add_resize_columns(const float* row, const ResizeTaps& columns, int64_t, float* pixel) {
  for (size_t i = 0; i < columns.count(); ++i, pixel += known) {
    float sums[known] = {};  // in registers
    for (const auto& tap : columns[i])
      for (int64_t c = 0; c < known; ++c) sums[c] += row[tap.pixel * known + c] * tap.weight;
    std::copy_n(sums, known, pixel);
  }
}

void add_wide_columns(
    const float* row, const ResizeTaps& columns, int64_t channels, float* pixels) {
  const auto loop = vector::resize_loops(DType::float32).sum_weighted;
  const auto count = static_cast<int64_t>(columns.count());
  loop(row, {columns.all().data(), columns.bounds().data(), count, channels}, pixels);
}

auto find_add_columns(int64_t channels) {
  switch (channels) {
    case 1: return add_resize_columns<1>;
    case 3: return add_resize_columns<3>;
    case 4: return add_resize_columns<4>;
    default: return add_wide_columns;
  }
}

/// Sets images of the shape `to` to weighted sums of those of the shape `from`.
template <class T, class Out>
void set_weighted(
    const T* images, const Shape& from, Out* result, const Shape& to, const ResizeTaps& rows,
    const ResizeTaps& columns) {
  const auto channels = to[3], from_row = from[2] * channels, to_row = to[2] * channels;
  const auto add_columns = find_add_columns(channels);
  const auto work = from_row * std::ssize(rows.all()) / to[1] + 4 * to_row;
  parallel_ranges(to[0] * to[1], work, [&](int64_t begin, int64_t end) {
    std::vector<float> sums(static_cast<size_t>(from_row));
    std::vector<float> row(std::is_same_v<Out, float> ? 0 : static_cast<size_t>(to_row));
    for (auto i = begin; i < end; ++i) {
      const auto* image = images + i / to[1] * from[1] * from_row;
      add_resize_rows(image, rows[static_cast<size_t>(i % to[1])], from_row, sums.data());
      auto* out = result + i * to_row;
      if constexpr (std::is_same_v<Out, float>) {
        add_columns(sums.data(), columns, channels, out);
      } else {
        add_columns(sums.data(), columns, channels, row.data());
        std::ranges::transform(row, out, [](float sum) { return static_cast<Out>(sum); });
      }
    }
  });
}

template <class T>
Status resize_weighted(Launch& launch, const ResizeAttrs& attrs, MakeTaps make_taps) {
  if (auto status = attrs.check(); !status.ok()) return status;
  const auto from = launch.input(0).shape();
  auto to = resized_shape(from, launch.input(1));
  if (!to) return to.status();
  auto out = launch.allocate(DType::float32, *to);
  if (!out) return out.status();
  if (to->elements() > 0)
    set_weighted(
        launch.input(0).data<T>(), from, out->template mutable_data<float>(), *to,
        make_taps(attrs, from[1], (*to)[1]), make_taps(attrs, from[2], (*to)[2]));
  launch.set(0, *std::move(out));
  return {};
}

/// What each pixel of the images had in the resized ones, weighted by the gradients of these.
template <class T>
void set_shares(
    const float* dy, const Shape& to, T* result, const Shape& from, const ResizeTaps& rows,
    const ResizeTaps& columns) {
  set_weighted(dy, to, result, from, rows.turned(from[1]), columns.turned(from[2]));
}

/// Of double the products are floats, and the sums doubles, as TensorFlow's.
void set_shares(
    const float* dy, const Shape& to, double* result, const Shape& from, const ResizeTaps& rows,
    const ResizeTaps& columns) {
  auto size = from.elements() / from[0], gradients = to.elements() / to[0], channels = to[3];
  parallel_ranges(from[0], size + 32 * gradients, [&](int64_t begin, int64_t end) {
    std::fill(result + begin * size, result + end * size, 0.0);
    const auto* gradient = dy + begin * gradients;
    for (auto* sums = result + begin * size; sums != result + end * size; sums += size)
      for (size_t row = 0; row < rows.count(); ++row)
        for (size_t column = 0; column < columns.count(); ++column, gradient += channels)
          for (const auto& y : rows[row])
            for (const auto& x : columns[column]) {
              auto* sum = sums + (y.pixel * from[2] + x.pixel) * channels;
              for (int64_t c = 0; c < channels; ++c) sum[c] += gradient[c] * y.weight * x.weight;
            }
  });
}

template <class T>
Status resize_weighted_grad(Launch& launch, const ResizeAttrs& attrs, MakeTaps make_taps) {
  if (auto status = attrs.check(); !status.ok()) return status;
  const auto from = launch.input(1).shape(), to = launch.input(0).shape();
  if (auto status = check_resize_gradients(to, from); !status.ok()) return status;
  auto out = launch.allocate(dtype_of<T>(), from);
  if (!out) return out.status();
  if (from.elements() > 0)
    set_shares(
        launch.input(0).data<float>(), to, out->template mutable_data<T>(), from,
        make_taps(attrs, from[1], to[1]), make_taps(attrs, from[2], to[2]));
  launch.set(0, *std::move(out));
  return {};
}

KernelCatalog::Make weighted_kernel(MakeTaps make_taps) {
  return resize_kernel(Resizable{}, [=](auto& launch, const auto& attrs, auto zero) {
    return resize_weighted<decltype(zero)>(launch, attrs, make_taps);
  });
}

template <class... Ts>
KernelCatalog::Make weighted_grad_kernel(Types<Ts...> dtypes, MakeTaps make_taps) {
  return resize_kernel(dtypes, [=](auto& launch, const auto& attrs, auto zero) {
    return resize_weighted_grad<decltype(zero)>(launch, attrs, make_taps);
  });
}

/// A kernel of ScaleAndTranslate: a weight by the distance in pixels, 0 beyond the radius.
struct SamplingKernel {
  float radius;
  float (*weight)(float distance, float radius);
};

float lanczos_weight(float x, float radius) {
  constexpr float pi = 3.14159265359f, near_zero = 1e-3f;
  if (x > radius) return 0;
  if (x <= near_zero) return 1;
  return radius * std::sin(pi * x) * std::sin(pi * x / radius) / (pi * pi * x * x);
}
float gaussian_weight(float x, float radius) {
  if (x >= radius) return 0;
  auto sigma = radius / 3;
  return static_cast<float>(std::exp(-x * x / (2.0 * sigma * sigma)));
}
float box_weight(float x, float) { return x < 0.5f ? 1 : x == 0.5f ? 0.5f : 0; }
float triangle_weight(float x, float) { return x < 1 ? 1 - x : 0; }
float keys_weight(float x, float) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5f * x + 2.5f) * x - 4) * x + 2;
  return ((1.5f * x - 2.5f) * x) * x + 1;
}
float mitchell_weight(float x, float) {
  if (x >= 2) return 0;
  if (x >= 1) return (((-7.0f / 18) * x + 2) * x - 10.0f / 3) * x + 16.0f / 9;
  return (((7.0f / 6) * x - 2) * x) * x + 8.0f / 9;
}

Result<SamplingKernel> find_sampling_kernel(const std::string& name) {
  if (name == "lanczos1") return SamplingKernel{1, lanczos_weight};
  if (name == "lanczos3") return SamplingKernel{3, lanczos_weight};
  if (name == "lanczos5") return SamplingKernel{5, lanczos_weight};
  if (name == "gaussian") return SamplingKernel{1.5f, gaussian_weight};
  if (name == "box") return SamplingKernel{1, box_weight};
  if (name == "triangle") return SamplingKernel{1, triangle_weight};
  if (name == "keyscubic") return SamplingKernel{2, keys_weight};
  if (name == "mitchellcubic") return SamplingKernel{2, mitchell_weight};
  return invalid_argument("there is no sampling kernel '" + name + "'");
}

struct SampledAxis {
  using Move = std::array<float, 2>;  // scale and translation

  SamplingKernel kernel;
  bool antialias;

  /// In float, as TensorFlow computes it. A pixel outside of the image has no taps.
  ResizeTaps taps(Move move, int64_t from, int64_t to) const {
    ResizeTaps taps;
    const auto inverse = 1 / move[0], shift = -inverse * move[1];
    const auto width = antialias ? std::max(inverse, 1.0f) : 1.0f;
    const auto reach = kernel.radius * width, last = static_cast<float>(from - 1);
    for (int64_t i = 0; i < to; ++i) {
      auto at = (static_cast<float>(i) + 0.5f) * inverse + shift;
      if (at >= 0 && at <= static_cast<float>(from)) {
        auto begin = std::clamp(std::ceil(at - reach - 0.5f), 0.0f, last);
        auto end = std::clamp(std::floor(at + reach - 0.5f), 0.0f, last);
        add_sampled(taps, at, 1 / width, static_cast<int64_t>(begin), static_cast<int64_t>(end));
      }
      taps.end_pixel();
    }
    return taps;
  }

 private:
  void add_sampled(ResizeTaps& taps, float at, float by_width, int64_t begin, int64_t end) const {
    float sum = 0;
    std::vector<float> weights;
    for (auto pixel = begin; pixel <= end; ++pixel) {
      auto distance = std::abs((static_cast<float>(pixel) + 0.5f - at) * by_width);
      weights.push_back(kernel.weight(distance, kernel.radius));
      sum += weights.back();
    }
    if (!(std::abs(sum) >= 1000 * std::numeric_limits<float>::min())) return;
    for (size_t i = 0; i < weights.size(); ++i)
      taps.add_tap({begin + static_cast<int64_t>(i), weights[i] * (1 / sum)});
  }
};

/// Height, then width: inputs 2 and 3.
Result<std::array<SampledAxis::Move, 2>> move_inputs(const Launch& launch) {
  for (int i : {2, 3})
    if (launch.input(i).shape() != Shape{2})
      return invalid_argument(
          std::string(i == 2 ? "'scale'" : "'translation'") + " must have two elements, but has " +
          launch.input(i).shape().to_string());
  auto scale = launch.input(2).values<float>(), translation = launch.input(3).values<float>();
  if (!(scale[0] > 0 && scale[1] > 0)) return invalid_argument("Scale must be greater than zero.");
  using Move = SampledAxis::Move;
  return std::array{Move{scale[0], translation[0]}, Move{scale[1], translation[1]}};
}

template <class T>
Status scale_and_translate(Launch& launch, const SampledAxis& axis) {
  const auto from = launch.input(0).shape();
  auto to = resized_shape(from, launch.input(1));
  if (!to) return to.status();
  auto moves = move_inputs(launch);
  if (!moves) return moves.status();
  auto out = launch.allocate(DType::float32, *to);
  if (!out) return out.status();
  if (to->elements() > 0)
    set_weighted(
        launch.input(0).data<T>(), from, out->template mutable_data<float>(), *to,
        axis.taps((*moves)[0], from[1], (*to)[1]), axis.taps((*moves)[1], from[2], (*to)[2]));
  launch.set(0, *std::move(out));
  return {};
}

Status scale_and_translate_back(Launch& launch, const SampledAxis& axis) {
  const auto from = launch.input(1).shape(), to = launch.input(0).shape();
  if (auto status = check_resize_gradients(to, from); !status.ok()) return status;
  auto moves = move_inputs(launch);
  if (!moves) return moves.status();
  auto out = launch.allocate(DType::float32, from);
  if (!out) return out.status();
  if (from.elements() > 0)
    set_shares(
        launch.input(0).data<float>(), to, out->mutable_data<float>(), from,
        axis.taps((*moves)[0], from[1], to[1]), axis.taps((*moves)[1], from[2], to[2]));
  launch.set(0, *std::move(out));
  return {};
}

Result<SampledAxis> sampled_axis(const Node& node) {
  auto kernel = find_sampling_kernel(node.attr<std::string>("kernel_type"));
  if (!kernel) return kernel.status();
  return SampledAxis{*kernel, node.attr<bool>("antialias")};
}

Result<Kernel> make_scale_and_translate(const Node& node) {
  auto axis = sampled_axis(node);
  if (!axis) return axis.status();
  return dispatch(Resizable{}, node.attr<DType>("T"), [axis = *axis](auto zero) {
    return Kernel{.compute = [axis](Launch& launch) {
      return scale_and_translate<decltype(zero)>(launch, axis);
    }};
  });
}

Result<Kernel> make_scale_and_translate_back(const Node& node) {
  auto axis = sampled_axis(node);
  if (!axis) return axis.status();
  return Kernel{
      .compute = [axis = *axis](Launch& launch) { return scale_and_translate_back(launch, axis); }};
}

}  // namespace

void add_weighted_resize_kernels(KernelCatalog& catalog) {
  catalog.add("ResizeBicubic", weighted_kernel(make_cubic_taps));
  catalog.add("ResizeArea", weighted_kernel(make_area_taps));
  catalog.add("ResizeBilinearGrad", weighted_grad_kernel(Floating{}, make_linear_taps));
  catalog.add("ResizeBicubicGrad", weighted_grad_kernel(Types<float, double>{}, make_cubic_taps));
  catalog.add("ScaleAndTranslate", make_scale_and_translate);
  catalog.add("ScaleAndTranslateGrad", make_scale_and_translate_back);
}

}  // namespace troupe::cpu
