#include <cmath>
#include <string>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/indexing/slices.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/nn/pooling.hpp"
#include "troupe/devices/cpu/random/distributions.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"

namespace troupe::cpu {
namespace {

using FractionalTypes = Types<float, double, int32_t, int64_t>;
/// Where the windows along an axis begin, in ascending order, and where the last one ends.
using Borders = std::vector<int64_t>;

/// The windows of a fractional pool over images, of which each has borders of its own.
struct FractionalWindows {
  PoolPlan plan;
  Borders rows, columns;
  bool overlapping;  // whether a window also has the first row and column of the next one

  FractionalWindows(const Shape& images, Borders y, Borders x, bool overlap)
      : rows(std::move(y)), columns(std::move(x)), overlapping(overlap) {
    plan.outer = images[0];
    plan.inner = images[3];
    plan.in = {1, images[1], images[2]};
    plan.out = {1, static_cast<int64_t>(rows.size()) - 1, static_cast<int64_t>(columns.size()) - 1};
  }

  /// Calls f(window) for the windows of images [begin, end).
  template <class F>
  void each_window(int64_t begin, int64_t end, const F& f) const {
    PoolWindow window{.outer = begin, .out = 0, .begin = {}, .end = {1, 1, 1}};
    for (; window.outer < end; ++window.outer) {
      window.out = 0;
      for (size_t y = 0; y + 1 < rows.size(); ++y)
        for (size_t x = 0; x + 1 < columns.size(); ++x, ++window.out) {
          place(window, 1, rows, y);
          place(window, 2, columns, x);
          f(window);
        }
    }
  }

  /// As each_window(), of all images, of which each is left to one thread.
  template <class F>
  void each_window_parallel(const F& f) const {
    parallel_ranges(
        plan.outer, plan.in_image() + plan.out_image(),
        [&](int64_t begin, int64_t end) { each_window(begin, end, f); });
  }

 private:
  void place(PoolWindow& window, size_t axis, const Borders& borders, size_t at) const {
    window.begin[axis] = borders[at];
    window.end[axis] = std::min(borders[at + 1] + (overlapping ? 1 : 0), plan.in[axis]);
  }
};

/// Borders with distances that are the sizes' ratio, rounded down or up: where a line of this slope
/// that begins anywhere near 0 crosses whole numbers. So near that no distance is a third number.
Borders draw_regular_borders(int64_t size, int64_t count, PhiloxNumbers numbers) {
  auto slope = static_cast<double>(size) / static_cast<double>(count);
  auto least = static_cast<double>(size / count);
  auto limit_of_first = (least + 2) / slope - 1;
  auto limit_of_last =
      (static_cast<double>(size + 1) - least) / slope - static_cast<double>(count - 1);
  auto start = unit_double(numbers) * std::min(limit_of_first, limit_of_last);
  Borders borders{0};
  for (int64_t i = 1; i < count; ++i)
    borders.push_back(
        static_cast<int64_t>(std::ceil(slope * (static_cast<double>(i) + start))) - 1);
  borders.push_back(size);
  return borders;
}

/// Borders with the same distances in random order.
Borders draw_shuffled_borders(int64_t size, int64_t count, PhiloxNumbers numbers) {
  std::vector<int64_t> distances(static_cast<size_t>(count), size / count);
  for (int64_t i = 0; i < size % count; ++i) ++distances[static_cast<size_t>(i)];
  for (size_t i = 0; i + 1 < distances.size(); ++i)
    std::swap(distances[i], distances[i + numbers.next() % (distances.size() - i)]);
  Borders borders{0};
  for (auto distance : distances) borders.push_back(borders.back() + distance);
  return borders;
}

/// The attributes of FractionalMaxPool and FractionalAvgPool.
struct FractionalNode {
  std::vector<float> ratios;
  bool is_regular, overlapping;
  std::optional<Philox> start;  // what each launch draws from; none: each one anew

