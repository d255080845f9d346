#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/image/boxes.hpp"
#include "troupe/devices/cpu/random/distributions.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"

namespace troupe::cpu {
namespace {

/// A part of an image, in pixels.
struct PixelBox {
  int64_t top, left, bottom, right;

  float area() const { return static_cast<float>(bottom - top) * static_cast<float>(right - left); }
  PixelBox intersect(const PixelBox& other) const {
    PixelBox both{
        std::max(top, other.top), std::max(left, other.left), std::min(bottom, other.bottom),
        std::min(right, other.right)};
    return both.top > both.bottom || both.left > both.right ? PixelBox{0, 0, 0, 0} : both;
  }
  /// True if it has enough of one of the objects that have pixels.
  bool covers(const std::vector<PixelBox>& objects, float share) const {
    if (area() < 1) return false;
    return std::ranges::any_of(objects, [&](const PixelBox& object) {
      return object.area() >= 1 && intersect(object).area() / object.area() >= share;
    });
  }
};

/// An even number below n, as TensorFlow draws it.
uint32_t draw_below(PhiloxNumbers& numbers, int64_t n) {
  auto count = static_cast<uint32_t>(n);
  if ((count & (count - 1)) == 0) return count == 0 ? 0 : numbers.next() & (count - 1);
  auto skewed = ~uint32_t{0} % count + 1;  // numbers below it would be more frequent
  for (;;)
    if (auto number = numbers.next(); number >= skewed) return number % count;
}

struct BoxSampler {
  std::vector<float> aspects, areas;
  int64_t attempts;
  float covered;  // where it is an attribute
  bool may_use_image;
  std::shared_ptr<PhiloxSource> source;

  static Result<BoxSampler> of(const Node& node) {
    BoxSampler s{
        node.attr<std::vector<float>>("aspect_ratio_range"),
        node.attr<std::vector<float>>("area_range"),
        node.attr<int64_t>("max_attempts"),
        0,
        node.attr<bool>("use_image_if_no_bounding_boxes"),
        make_source(node)};
    if (node.attrs.contains("min_object_covered"))
      s.covered = node.attr<float>("min_object_covered");
    for (const auto* range : {&s.aspects, &s.areas})
      if (range->size() != 2 || !((*range)[0] > 0) || !((*range)[1] > 0))
        return invalid_argument(
            "'aspect_ratio_range' and 'area_range' must be two positive numbers each");
    if (!(s.areas[0] <= 1) || !(s.areas[1] <= 1))
      return invalid_argument("'area_range' must be at most 1");
    if (s.attempts <= 0)
      return invalid_argument(
          "'max_attempts' must be positive, but is " + std::to_string(s.attempts));
    return s;
  }

  /// One try; a box of that aspect and an area in the range, if there is one.
  std::optional<PixelBox> draw(
      int64_t width, int64_t height, float aspect, PhiloxNumbers& numbers) const {
    if (aspect <= 0 || width <= 0 || height <= 0 || areas[0] > areas[1]) return {};
    auto least = areas[0] * static_cast<float>(width) * static_cast<float>(height);
    auto most = areas[1] * static_cast<float>(width) * static_cast<float>(height);
    auto rows_of = [&](float area) {
      return static_cast<int64_t>(std::rint(std::min(std::sqrt(area / aspect), 1e9f)));
    };
    auto columns_of = [&](int64_t rows) {
      return static_cast<int64_t>(std::rint(std::min(static_cast<float>(rows) * aspect, 1e15f)));
    };
    auto rows = rows_of(least), most_rows = rows_of(most);
    if (columns_of(most_rows) > width)
      most_rows = static_cast<int64_t>(std::min(
          (static_cast<double>(width) + 0.5 - static_cast<double>(0.0000001f)) /
              static_cast<double>(aspect),
          1e9));
    most_rows = std::min(most_rows, height);
    rows = std::min(rows, most_rows);
    if (rows < most_rows) rows += draw_below(numbers, most_rows - rows + 1);
    auto columns = columns_of(rows);
    auto area = [&] { return static_cast<float>(columns) * static_cast<float>(rows); };
    // What was rounded may miss the range by a row.
    if (area() < least) columns = columns_of(++rows);
    if (area() > most) columns = columns_of(--rows);
    if (area() < least || area() > most || columns > width || rows > height || columns <= 0 ||
        rows <= 0)
      return {};
    int64_t top = rows < height ? draw_below(numbers, height - rows) : 0;
    int64_t left = columns < width ? draw_below(numbers, width - columns) : 0;
    return PixelBox{top, left, top + rows, left + columns};
  }

