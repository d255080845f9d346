#include "troupe/devices/cpu/nn/pooling.hpp"

#include <cstring>
#include <numeric>
#include <utility>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/indexing/slices.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {

using ops::Windows;

Result<PoolPlan> PoolPlan::make(const Windows& windows, const Shape& input) {
  const auto& layout = windows.layout;
  PoolPlan plan{.outer = input[0]};
  auto pool = [&](size_t to, int axis) -> Status {
    auto from = static_cast<size_t>(axis);
    auto places = windows.place(axis, input[axis], windows.sizes[from]);
    if (!places) return places.status();
    plan.in[to] = input[axis];
    plan.out[to] = places->count;
    plan.sizes[to] = windows.sizes[from];
    plan.strides[to] = windows.strides[from];
    plan.before[to] = places->before;
    return {};
  };
  auto channel = layout.channel_axis();
  if (pools_channels(windows)) {
    for (int i = 0; i < layout.spatial; ++i)
      (layout.channels_first ? plan.inner : plan.outer) *= input[layout.spatial_axis(i)];
    if (auto status = pool(2, channel); !status.ok()) return status;
    return plan;
  }
  (layout.channels_first ? plan.outer : plan.inner) *= input[channel];
  for (int i = 0; i < layout.spatial; ++i) {
    auto status = pool(static_cast<size_t>(i + 3 - layout.spatial), layout.spatial_axis(i));
    if (!status.ok()) return status;
  }
  return plan;
}

Result<PoolNode> PoolNode::of(const Node& node, int sizes_input, bool may_span_channels) {
  auto has_format = node.op->find_attr("data_format") != nullptr;
  PoolNode pool;
  pool.attrs_ = ops::pool_attrs(node, has_format, sizes_input < 0);
  pool.sizes_input_ = sizes_input;
  pool.may_span_channels_ = may_span_channels;
  if (sizes_input >= 0) return pool;
  auto windows = Windows::make(pool.attrs_);
  if (!windows) return windows.status();
  pool.windows_ = *windows;
  return pool;
}

Result<Windows> PoolNode::windows_of(const Launch& launch) const {
  if (windows_) return *windows_;
  auto sizes = IntInput::of(launch.input(sizes_input_));
  auto strides = IntInput::of(launch.input(sizes_input_ + 1));
  if (!sizes) return sizes.status();
  if (!strides) return strides.status();
  auto given = attrs_;
  given.sizes.emplace(sizes->values().begin(), sizes->values().end());
  given.strides.assign(strides->values().begin(), strides->values().end());
  return Windows::make(given);
}

Result<PoolNode::Pool> PoolNode::over(const Launch& launch, const Shape& input) const {
  auto windows = windows_of(launch);
  if (!windows) return windows.status();
  if (input.rank() != windows->layout.rank())
    return invalid_argument(
        "the input must have rank " + std::to_string(windows->layout.rank()) +
        ", but its shape is " + input.to_string());
  if (pools_channels(*windows) && !may_span_channels_)
    return invalid_argument("'ksize' and 'strides' must be 1 for the channels");
  auto pooled = pooled_shape(*windows, input);
  if (!pooled) return pooled.status();
  auto plan = PoolPlan::make(*windows, input);
  if (!plan) return plan.status();
  if (plan->in_positions() > PoolPlan::positions_max)
    return unimplemented("an image with more than 2^32 positions cannot be pooled");
  return Pool{*plan, *pooled};
}

Status check_pool_input(const Launch& launch, int index, const Shape& expected) {
  const auto& shape = launch.input(index).shape();
  if (shape == expected) return {};
  return invalid_argument(
      "input " + std::to_string(index) + " must have the shape " + expected.to_string() +
      ", but has " + shape.to_string());
}

int64_t pool_cost_ns(const Launch& launch) {
  auto last = launch.input(launch.input_count() - 1).elements();
  return 8 * std::max(launch.input(0).elements(), last);
}

