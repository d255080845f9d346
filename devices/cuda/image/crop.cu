#include "troupe/devices/cuda/image/crop.hpp"

#include "troupe/devices/cuda/image/pixel.cuh"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/reduction/lanes.cuh"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

using CroppedElements = Elements<float, double, Half, uint8_t, int32_t, int64_t>;

template <class T>
__device__ float pixel_at(const T* images, int64_t at) {
  return static_cast<float>(widen(images[at]));
}

/// The four elements around a place of an image, a and b above p and q.
struct Cell {
  float a, b, p, q;

  template <class T>
  __device__ Cell(
      const T* images, const CropSizes& sizes, int64_t image, const CropPixels& y,
      const CropPixels& x, int64_t channel) {
    auto value = [&](int64_t row, int64_t column) {
      auto pixel = (image * sizes.height + row) * sizes.width + column;
      return pixel_at(images, pixel * sizes.channels + channel);
    };
    a = value(y.lower, x.lower);
    b = value(y.lower, x.upper);
    p = value(y.upper, x.lower);
    q = value(y.upper, x.upper);
  }
};

template <class T>
__device__ float crop_value(const CropCall& call, const Pixel& to) {
  const auto& sizes = call.sizes;
  auto rows = sizes.rows_of(to.image), columns = sizes.columns_of(to.image);
  auto y = rows.position(to.row), x = columns.position(to.column);
  if (!rows.contains(y) || !columns.contains(x)) return call.extrapolation;
  const auto* images = static_cast<const T*>(call.images);
  int64_t image = call.image_of[to.image];
  if (call.is_nearest) {
    auto pixel =
        (image * sizes.height + rows.pixel(roundf(y))) * sizes.width + columns.pixel(roundf(x));
    return pixel_at(images, pixel * sizes.channels + to.channel);
  }
  CropPixels at_y(rows, y), at_x(columns, x);
  Cell cell(images, sizes, image, at_y, at_x, to.channel);
  auto above = cell.a + (cell.b - cell.a) * at_x.share;
  auto below = cell.p + (cell.q - cell.p) * at_x.share;
  return above + (below - above) * at_y.share;
}

template <class T>
__global__ void crop_kernel(CropCall call) {
  const auto& sizes = call.sizes;
  for (auto i = first_item(); i < sizes.crop_elements(); i += item_step())
    call.crops[i] =
        crop_value<T>(call, Pixel(i, sizes.crop_height, sizes.crop_width, sizes.channels));
}

/// The shares of a gradient that a pixel of an image gets along one axis, as the lower source and
/// as the upper one, which are one pixel at a whole position.
struct Shares {
  bool is_lower, is_upper;
  float lower, upper;

  __device__ Shares(const CropAxis& axis, float position, int64_t pixel, bool is_nearest) {
    if (is_nearest) {
      is_lower = axis.pixel(roundf(position)) == pixel;
      is_upper = false;
      lower = 1;
      return;
    }
    CropPixels pixels(axis, position);
    is_lower = pixels.lower == pixel;
    is_upper = pixels.upper == pixel;
    lower = 1 - pixels.share;
    upper = pixels.share;
  }
  __device__ bool is_any() const { return is_lower || is_upper; }
};

/// Adds what a pixel of an image has in one box.
template <class A>
__device__ void add_box(const CropGradImageCall& call, const Pixel& pixel, int64_t box, A& sum) {
  const auto& sizes = call.sizes;
  auto rows = sizes.rows_of(box), columns = sizes.columns_of(box);
  auto near_y = rows.range_near(pixel.row), near_x = columns.range_near(pixel.column);
  for (auto row = near_y.begin; row < near_y.end; ++row) {
    auto at_y = rows.position(row);
    if (!rows.contains(at_y)) continue;
    Shares y(rows, at_y, pixel.row, call.is_nearest);
    for (auto column = near_x.begin; y.is_any() && column < near_x.end; ++column) {
      auto at_x = columns.position(column);
      if (!columns.contains(at_x)) continue;
      Shares x(columns, at_x, pixel.column, call.is_nearest);
      if (!x.is_any()) continue;
      auto at = (box * sizes.crop_height + row) * sizes.crop_width + column;
      auto gradient = call.crops[at * sizes.channels + pixel.channel];
      // Each share is rounded by itself.
      auto add = [&](bool is_source, float of_row, float of_column) {
        if (is_source) sum += static_cast<A>(rounded_product(of_column, of_row * gradient));
      };
      add(y.is_lower && x.is_lower, y.lower, x.lower);
      add(y.is_lower && x.is_upper, y.lower, x.upper);
      add(y.is_upper && x.is_lower, y.upper, x.lower);
      add(y.is_upper && x.is_upper, y.upper, x.upper);
    }
  }
}