  static Result<FractionalNode> of(const Node& node);
  Result<Shape> pooled_shape(const Shape& images) const;
  FractionalWindows draw_windows(const Shape& images, const Shape& pooled) const;
};

Result<FractionalNode> FractionalNode::of(const Node& node) {
  FractionalNode pool{
      .ratios = node.attr<std::vector<float>>("pooling_ratio"),
      .is_regular = node.attr<bool>("pseudo_random"),
      .overlapping = node.attr<bool>("overlapping"),
      .start = {}};
  if (pool.ratios.size() != 4)
    return invalid_argument("pooling_ratio must have 4 numbers, one for each dimension");
  for (auto ratio : pool.ratios)
    if (!(ratio >= 1))
      return invalid_argument(
          "pooling_ratio cannot be smaller than 1, got: " + std::to_string(ratio));
  if (pool.ratios[0] != 1 || pool.ratios[3] != 1)
    return unimplemented("pooling_ratio must be 1 for the batch and the channels");
  auto seed = node.attr<int64_t>("seed"), seed2 = node.attr<int64_t>("seed2");
  auto has_seed = seed != 0 || seed2 != 0;
  if (!node.attr<bool>("deterministic")) {
    if (has_seed) return invalid_argument("seed and seed2 must be 0 where deterministic is false");
    return pool;
  }
  pool.start = has_seed ? Philox(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2))
                        : Philox(fresh_seed(), fresh_seed());
  return pool;
}

Result<Shape> FractionalNode::pooled_shape(const Shape& images) const {
  if (images.rank() != 4)
    return invalid_argument("value must have rank 4, but has shape " + images.to_string());
  std::array<int64_t, 4> sizes;
  for (int axis = 0; axis < 4; ++axis) {
    auto at = static_cast<size_t>(axis);
    auto size = static_cast<float>(images[axis]);
    if (size < ratios[at])
      return invalid_argument(
          "Pooling ratio is higher than input dimension size for dimension " +
          std::to_string(axis) + ": " + std::to_string(ratios[at]) + " > " +
          std::to_string(images[axis]));
    auto pooled = static_cast<int64_t>(std::floor(size / ratios[at]));
    sizes[at] = std::min(pooled, images[axis]);  // it was rounded as a float
  }
  return Shape::make(sizes);
}

FractionalWindows FractionalNode::draw_windows(const Shape& images, const Shape& pooled) const {
  auto from = start ? *start : Philox(fresh_seed(), fresh_seed());
  auto draw = is_regular ? draw_regular_borders : draw_shuffled_borders;
  auto rows = draw(images[1], pooled[1], PhiloxNumbers(from));
  auto used = is_regular ? 1 : static_cast<uint64_t>(pooled[1] + 3) / 4;
  auto columns = draw(images[2], pooled[2], PhiloxNumbers(from.skip(used)));
  return {images, std::move(rows), std::move(columns), overlapping};
}

/// Sets `out` to the averages of a window; of integers, rounded toward 0.
template <class T>
void average_window(const PoolPlan& plan, const PoolWindow& window, const void* image, void* out) {
  using A = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;  // a sum may wrap around
  using Quotient = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  std::vector<A> sums(static_cast<size_t>(plan.inner));
  plan.each_cell(window, [&](int64_t position) {
    const auto* cell = static_cast<const T*>(image) + position * plan.inner;
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<A>(cell[i]);
  });
  auto cells = static_cast<Quotient>(window.cells());
  for (size_t i = 0; i < sums.size(); ++i)
    static_cast<T*>(out)[i] = static_cast<T>(static_cast<Quotient>(sums[i]) / cells);
}

using PoolWindowFunction =
    void (*)(const PoolPlan& plan, const PoolWindow& window, const void* image, void* out);

Status compute_fractional_pool(
    Launch& launch, const FractionalNode& node, PoolWindowFunction pool, DType dtype) {
  const auto& images = launch.input(0);
  auto shape = node.pooled_shape(images.shape());
  if (!shape) return shape.status();
  auto out = launch.allocate(dtype, *shape);
  if (!out) return out.status();
  auto windows = node.draw_windows(images.shape(), *shape);
  const auto& plan = windows.plan;
  auto size = static_cast<int64_t>(size_of(dtype));
  const auto* x = bytes_of(images);
  auto* y = mutable_bytes_of(*out);
  windows.each_window_parallel([&, x, y, size](const PoolWindow& window) {
    pool(plan, window, x + plan.image_at(window) * size, y + plan.output_at(window) * size);
  });
  launch.set(0, *std::move(out));
  for (const auto* borders : {&windows.rows, &windows.columns}) {
    auto count = static_cast<int64_t>(borders->size());
    auto sequence = launch.allocate(DType::int64, Shape{count});
    if (!sequence) return sequence.status();
    std::copy_n(borders->data(), count, sequence->mutable_data<int64_t>());
    launch.set(borders == &windows.rows ? 1 : 2, *std::move(sequence));
  }
  return {};
}

template <class Find>
KernelCatalog::Make fractional_pool_kernel(Find find) {
  return [find](const Node& node) -> Result<Kernel> {
    auto pool = FractionalNode::of(node);
    if (!pool) return pool.status();
    auto dtype = node.attr<DType>("T");
    return dispatch(FractionalTypes{}, dtype, [&](auto zero) {
      return Kernel{
          .compute =
              [=, pool = *pool, function = find(zero)](Launch& launch) {
                return compute_fractional_pool(launch, pool, function, dtype);
              },
          .cost_ns = pool_cost_ns};
    });
  };
}

/// The borders that an input gives, of `count` windows along an axis of `size` elements. Fails
/// where a window has no element, or one that the axis does not have.
Result<Borders> given_borders(
    const Launch& launch, int input, const char* name, int64_t size, int64_t count) {
  const auto& sequence = launch.input(input);
  auto values = sequence.values<int64_t>();
  auto fail = [&](const std::string& what) {
    return invalid_argument(std::string(name) + " sequence tensor " + what);
  };
  for (auto value : values)
    if (value < 0) return fail("values must not be negative, got " + std::to_string(value));
  if (sequence.shape() != Shape{count + 1})
    return fail(
        "must have the shape [" + std::to_string(count + 1) + "], but has " +
        sequence.shape().to_string());
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] > size || (i > 0 && values[i] <= values[i - 1]))
      return fail(
          "must ascend to at most " + std::to_string(size) + ", but has " +
          std::to_string(values[i]) + " at " + std::to_string(i));
  return Borders(values.begin(), values.end());
}

