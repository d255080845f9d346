#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "troupe/devices/cpu/image/resize.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {

ResizeAttrs::ResizeAttrs(const Node& node)
    : align_corners(node.attr<bool>("align_corners")),
      half_pixel_centers(
          node.attrs.contains("half_pixel_centers") && node.attr<bool>("half_pixel_centers")) {}

Status ResizeAttrs::check() const {
  if (align_corners && half_pixel_centers)
    return invalid_argument("'align_corners' and 'half_pixel_centers' cannot both be true");
  return {};
}

float ResizeAttrs::scale(int64_t from, int64_t to) const {
  if (align_corners && to > 1) return static_cast<float>(from - 1) / static_cast<float>(to - 1);
  return static_cast<float>(from) / static_cast<float>(to);
}

float ResizeAttrs::position(int64_t pixel, float scale) const {
  return half_pixel_centers ? (static_cast<float>(pixel) + 0.5f) * scale - 0.5f
                            : static_cast<float>(pixel) * scale;
}

std::vector<vector::PixelsBetween> ResizeAttrs::linear(int64_t from, int64_t to) const {
  std::vector<vector::PixelsBetween> sources(static_cast<size_t>(to));
  auto step = scale(from, to);
  for (int64_t i = 0; i < to; ++i) {
    auto at = position(i, step), floor = std::floor(at);
    auto lower = std::clamp<int64_t>(static_cast<int64_t>(floor), 0, from - 1);
    auto upper = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(at)), 0, from - 1);
    sources[static_cast<size_t>(i)] = {lower, upper, at - floor};
  }
  return sources;
}

std::vector<int64_t> ResizeAttrs::nearest(int64_t from, int64_t to) const {
  std::vector<int64_t> sources(static_cast<size_t>(to));
  auto step = scale(from, to);
  for (int64_t i = 0; i < to; ++i) {
    auto at = (static_cast<float>(i) + (half_pixel_centers ? 0.5f : 0.0f)) * step;
    auto whole = static_cast<int64_t>(align_corners ? std::round(at) : std::floor(at));
    sources[static_cast<size_t>(i)] = std::clamp<int64_t>(whole, 0, from - 1);
  }
  return sources;
}

Status check_resize_images(const Shape& shape) {
  if (shape.rank() != 4)
    return invalid_argument("images must have rank 4, but their shape is " + shape.to_string());
  if (shape[1] == 0 || shape[2] == 0)
    return invalid_argument("images must not be empty, but their shape is " + shape.to_string());
  return {};
}

/// `images` with the height and width that the tensor `size` says.
Result<Shape> resized_shape(const Shape& images, const Tensor& size) {
  if (auto status = check_resize_images(images); !status.ok()) return status;
  if (size.shape().rank() != 1 || size.elements() != 2)
    return invalid_argument(
        "'size' must be a vector of 2 elements, but has the shape " + size.shape().to_string());
  auto sizes = IntInput::of(size);
  if (!sizes) return sizes.status();
  for (auto value : sizes->values())
    if (value <= 0)
      return invalid_argument("'size' must be positive, but has " + std::to_string(value));
  return Shape::make(std::array<int64_t, 4>{images[0], (*sizes)[0], (*sizes)[1], images[3]});
}

Status check_resize_gradients(const Shape& gradients, const Shape& images) {
  for (const auto& shape : {images, gradients})
    if (auto status = check_resize_images(shape); !status.ok()) return status;
  if (images[0] == gradients[0] && images[3] == gradients[3]) return {};
  return invalid_argument(
      "the gradients must have the images' batch and channels, but have the shape " +
      gradients.to_string() + " and the images " + images.to_string());
}

