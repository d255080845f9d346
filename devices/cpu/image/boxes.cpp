#include "troupe/devices/cpu/image/boxes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

using BoxColour = std::array<float, 4>;

/// Those of boxes that have none given, one after the other.
std::vector<BoxColour> default_box_colours(int64_t channels) {
  std::vector<BoxColour> colours{{1, 1, 0, 1},     {0, 0, 1, 1},     {1, 0, 0, 1},   {0, 1, 0, 1},
                                 {0.5, 0, 0.5, 1}, {0.5, 0.5, 0, 1}, {0.5, 0, 0, 1}, {0, 0, 0.5, 1},
                                 {0, 1, 1, 1},     {1, 0, 1, 1}};
  if (channels == 1)
    for (auto& colour : colours) colour[0] = 1;
  return colours;
}

Status check_box_shapes(const Shape& images, const Shape& boxes) {
  if (images.rank() != 4 || (images[3] != 1 && images[3] != 3 && images[3] != 4))
    return invalid_argument(
        "'images' must have rank 4 and 1, 3 or 4 channels, but have the shape " +
        images.to_string());
  if (boxes.rank() != 3 || boxes[0] != images[0] || boxes[2] != 4)
    return invalid_argument(
        "'boxes' must have the shape [" + std::to_string(images[0]) + ",boxes,4], but have " +
        boxes.to_string());
  return {};
}

Result<std::vector<BoxColour>> box_colours(const Launch& launch, int64_t channels) {
  if (launch.input_count() < 3) return default_box_colours(channels);
  const auto& given = launch.input(2);
  if (given.shape().rank() != 2 || given.shape()[1] < channels)
    return invalid_argument(
        "'colors' must be a matrix with a column for each of " + std::to_string(channels) +
        " channels, but have the shape " + given.shape().to_string());
  if (given.elements() == 0) return default_box_colours(channels);
  std::vector<BoxColour> colours;
  const auto* from = given.data<float>();
  for (int64_t i = 0; i < given.shape()[0]; ++i, from += given.shape()[1]) {
    colours.emplace_back();
    std::copy_n(from, channels, colours.back().begin());
  }
  return colours;
}

/// One axis of a box: its first and last pixel, which may lie outside of the image.
struct BoxAxis {
  int64_t first, last, size;

  /// Where a position is NaN the box is beyond the image.
  BoxAxis(float low, float high, int64_t pixels)
      : first(pixel(low, pixels)), last(pixel(high, pixels)), size(pixels) {}

  bool is_visible() const { return first <= last && first < size && last >= 0; }
  int64_t begin() const { return std::max<int64_t>(first, 0); }
  int64_t end() const { return std::min(last + 1, size); }

  static int64_t pixel(float position, int64_t pixels) {
    auto at = position * static_cast<float>(pixels - 1);
    constexpr float most = 1e15f;
    return std::isnan(at) ? static_cast<int64_t>(most)
                          : static_cast<int64_t>(std::clamp(at, -most, most));
  }
};

template <class T>
void draw_box(T* image, const BoxAxis& y, const BoxAxis& x, const T* colour, int64_t channels) {
  if (!y.is_visible() || !x.is_visible()) return;
  auto draw = [&](int64_t row, int64_t column) {
    std::copy_n(colour, channels, image + (row * x.size + column) * channels);
  };
  for (auto row : {y.first, y.last})
    if (row >= 0 && row < y.size)
      for (auto column = x.begin(); column < x.end(); ++column) draw(row, column);
  for (auto column : {x.first, x.last})
    if (column >= 0 && column < x.size)
      for (auto row = y.begin(); row < y.end(); ++row) draw(row, column);
}

template <class T>
Status draw_boxes(Launch& launch) {
  const auto &images = launch.input(0), &boxes = launch.input(1);
  const auto shape = images.shape();
  if (auto status = check_box_shapes(shape, boxes.shape()); !status.ok()) return status;
  auto colours = box_colours(launch, shape[3]);
  if (!colours) return colours.status();
  auto out = launch.allocate(images.dtype(), shape);
  if (!out) return out.status();
  auto* result = std::copy_n(images.data<T>(), shape.elements(), out->template mutable_data<T>());
  result -= shape.elements();
  if (shape.elements() > 0) {
    auto count = boxes.shape()[1], size = shape.elements() / shape[0];
    parallel_ranges(shape[0], 4 * count * (shape[1] + shape[2]), [&](int64_t begin, int64_t end) {
      const auto* box = boxes.data<float>() + begin * count * 4;
      for (auto i = begin; i < end; ++i)
        for (int64_t k = 0; k < count; ++k, box += 4) {
          std::array<T, 4> colour;
          std::ranges::transform(
              (*colours)[static_cast<size_t>(k) % colours->size()], colour.begin(),
              [](float value) { return static_cast<T>(value); });
          BoxAxis y(box[0], box[2], shape[1]), x(box[1], box[3], shape[2]);
          draw_box(result + i * size, y, x, colour.data(), shape[3]);
        }
    });
  }
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_draw_boxes(const Node& node) {
  return dispatch(Types<float16, float>{}, node.attr<DType>("T"), [](auto zero) {
    return Kernel{.compute = draw_boxes<decltype(zero)>};
  });
}

}  // namespace

void add_boxes_kernels(KernelCatalog& catalog) {
  add_suppression_kernels(catalog);
  add_combined_suppression_kernels(catalog);
  catalog.add("DrawBoundingBoxes", make_draw_boxes);
  catalog.add("DrawBoundingBoxesV2", make_draw_boxes);
  add_box_sampling_kernels(catalog);
  add_glimpse_kernels(catalog);
  add_matching_kernels(catalog);
}

}  // namespace troupe::cpu