/// The windows of a gradient: of images of that shape, by the two inputs from `first` on. `pooled`
/// is the shape of a gradient.
Result<FractionalWindows> given_windows(
    const Launch& launch, int first, const Shape& images, const Shape& pooled, bool overlapping) {
  if (images.rank() != 4 || pooled.rank() != 4)
    return invalid_argument(
        "the input and the gradient must have rank 4, but have shapes " + images.to_string() +
        " and " + pooled.to_string());
  auto rows = given_borders(launch, first, "Row", images[1], pooled[1]);
  if (!rows) return rows.status();
  auto columns = given_borders(launch, first + 1, "Column", images[2], pooled[2]);
  if (!columns) return columns.status();
  if (images[0] != pooled[0] || images[3] != pooled[3])
    return invalid_argument(
        "the gradient must have the input's batch and channels, but the shapes are " +
        pooled.to_string() + " and " + images.to_string());
  return FractionalWindows(images, *std::move(rows), *std::move(columns), overlapping);
}

Status compute_fractional_max_grad(
    Launch& launch, const GreatestElements& elements, bool overlapping) {
  const auto &images = launch.input(0), &gradients = launch.input(2);
  auto windows = given_windows(launch, 3, images.shape(), gradients.shape(), overlapping);
  if (!windows) return windows.status();
  if (auto status = check_pool_input(launch, 1, gradients.shape()); !status.ok()) return status;
  const auto& plan = windows->plan;
  auto size = static_cast<int64_t>(elements.size);
  return set_sums(launch, elements.dtype, images.shape(), [&](void* to) {
    auto* sums = static_cast<std::byte*>(to);
    windows->each_window_parallel([&, sums, size](const PoolWindow& window) {
      elements.add_to_greatest(
          plan, window, bytes_of(images) + plan.image_at(window) * size,
          bytes_of(gradients) + plan.output_at(window) * size, sums + plan.image_at(window) * size);
    });
    return Status();
  });
}