namespace {

/// Pixels that lie between four others each.
template <class T>
void interpolate(const vector::RowsBetween& rows, float* out) {
  const auto *top = static_cast<const T*>(rows.top), *bottom = static_cast<const T*>(rows.bottom);
  for (int64_t i = 0; i < rows.count; ++i) {
    const auto& x = rows.columns[i];
    auto left = x.lower * rows.channels, right = x.upper * rows.channels;
    for (int64_t c = 0; c < rows.channels; ++c) {
      auto a = static_cast<float>(top[left + c]), b = static_cast<float>(top[right + c]);
      auto p = static_cast<float>(bottom[left + c]), q = static_cast<float>(bottom[right + c]);
      auto above = a + (b - a) * x.share, below = p + (q - p) * x.share;
      *out++ = above + (below - above) * rows.lower;
    }
  }
}

/// A row of the image with the width of the resized one: each pixel lies between two others. Of so
/// many channels, or of `channels` where that is 0.
template <int64_t known, class T>
void widen_row(
    const T* row, const std::vector<vector::PixelsBetween>& columns, int64_t channels, float* out) {
  if constexpr (known > 0) channels = known;
  for (const auto& x : columns) {
    const auto *left = row + x.lower * channels, *right = row + x.upper * channels;
    auto share = x.share;
// The output is no part of the image.
#pragma GCC ivdep
    for (int64_t c = 0; c < channels; ++c) {
      auto a = static_cast<float>(left[c]), b = static_cast<float>(right[c]);
      out[c] = a + (b - a) * share;
    }
    out += channels;
  }
}

template <class T>
auto find_widen_row(int64_t channels) {
  switch (channels) {
    case 1: return widen_row<1, T>;
    case 3: return widen_row<3, T>;
    default: return widen_row<0, T>;
  }
}

/// The last two rows of images that were widened: rows of the resized image that are neighbours lie
/// between the same two.
template <class T>
class WidenedRows {
 public:
  WidenedRows(
      const T* images, int64_t row_elements, int64_t channels,
      const std::vector<vector::PixelsBetween>& columns)
      : images_(images),
        row_elements_(row_elements),
        channels_(channels),
        columns_(columns),
        widen_(find_widen_row<T>(channels)) {}

  /// Rows are counted over all images. Both are valid until the next call.
  std::pair<const float*, const float*> between(int64_t above, int64_t below) {
    auto& first = held_[0].row == above || held_[1].row == below ? held_[0] : held_[1];
    auto& second = &first == &held_[0] ? held_[1] : held_[0];
    widen(first, above);
    if (above == below) return {first.widened.data(), first.widened.data()};
    widen(second, below);
    return {first.widened.data(), second.widened.data()};
  }

 private:
  struct Held {
    int64_t row = -1;
    std::vector<float> widened;
  };

  void widen(Held& held, int64_t row) {
    if (held.row == row) return;
    held.widened.resize(columns_.size() * static_cast<size_t>(channels_));
    widen_(images_ + row * row_elements_, columns_, channels_, held.widened.data());
    held.row = row;
  }

  const T* images_;
  int64_t row_elements_, channels_;
  const std::vector<vector::PixelsBetween>& columns_;
  void (*widen_)(const T*, const std::vector<vector::PixelsBetween>&, int64_t, float*);
  Held held_[2];
};

/// Images, and how the pixels of the resized ones lie between theirs.
template <class T>
struct BilinearPlan {
  const T* images;
  Shape from, to;
  std::vector<vector::PixelsBetween> rows, columns;