namespace {

/// What averages need to know of elements, as GreatestElements.
struct AverageElements {
  DType dtype;
  size_t size, sum_size;
  /// Sets `out` to the averages of a window; there is room for as many sums.
  void (*average)(
      const PoolPlan& plan, const PoolWindow& window, const void* image, void* sums, void* out);
  /// Adds an equal part of each gradient to the sums of all cells of the window.
  void (*spread)(const PoolPlan& plan, const PoolWindow& window, const void* gradients, void* sums);
};

template <class T>
void average_window(
    const PoolPlan& plan, const PoolWindow& window, const void* image, void* sums, void* out) {
  using A = Promoted<T>;
  auto* sum = static_cast<A*>(sums);
  auto inner = plan.inner;
  std::fill_n(sum, inner, A(0));
  plan.each_cell(window, [&](int64_t position) {
    const auto* cell = static_cast<const T*>(image) + position * inner;
    for (int64_t i = 0; i < inner; ++i) sum[i] += promote(cell[i]);
  });
  auto cells = static_cast<A>(window.cells());
  for (int64_t i = 0; i < inner; ++i) static_cast<T*>(out)[i] = static_cast<T>(sum[i] / cells);
}

template <class T>
void spread_average(
    const PoolPlan& plan, const PoolWindow& window, const void* gradients, void* sums) {
  using A = Promoted<T>;
  const auto* from = static_cast<const T*>(gradients);
  auto inner = plan.inner;
  auto cells = static_cast<A>(window.cells());
  plan.each_cell(window, [&](int64_t position) {
    auto* to = static_cast<A*>(sums) + position * inner;
    for (int64_t i = 0; i < inner; ++i) to[i] += promote(from[i]) / cells;
  });
}

template <class T>
constexpr AverageElements average_elements = {
    dtype_of<T>(), sizeof(T), sizeof(Promoted<T>), average_window<T>, spread_average<T>};

const AverageElements* find_average_elements(DType dtype) {
  return choose(Floating{}, dtype, [](auto zero) { return &average_elements<decltype(zero)>; });
}

Status compute_max_pool(Launch& launch, const PoolNode& node, const GreatestElements& elements) {
  auto pool = node.over(launch, launch.input(0).shape());
  if (!pool) return pool.status();
  auto out = launch.allocate(elements.dtype, pool->pooled);
  if (!out) return out.status();
  const auto& plan = pool->plan;
  const auto* x = bytes_of(launch.input(0));
  auto* y = mutable_bytes_of(*out);
  auto size = static_cast<int64_t>(elements.size);
  auto take = vector::pool_loops(elements.dtype).take_greatest;
  plan.each_window_parallel([&, x, y, size, take](const PoolWindow& window) {
    const auto* image = x + plan.image_at(window) * size;
    auto* to = y + plan.output_at(window) * size;
    if (take) take(plan.cells_of(window), image + plan.first_cell(window) * size, to);
    else elements.take(plan, window, image, to);
  });
  launch.set(0, *std::move(out));
  return {};
}

/// Calls add(window) for all windows of image `outer`, after it has set those sums to 0 that the
/// window is the first to reach: they are still in the caches when they are added to.
template <class F>
void add_windows(const PoolPlan& plan, int64_t outer, std::byte* sums, int64_t size, const F& add) {
  sums += outer * plan.in_image() * size;
  int64_t done = 0;  // the positions before have been set
  auto set_zeros_until = [&](int64_t position) {
    if (position <= done) return;
    auto bytes = plan.inner * size;
    std::memset(sums + done * bytes, 0, static_cast<size_t>((position - done) * bytes));
    done = position;
  };
  auto rows = plan.rows_of_image();
  plan.each_window(outer * rows, (outer + 1) * rows, [&](const PoolWindow& window) {
    set_zeros_until(plan.last_position(window) + 1);
    add(window);
  });
  set_zeros_until(plan.in_positions());
}

/// Sets output 0 to sums for all elements of what is pooled: add(window, sums) adds to them.
template <class Elements, class F>
Status set_window_sums(
    Launch& launch, const PoolPlan& plan, const Elements& elements, const Shape& shape,
    const F& add) {
  // An image's windows overlap: one thread adds them.
  auto add_all = [&](void* to) {
    if (plan.in_image() == 0) return;  // however many images there are
    auto* sums = static_cast<std::byte*>(to);
    parallel_ranges(plan.outer, plan.image_work(), [&](int64_t begin, int64_t end) {
      for (auto outer = begin; outer < end; ++outer)
        add_windows(plan, outer, sums, int64_t(elements.sum_size), [&](const PoolWindow& window) {
          add(window, sums + plan.image_at(window) * int64_t(elements.sum_size));
        });
    });
  };
  if (elements.sum_size != elements.size)
    return set_sums(launch, elements.dtype, shape, [&](void* sums) {
      add_all(sums);
      return Status();
    });
  auto out = launch.allocate(elements.dtype, shape);
  if (!out) return out.status();
  add_all(out->mutable_raw());
  launch.set(0, *std::move(out));
  return {};
}

Status compute_max_pool_grad(
    Launch& launch, const PoolNode& node, const GreatestElements& elements) {
  auto shape = launch.input(0).shape();
  auto pool = node.over(launch, shape);
  if (!pool) return pool.status();
  for (int i : {1, 2})
    if (auto status = check_pool_input(launch, i, pool->pooled); !status.ok()) return status;
  const auto& plan = pool->plan;
  const auto *x = bytes_of(launch.input(0)), *dy = bytes_of(launch.input(2));
  auto size = static_cast<int64_t>(elements.size);
  auto add = vector::pool_loops(elements.dtype).add_to_greatest;
  return set_window_sums(
      launch, plan, elements, shape, [&](const PoolWindow& window, std::byte* sums) {
        const auto* image = x + plan.image_at(window) * size;
        const auto* from = dy + plan.output_at(window) * size;
        auto first = plan.first_cell(window) * size;
        if (add) add(plan.cells_of(window), image + first, from, sums + first);
        else elements.add_to_greatest(plan, window, image, from, sums);
      });
}

Status compute_max_pool_grad_grad(
    Launch& launch, const PoolNode& node, const GreatestElements& elements) {
  auto pool = node.over(launch, launch.input(0).shape());
  if (!pool) return pool.status();
  auto status = check_pool_input(launch, 1, pool->pooled);
  if (status.ok()) status = check_pool_input(launch, 2, launch.input(0).shape());
  if (!status.ok()) return status;
  auto out = launch.allocate(elements.dtype, pool->pooled);
  if (!out) return out.status();
  const auto& plan = pool->plan;
  const auto* values = bytes_of(launch.input(2));
  auto* to = mutable_bytes_of(*out);
  auto size = static_cast<int64_t>(elements.size);
  each_greatest(
      plan, elements, launch.input(0).raw(), [&](const PoolWindow& window, const int64_t* offsets) {
        elements.gather(
            to + plan.output_at(window) * size, values + plan.image_at(window) * size, offsets,
            plan.inner);
      });
  launch.set(0, *std::move(out));
  return {};
}

Status compute_average_pool(Launch& launch, const PoolNode& node, const AverageElements& elements) {
  auto pool = node.over(launch, launch.input(0).shape());
  if (!pool) return pool.status();
  auto out = launch.allocate(elements.dtype, pool->pooled);
  if (!out) return out.status();
  const auto& plan = pool->plan;
  const auto* x = bytes_of(launch.input(0));
  auto* y = mutable_bytes_of(*out);
  auto size = static_cast<int64_t>(elements.size);
  auto average = vector::pool_loops(elements.dtype).average;
  plan.each_rows_parallel([&](int64_t begin, int64_t end) {
    std::vector<std::byte> sums(average ? 0 : static_cast<size_t>(plan.inner) * elements.sum_size);
    plan.each_window(begin, end, [&](const PoolWindow& window) {
      const auto* image = x + plan.image_at(window) * size;
      auto* to = y + plan.output_at(window) * size;
      if (average) average(plan.cells_of(window), image + plan.first_cell(window) * size, to);
      else elements.average(plan, window, image, sums.data(), to);
    });
  });
  launch.set(0, *std::move(out));
  return {};
}

Status compute_average_pool_grad(
    Launch& launch, const PoolNode& node, const AverageElements& elements) {
  auto shape = shape_input(launch.input(0));
  if (!shape) return shape.status();
  auto pool = node.over(launch, *shape);
  if (!pool) return pool.status();
  if (auto status = check_pool_input(launch, 1, pool->pooled); !status.ok()) return status;
  const auto& plan = pool->plan;
  const auto* dy = bytes_of(launch.input(1));
  auto size = static_cast<int64_t>(elements.size);
  auto spread = vector::pool_loops(elements.dtype).spread;
  return set_window_sums(
      launch, plan, elements, *shape, [&](const PoolWindow& window, std::byte* sums) {
        const auto* from = dy + plan.output_at(window) * size;
        if (spread) spread(plan.cells_of(window), from, sums + plan.first_cell(window) * size);
        else elements.spread(plan, window, from, sums);
      });
}

/// A kernel of the dtype that an attribute "T" says.
template <class Elements>
KernelCatalog::Make pool_kernel(
    Status (*compute)(Launch&, const PoolNode&, const Elements&), const Elements* (*find)(DType),
    bool may_span_channels, int sizes_input = -1) {
  return [=](const Node& node) -> Result<Kernel> {
    auto pool = PoolNode::of(node, sizes_input, may_span_channels);
    if (!pool) return pool.status();
    auto dtype = node.attr<DType>("T");
    if (node.op->find_attr("TInput") && node.attr<DType>("TInput") != dtype)
      return unimplemented("attributes 'T' and 'TInput' must be the same dtype");
    const auto* elements = find(dtype);
    if (!elements) return no_kernel(dtype);
    return Kernel{
        .compute = [=, node = *pool](Launch& launch) { return compute(launch, node, *elements); },
        .cost_ns = pool_cost_ns};
  };
}

}  // namespace