Result<Kernel> make_fractional_max_grad(const Node& node) {
  auto dtype = node.attr<DType>("T");
  const auto* elements = find_greatest_elements(dtype);
  if (!elements) return no_kernel(dtype);
  return Kernel{
      .compute =
          [elements, overlapping = node.attr<bool>("overlapping")](Launch& launch) {
            return compute_fractional_max_grad(launch, *elements, overlapping);
          },
      .cost_ns = pool_cost_ns};
}

/// Sums doubles whatever the dtype is, so that parts of integers are not lost.
template <class T>
Status compute_fractional_average_grad(Launch& launch, bool overlapping) {
  auto shape = shape_input(launch.input(0));
  if (!shape) return shape.status();
  const auto& gradients = launch.input(1);
  auto windows = given_windows(launch, 2, *shape, gradients.shape(), overlapping);
  if (!windows) return windows.status();
  auto out = launch.allocate(dtype_of<T>(), *shape);
  if (!out) return out.status();
  const auto& plan = windows->plan;
  const auto* from = gradients.data<T>();
  auto* to = out->template mutable_data<T>();
  auto work = plan.in_image() + plan.out_image();
  parallel_ranges(plan.outer, work, [&](int64_t begin, int64_t end) {
    std::vector<double> sums(static_cast<size_t>(plan.in_image()));
    for (auto image = begin; image < end; ++image) {
      std::fill(sums.begin(), sums.end(), 0.0);
      windows->each_window(image, image + 1, [&](const PoolWindow& window) {
        auto cells = static_cast<double>(window.cells());
        const auto* gradient = from + plan.output_at(window);
        plan.each_cell(window, [&](int64_t position) {
          auto* sum = sums.data() + position * plan.inner;
          for (int64_t i = 0; i < plan.inner; ++i)
            sum[i] += static_cast<double>(gradient[i]) / cells;
        });
      });
      std::transform(sums.begin(), sums.end(), to + image * plan.in_image(), [](double sum) {
        return static_cast<T>(sum);
      });
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_fractional_average_grad(const Node& node) {
  return dispatch(FractionalTypes{}, node.attr<DType>("T"), [&](auto zero) {
    return Kernel{
        .compute =
            [overlapping = node.attr<bool>("overlapping")](Launch& launch) {
              return compute_fractional_average_grad<decltype(zero)>(launch, overlapping);
            },
        .cost_ns = pool_cost_ns};
  });
}

}  // namespace

void add_fractional_pooling_kernels(KernelCatalog& catalog) {
  catalog.add("FractionalMaxPool", fractional_pool_kernel([](auto zero) {
                return find_greatest_elements(dtype_of<decltype(zero)>())->take;
              }));
  catalog.add("FractionalAvgPool", fractional_pool_kernel([](auto zero) -> PoolWindowFunction {
                return average_window<decltype(zero)>;
              }));
  catalog.add("FractionalMaxPoolGrad", make_fractional_max_grad);
  catalog.add("FractionalAvgPoolGrad", make_fractional_average_grad);
}

}  // namespace troupe::cpu
