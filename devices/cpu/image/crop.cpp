#include "troupe/devices/cpu/image/crop.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {

Result<CropImages> CropImages::of(const Tensor& boxes, const Tensor& indices, int64_t batch) {
  if (boxes.shape().rank() != 2 || boxes.shape()[1] != 4)
    return invalid_argument(
        "'boxes' must have the shape [boxes,4], but has " + boxes.shape().to_string());
  if (indices.shape() != Shape{boxes.shape()[0]})
    return invalid_argument(
        "'box_ind' must have a number for each of " + std::to_string(boxes.shape()[0]) +
        " boxes, but has the shape " + indices.shape().to_string());
  CropImages images{indices.values<int32_t>()};
  for (int64_t i = 0; i < images.count(); ++i)
    if (images[i] < 0 || images[i] >= batch)
      return Status(
          Code::out_of_range, "box " + std::to_string(i) + " is of image " +
                                  std::to_string(images[i]) + ", but there are " +
                                  std::to_string(batch) + " images");
  return images;
}

namespace {

Status check_crop_shape(const char* name, const Shape& shape) {
  if (shape.rank() != 4)
    return invalid_argument(
        std::string("'") + name + "' must have rank 4, but its shape is " + shape.to_string());
  if (shape[1] > 0 && shape[2] > 0) return {};
  return invalid_argument(
      std::string("'") + name + "' must not be empty, but its shape is " + shape.to_string());
}

}  // namespace

Result<CropShapes> CropShapes::of(
    const Shape& image, const Tensor& boxes, const Tensor& indices, const Tensor& size) {
  if (auto status = check_crop_shape("image", image); !status.ok()) return status;
  auto images = CropImages::of(boxes, indices, image[0]);
  if (!images) return images.status();
  auto crop = IntInput::of(size);
  if (!crop) return crop.status();
  if (size.shape() != Shape{2} || (*crop)[0] <= 0 || (*crop)[1] <= 0)
    return invalid_argument("'crop_size' must be two positive numbers, but is " + size.to_string());
  auto crops =
      Shape::make(std::array<int64_t, 4>{images->count(), (*crop)[0], (*crop)[1], image[3]});
  if (!crops) return crops.status();
  return CropShapes{image, *crops, *images};
}

Result<CropShapes> CropShapes::of_gradients(
    const Shape& gradients, const Shape& image, const Tensor& boxes, const Tensor& indices) {
  if (auto status = check_crop_shape("grads", gradients); !status.ok()) return status;
  if (auto status = check_crop_shape("image", image); !status.ok()) return status;
  auto images = CropImages::of(boxes, indices, image[0]);
  if (!images) return images.status();
  if (gradients[0] != images->count() || gradients[3] != image[3])
    return invalid_argument(
        "'grads' must have " + std::to_string(images->count()) + " boxes and " +
        std::to_string(image[3]) + " channels, but has the shape " + gradients.to_string());
  return CropShapes{image, gradients, *images};
}

namespace {

/// Where one axis of a crop takes its pixels from; outside of the image there is nothing.
struct CropAxis {
  int64_t pixels, crop;  // the sizes of image and crop
  float low, high;       // the corners, where 0 is the first pixel and 1 the last

  std::optional<float> position(int64_t i) const {
    auto last = static_cast<float>(pixels - 1);
    auto step = crop > 1 ? (high - low) * last / static_cast<float>(crop - 1) : 0;
    auto at = crop > 1 ? low * last + static_cast<float>(i) * step
                       : static_cast<float>(0.5 * (low + high) * last);
    return at >= 0 && at <= last ? std::optional(at) : std::nullopt;  // NaN is outside
  }

  /// What the position changes by, where the low corner does, and where the high one does.
  std::pair<float, float> slopes(int64_t i) const {
    auto last = static_cast<float>(pixels - 1);
    if (crop == 1) return {0.5f * last, 0.5f * last};
    auto ratio = static_cast<float>(i) / static_cast<float>(crop - 1);
    return {last * (1 - ratio), last * ratio};
  }
};

/// The crops of one image's size, with those of their pixels that lie in the image.
struct Crops : CropShapes {
  const float* boxes;  // [y1, x1, y2, x2] of each

  /// Calls f(offset in the crops, offset of the image, y, x, row, column) for each pixel of a box;
  /// none: outside(offset in the crops).
  template <class F, class Outside>
  void each_pixel(int64_t box, const F& f, const Outside& outside) const {
    const auto* corners = boxes + 4 * box;
    CropAxis y{image[1], crop[1], corners[0], corners[2]};
    CropAxis x{image[2], crop[2], corners[1], corners[3]};
    auto from = images[box] * image[1] * image[2] * image[3];
    auto to = box * crop[1] * crop[2] * crop[3];
    for (int64_t row = 0; row < crop[1]; ++row) {
      auto at_y = y.position(row);
      for (int64_t column = 0; column < crop[2]; ++column, to += crop[3]) {
        auto at_x = at_y ? x.position(column) : std::nullopt;
        if (at_x) f(to, from, *at_y, *at_x, std::pair(y.slopes(row), x.slopes(column)));
        else outside(to);
      }
    }
  }