/// A thread adds up what its pixel has in the boxes of its image, in their order.
template <class T>
__global__ void crop_grad_image_kernel(CropGradImageCall call) {
  const auto& sizes = call.sizes;
  for (auto i = first_item(); i < sizes.image_elements(); i += item_step()) {
    Pixel pixel(i, sizes.height, sizes.width, sizes.channels);
    Wide<T> sum = 0;
    for (auto at = call.begins[pixel.image]; at < call.begins[pixel.image + 1]; ++at)
      add_box(call, pixel, call.ordered[at], sum);
    static_cast<T*>(call.images)[i] = Narrow<T>::of(sum);
  }
}

/// What the corners of a box change all elements of its crop by, times their gradients.
struct BoxSums {
  float y1 = 0, x1 = 0, y2 = 0, x2 = 0;

  /// Adds that of one element of the crop, Pixel(element, ...).
  template <class T>
  __device__ void add(const CropGradBoxesCall& call, const Pixel& at, int64_t element) {
    const auto& sizes = call.sizes;
    auto rows = sizes.rows_of(at.image), columns = sizes.columns_of(at.image);
    auto y = rows.position(at.row), x = columns.position(at.column);
    if (!rows.contains(y) || !columns.contains(x)) return;
    CropPixels at_y(rows, y), at_x(columns, x);
    Cell cell(
        static_cast<const T*>(call.images), sizes, call.image_of[at.image], at_y, at_x, at.channel);
    auto dy = call.crops[element];
    auto by_y = ((1 - at_x.share) * (cell.p - cell.a) + at_x.share * (cell.q - cell.b)) * dy;
    auto by_x = ((1 - at_y.share) * (cell.b - cell.a) + at_y.share * (cell.q - cell.p)) * dy;
    y1 += by_y * rows.slope_by_low(at.row);
    x1 += by_x * columns.slope_by_low(at.column);
    y2 += by_y * rows.slope_by_high(at.row);
    x2 += by_x * columns.slope_by_high(at.column);
  }
};

/// The threads of a row of a block share a box. All threads of the block take part in each round,
/// as they wait for each other.
template <class T>
__global__ void crop_grad_boxes_kernel(CropGradBoxesCall call) {
  __shared__ float shared[warps_max];
  const auto& sizes = call.sizes;
  auto join = [](float x, float y) { return x + y; };
  auto elements = sizes.crop_height * sizes.crop_width * sizes.channels;
  auto step = gridDim.x * int64_t{blockDim.y};
  for (auto base = blockIdx.x * int64_t{blockDim.y}; base < sizes.boxes; base += step) {
    auto box = base + threadIdx.y;
    auto end = box < sizes.boxes ? (box + 1) * elements : 0;
    BoxSums sums;
    for (auto i = box * elements + threadIdx.x; i < end; i += blockDim.x)
      sums.add<T>(call, Pixel(i, sizes.crop_height, sizes.crop_width, sizes.channels), i);
    for (auto* sum : {&sums.y1, &sums.x1, &sums.y2, &sums.x2})
      *sum = join_lanes(*sum, shared, join);
    if (threadIdx.x != 0 || box >= sizes.boxes) continue;
    auto* to = call.boxes + 4 * box;
    to[0] = sums.y1;
    to[1] = sums.x1;
    to[2] = sums.y2;
    to[3] = sums.x2;
  }
}

template <class T>
void crop(const CropCall& call) {
  start_kernel(
      call.stream, blocks_for(call.sizes.crop_elements()), block_threads, crop_kernel<T>, call);
}

template <class T>
void crop_grad_image(const CropGradImageCall& call) {
  start_kernel(
      call.stream, blocks_for(call.sizes.image_elements()), block_threads,
      crop_grad_image_kernel<T>, call);
}

template <class T>
void crop_grad_boxes(const CropGradBoxesCall& call) {
  const auto& sizes = call.sizes;
  auto threads = lanes_for(sizes.crop_height * sizes.crop_width * sizes.channels);
  start_kernel(
      call.stream, blocks_for(sizes.boxes, threads.y), threads, crop_grad_boxes_kernel<T>, call);
}

}  // namespace

LaunchCrop find_crop(Element element) {
  return choose<LaunchCrop>(
      CroppedElements{}, element, [](auto zero) { return crop<decltype(zero)>; });
}

LaunchCropGradImage find_crop_grad_image(Element element) {
  return choose<LaunchCropGradImage>(Elements<float, double, Half>{}, element, [](auto zero) {
    return crop_grad_image<decltype(zero)>;
  });
}

LaunchCropGradBoxes find_crop_grad_boxes(Element element) {
  return choose<LaunchCropGradBoxes>(
      CroppedElements{}, element, [](auto zero) { return crop_grad_boxes<decltype(zero)>; });
}

}  // namespace troupe::cuda