void add_pooling_kernels(KernelCatalog& catalog) {
  auto add_max = [&](const std::string& name, auto compute, bool may_span_channels, int sizes) {
    catalog.add(name, pool_kernel(compute, find_greatest_elements, may_span_channels, sizes));
    if (sizes >= 0) catalog.on_host(name, {sizes, sizes + 1});
  };
  for (const std::string name : {"MaxPool", "MaxPool3D"}) {
    auto is_flat = name == "MaxPool";
    add_max(name, compute_max_pool, is_flat, -1);
    add_max(name + "Grad", compute_max_pool_grad, is_flat, -1);
    add_max(name + "GradGrad", compute_max_pool_grad_grad, is_flat, -1);
  }
  add_max("MaxPoolV2", compute_max_pool, true, 1);
  add_max("MaxPoolGradV2", compute_max_pool_grad, true, 3);
  add_max("MaxPoolGradGradV2", compute_max_pool_grad_grad, true, 3);
  for (const std::string name : {"AvgPool", "AvgPool3D"}) {
    catalog.add(name, pool_kernel(compute_average_pool, find_average_elements, false));
    catalog.add(
        name + "Grad", pool_kernel(compute_average_pool_grad, find_average_elements, false));
    catalog.on_host(name + "Grad", {0});
  }
  add_argmax_pooling_kernels(catalog);
}

}  // namespace troupe::cpu