  PixelBox sample(
      int64_t width, int64_t height, const std::vector<PixelBox>& objects, float share) const {
    PhiloxNumbers numbers(source->reserve_blocks(static_cast<uint64_t>(attempts)));
    for (int64_t i = 0; i < attempts; ++i) {
      auto aspect = unit_float(numbers) * (aspects[1] - aspects[0]) + aspects[0];
      auto box = draw(width, height, aspect, numbers);
      if (box && box->covers(objects, share)) return *box;
    }
    return {0, 0, height, width};
  }
};

/// The boxes [y1, x1, y2, x2], as shares of the image, in pixels.
Result<std::vector<PixelBox>> objects_of(const Tensor& boxes, int64_t width, int64_t height) {
  if (boxes.shape().rank() != 3 || boxes.shape()[2] != 4)
    return invalid_argument(
        "'bounding_boxes' must have the shape [batch,boxes,4], but has " +
        boxes.shape().to_string());
  std::vector<PixelBox> objects;
  auto values = boxes.values<float>();
  for (auto value : values)
    if (!(value >= 0 && value <= 1))
      return invalid_argument(
          "'bounding_boxes' must be in [0, 1], but has " + std::to_string(value));
  for (size_t i = 0; i < values.size(); i += 4) {
    auto pixel = [&](size_t k, int64_t size) {
      return static_cast<int64_t>(values[i + k] * static_cast<float>(size));
    };
    objects.push_back({pixel(0, height), pixel(1, width), pixel(2, height), pixel(3, width)});
  }
  return objects;
}

Result<float> covered_share(const Launch& launch, const BoxSampler& sampler) {
  auto share = sampler.covered;
  if (launch.input_count() > 2) {
    auto given = scalar_input<float>(launch.input(2), "min_object_covered");
    if (!given) return given.status();
    share = *given;
  }
  if (share >= 0) return share;
  return invalid_argument(
      "'min_object_covered' must not be negative, but is " + std::to_string(share));
}

template <class T>
Status sample_box(Launch& launch, const BoxSampler& sampler) {
  const auto& size = launch.input(0);
  if (size.shape() != Shape{3})
    return invalid_argument(
        "'image_size' must have 3 elements, but has the shape " + size.shape().to_string());
  int64_t height = size.data<T>()[0], width = size.data<T>()[1];
  for (auto value : {height, width})
    if (value < 0 || value >= std::numeric_limits<int32_t>::max())
      return invalid_argument(
          "'image_size' must be at least 0 and less than 2^31 - 1, but has " +
          std::to_string(value));
  auto share = covered_share(launch, sampler);
  if (!share) return share.status();
  auto objects = objects_of(launch.input(1), width, height);
  if (!objects) return objects.status();
  if (objects->empty() && !sampler.may_use_image)
    return invalid_argument(
        "there are no bounding boxes, and 'use_image_if_no_bounding_boxes' is false");
  if (objects->empty()) objects->push_back({0, 0, height, width});
  auto box = sampler.sample(width, height, *objects, *share);
  auto triple = [](int64_t a, int64_t b, int c) {
    return Tensor::of<T>({3}, {static_cast<T>(a), static_cast<T>(b), static_cast<T>(c)});
  };
  auto part = [](int64_t pixel, int64_t of) {
    return static_cast<float>(pixel) / static_cast<float>(of);
  };
  launch.set(0, triple(box.top, box.left, 0));
  launch.set(1, triple(box.bottom - box.top, box.right - box.left, -1));
  launch.set(
      2, Tensor::of<float>(
             {1, 1, 4}, {part(box.top, height), part(box.left, width), part(box.bottom, height),
                         part(box.right, width)}));
  return {};
}

Result<Kernel> make_sample_box(const Node& node) {
  auto sampler = BoxSampler::of(node);
  if (!sampler) return sampler.status();
  using Sizes = Types<uint8_t, int8_t, int16_t, int32_t, int64_t>;
  return dispatch(Sizes{}, node.attr<DType>("T"), [&](auto zero) {
    return Kernel{
        .compute = [s = *sampler](Launch& launch) { return sample_box<decltype(zero)>(launch, s); },
        .cost_ns = [](const Launch&) { return 5000; }};
  });
}

}  // namespace

void add_box_sampling_kernels(KernelCatalog& catalog) {
  catalog.add("SampleDistortedBoundingBox", make_sample_box);
  catalog.add("SampleDistortedBoundingBoxV2", make_sample_box);
}

}  // namespace troupe::cpu