  /// Of the first channel of a pixel. What is computed from large floats may lie beyond the last.
  int64_t offset(int64_t row, int64_t column) const {
    return (std::min(row, image[1] - 1) * image[2] + std::min(column, image[2] - 1)) * image[3];
  }
  int64_t nearest(float y, float x) const {
    return offset(static_cast<int64_t>(std::round(y)), static_cast<int64_t>(std::round(x)));
  }
  int64_t work() const { return 8 * crop[1] * crop[2] * crop[3]; }
};

/// The four pixels around a place, as offsets of their first channel, and how far it is from the
/// upper left one.
struct CropCell {
  int64_t top_left, top_right, bottom_left, bottom_right;
  float down, right;

  /// The place is not negative, so that integers are its floor: functions would take longer.
  CropCell(const Crops& crops, int64_t from, float y, float x) {
    const auto row = static_cast<int64_t>(y), column = static_cast<int64_t>(x);
    down = y - static_cast<float>(row);
    right = x - static_cast<float>(column);
    const auto below = row + (down > 0 ? 1 : 0), beside = column + (right > 0 ? 1 : 0);
    top_left = from + crops.offset(row, column);
    top_right = from + crops.offset(row, beside);
    bottom_left = from + crops.offset(below, column);
    bottom_right = from + crops.offset(below, beside);
  }
};

template <class T>
Status crop_and_resize(Launch& launch, bool is_nearest, float extrapolation) {
  auto shapes =
      CropShapes::of(launch.input(0).shape(), launch.input(1), launch.input(2), launch.input(3));
  if (!shapes) return shapes.status();
  auto out = launch.allocate(DType::float32, shapes->crop);
  if (!out) return out.status();
  const Crops crops{*shapes, launch.input(1).data<float>()};
  const auto* images = launch.input(0).data<T>();
  auto* result = out->template mutable_data<float>();
  auto channels = shapes->image[3];
  auto nearest = [&](int64_t at, int64_t from, float y, float x, const auto&) {
    const auto* pixel = images + from + crops.nearest(y, x);
    for (int64_t c = 0; c < channels; ++c) result[at + c] = static_cast<float>(pixel[c]);
  };
  auto bilinear = [&](int64_t at, int64_t from, float y, float x, const auto&) {
    const CropCell cell(crops, from, y, x);
    const auto *a = images + cell.top_left, *b = images + cell.top_right;
    const auto *p = images + cell.bottom_left, *q = images + cell.bottom_right;
    auto* to = result + at;
#pragma GCC ivdep
    for (int64_t c = 0; c < channels; ++c) {
      auto above = static_cast<float>(a[c]), below = static_cast<float>(p[c]);
      above += (static_cast<float>(b[c]) - above) * cell.right;
      below += (static_cast<float>(q[c]) - below) * cell.right;
      to[c] = above + (below - above) * cell.down;
    }
  };
  auto outside = [&](int64_t at) { std::fill_n(result + at, channels, extrapolation); };
  if (out->elements() > 0)
    parallel_ranges(crops.images.count(), crops.work(), [&](int64_t begin, int64_t end) {
      for (auto box = begin; box < end; ++box)
        if (is_nearest) crops.each_pixel(box, nearest, outside);
        else crops.each_pixel(box, bilinear, outside);
    });
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status crop_and_resize_grad_image(Launch& launch, bool is_nearest) {
  using A = Promoted<T>;
  auto image = shape_input(launch.input(3));
  if (!image) return image.status();
  auto shapes =
      CropShapes::of_gradients(launch.input(0).shape(), *image, launch.input(1), launch.input(2));
  if (!shapes) return shapes.status();
  const Crops crops{*shapes, launch.input(1).data<float>()};
  auto total = launch.allocate(dtype_of<A>(), *image);
  if (!total) return total.status();
  const auto* dy = launch.input(0).data<float>();
  auto* sums = total->template mutable_data<A>();
  std::fill_n(sums, image->elements(), A(0));
  auto channels = (*image)[3];
  auto nearest = [&](int64_t at, int64_t from, float y, float x, const auto&) {
    auto* to = sums + from + crops.nearest(y, x);
    for (int64_t c = 0; c < channels; ++c) to[c] += static_cast<A>(dy[at + c]);
  };
  auto bilinear = [&](int64_t at, int64_t from, float y, float x, const auto&) {
    const CropCell cell(crops, from, y, x);
    for (int64_t c = 0; c < channels; ++c) {
      auto add = [&](int64_t offset, float gradient) {
        sums[offset + c] += static_cast<A>(gradient);
      };
      auto above = (1 - cell.down) * dy[at + c], below = cell.down * dy[at + c];
      add(cell.top_left, (1 - cell.right) * above);
      add(cell.top_right, cell.right * above);
      add(cell.bottom_left, (1 - cell.right) * below);
      add(cell.bottom_right, cell.right * below);
    }
  };
  auto outside = [](int64_t) {};
  for (int64_t box = 0; box < crops.images.count(); ++box)  // several may add to one image
    if (is_nearest) crops.each_pixel(box, nearest, outside);
    else crops.each_pixel(box, bilinear, outside);
  if constexpr (is_half<T>) {
    auto out = launch.allocate(dtype_of<T>(), *image);
    if (!out) return out.status();
    narrow(out->template mutable_data<T>(), sums, image->elements());
    launch.set(0, *std::move(out));
  } else {
    launch.set(0, *std::move(total));
  }
  return {};
}

template <class T>
Status crop_and_resize_grad_boxes(Launch& launch) {
  auto shapes = CropShapes::of_gradients(
      launch.input(0).shape(), launch.input(1).shape(), launch.input(2), launch.input(3));
  if (!shapes) return shapes.status();
  const Crops crops{*shapes, launch.input(2).data<float>()};
  auto out = launch.allocate(DType::float32, launch.input(2).shape());
  if (!out) return out.status();
  const auto* dy = launch.input(0).data<float>();
  const auto* images = launch.input(1).data<T>();
  auto* result = out->template mutable_data<float>();
  auto compute = [&](int64_t box) {
    auto* sum = result + 4 * box;  // for y1, x1, y2, x2
    std::fill_n(sum, 4, 0.0f);
    auto add = [&](int64_t at, int64_t from, float y, float x, const auto& slopes) {
      const CropCell cell(crops, from, y, x);
      for (int64_t c = 0; c < crops.image[3]; ++c) {
        auto value = [&](int64_t offset) { return static_cast<float>(images[offset + c]); };
        auto a = value(cell.top_left), b = value(cell.top_right);
        auto p = value(cell.bottom_left), q = value(cell.bottom_right);
        auto by_y = ((1 - cell.right) * (p - a) + cell.right * (q - b)) * dy[at + c];
        auto by_x = ((1 - cell.down) * (b - a) + cell.down * (q - p)) * dy[at + c];
        sum[0] += by_y * slopes.first.first;
        sum[1] += by_x * slopes.second.first;
        sum[2] += by_y * slopes.first.second;
        sum[3] += by_x * slopes.second.second;
      }
    };
    crops.each_pixel(box, add, [](int64_t) {});
  };
  parallel_ranges(crops.images.count(), 1 + crops.work(), [&](int64_t begin, int64_t end) {
    for (auto box = begin; box < end; ++box) compute(box);
  });
  launch.set(0, *std::move(out));
  return {};
}

using Croppable =
    Types<uint8_t, uint16_t, int8_t, int16_t, int32_t, int64_t, float16, float, double>;

Result<Kernel> make_crop_and_resize(const Node& node) {
  auto is_nearest = node.attr<std::string>("method") == "nearest";
  auto extrapolation = node.attr<float>("extrapolation_value");
  return dispatch(Croppable{}, node.attr<DType>("T"), [=](auto zero) {
    using T = decltype(zero);
    return Kernel{.compute = [=](Launch& launch) {
      return crop_and_resize<T>(launch, is_nearest, extrapolation);
    }};
  });
}

Result<Kernel> make_crop_and_resize_grad_image(const Node& node) {
  auto is_nearest = node.attr<std::string>("method") == "nearest";
  return dispatch(Types<float16, float, double>{}, node.attr<DType>("T"), [=](auto zero) {
    using T = decltype(zero);
    return Kernel{.compute = [=](Launch& launch) {
      return crop_and_resize_grad_image<T>(launch, is_nearest);
    }};
  });
}

Result<Kernel> make_crop_and_resize_grad_boxes(const Node& node) {
  return dispatch(Croppable{}, node.attr<DType>("T"), [](auto zero) {
    return Kernel{.compute = crop_and_resize_grad_boxes<decltype(zero)>};
  });
}

}  // namespace

void add_crop_kernels(KernelCatalog& catalog) {
  catalog.add("CropAndResize", make_crop_and_resize);
  catalog.add("CropAndResizeGradImage", make_crop_and_resize_grad_image);
  catalog.add("CropAndResizeGradBoxes", make_crop_and_resize_grad_boxes);
}

}  // namespace troupe::cpu