  int64_t channels() const { return to[3]; }
  int64_t out_rows() const { return to[0] * to[1]; }
  int64_t out_row_elements() const { return to[2] * to[3]; }
  int64_t row_elements() const { return from[2] * from[3]; }
  const vector::PixelsBetween& row(int64_t out_row) const {
    return rows[static_cast<size_t>(out_row % to[1])];
  }
  /// The first row of the image, counted over all images.
  int64_t first_row(int64_t out_row) const { return out_row / to[1] * from[1]; }
};

/// For pixels of few channels: rows are widened, and the results lie between two of them.
template <class T>
void resize_by_rows(const BilinearPlan<T>& plan, int64_t begin, int64_t end, float* out) {
  auto elements = plan.out_row_elements();
  WidenedRows<T> widened(plan.images, plan.row_elements(), plan.channels(), plan.columns);
  for (auto i = begin; i < end; ++i, out += elements) {
    const auto y = plan.row(i);
    auto first = plan.first_row(i);
    auto [above, below] = widened.between(first + y.lower, first + y.upper);
// The output is none of the two.
#pragma GCC ivdep
    for (int64_t k = 0; k < elements; ++k) out[k] = above[k] + (below[k] - above[k]) * y.share;
  }
}

/// For pixels of many channels: each result is computed from four in registers.
template <class T>
void resize_by_pixels(const BilinearPlan<T>& plan, int64_t begin, int64_t end, float* out) {
  const auto loop = vector::resize_loops(dtype_of<T>()).interpolate;
  for (auto i = begin; i < end; ++i, out += plan.out_row_elements()) {
    const auto& y = plan.row(i);
    auto first = plan.first_row(i);
    vector::RowsBetween rows{
        plan.images + (first + y.lower) * plan.row_elements(),
        plan.images + (first + y.upper) * plan.row_elements(),
        y.share,
        plan.columns.data(),
        std::ssize(plan.columns),
        plan.channels()};
    loop ? loop(rows, out) : interpolate<T>(rows, out);
  }
}

template <class T>
Status resize_bilinear(Launch& launch, const ResizeAttrs& attrs) {
  if (auto status = attrs.check(); !status.ok()) return status;
  const auto from = launch.input(0).shape();
  auto to = resized_shape(from, launch.input(1));
  if (!to) return to.status();
  auto out = launch.allocate(DType::float32, *to);
  if (!out) return out.status();
  if (to->elements() > 0) {
    BilinearPlan<T> plan{
        launch.input(0).data<T>(), from, *to, attrs.linear(from[1], (*to)[1]),
        attrs.linear(from[2], (*to)[2])};
    constexpr int64_t few_channels = 3;  // four fill a vector
    auto resize = plan.channels() <= few_channels ? resize_by_rows<T> : resize_by_pixels<T>;
    auto* result = out->template mutable_data<float>();
    auto elements = plan.out_row_elements();
    parallel_ranges(plan.out_rows(), 4 * elements, [&](int64_t begin, int64_t end) {
      resize(plan, begin, end, result + begin * elements);
    });
  }
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status resize_nearest(Launch& launch, const ResizeAttrs& attrs) {
  if (auto status = attrs.check(); !status.ok()) return status;
  const auto from = launch.input(0).shape();
  auto to = resized_shape(from, launch.input(1));
  if (!to) return to.status();
  auto out = launch.allocate(dtype_of<T>(), *to);
  if (!out) return out.status();
  if (to->elements() > 0) {
    const auto shape = *to;
    const auto* images = launch.input(0).data<T>();
    auto* result = out->template mutable_data<T>();
    auto rows = attrs.nearest(from[1], shape[1]), columns = attrs.nearest(from[2], shape[2]);
    auto channels = shape[3], row_elements = shape[2] * channels;
    parallel_ranges(shape[0] * shape[1], row_elements, [&](int64_t begin, int64_t end) {
      for (auto i = begin; i < end; ++i) {
        auto row = i / shape[1] * from[1] + rows[static_cast<size_t>(i % shape[1])];
        auto* to_row = result + i * row_elements;
        for (auto x : columns)
          to_row = std::copy_n(images + (row * from[2] + x) * channels, channels, to_row);
      }
    });
  }
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status resize_nearest_grad(Launch& launch, const ResizeAttrs& attrs) {
  using A = std::conditional_t<std::is_integral_v<T>, uint32_t, Promoted<T>>;  // sums may wrap
  if (auto status = attrs.check(); !status.ok()) return status;
  const auto to = launch.input(0).shape();
  auto shape = resized_shape(to, launch.input(1));
  if (!shape) return shape.status();
  const auto from = *shape;
  auto out = launch.allocate(dtype_of<T>(), from);
  if (!out) return out.status();
  if (from.elements() > 0) {
    const auto* dy = launch.input(0).data<T>();
    auto* result = out->template mutable_data<T>();
    auto rows = attrs.nearest(from[1], to[1]), columns = attrs.nearest(from[2], to[2]);
    auto channels = from[3], size = from.elements() / from[0], gradients = to.elements() / to[0];
    parallel_ranges(from[0], size + 2 * gradients, [&](int64_t begin, int64_t end) {
      std::vector<A> sums(static_cast<size_t>(size));
      for (auto i = begin; i < end; ++i) {
        std::fill(sums.begin(), sums.end(), A(0));
        const auto* gradient = dy + i * gradients;
        for (auto y : rows)
          for (auto x : columns)
            for (int64_t c = 0; c < channels; ++c)
              sums[static_cast<size_t>((y * from[2] + x) * channels + c)] +=
                  static_cast<A>(*gradient++);
        for (int64_t k = 0; k < size; ++k)
          result[i * size + k] = static_cast<T>(sums[static_cast<size_t>(k)]);
      }
    });
  }
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_resize_kernels(KernelCatalog& catalog) {
  using NearestGrad = Types<uint8_t, int8_t, int32_t, float16, float, double>;
  catalog.add(
      "ResizeBilinear", resize_kernel(Resizable{}, [](auto& launch, const auto& attrs, auto zero) {
        return resize_bilinear<decltype(zero)>(launch, attrs);
      }));
  catalog.add(
      "ResizeNearestNeighbor",
      resize_kernel(Resizable{}, [](auto& launch, const auto& attrs, auto zero) {
        return resize_nearest<decltype(zero)>(launch, attrs);
      }));
  catalog.add(
      "ResizeNearestNeighborGrad",
      resize_kernel(NearestGrad{}, [](auto& launch, const auto& attrs, auto zero) {
        return resize_nearest_grad<decltype(zero)>(launch, attrs);
      }));
  add_weighted_resize_kernels(catalog);
}

}  // namespace troupe::cpu
