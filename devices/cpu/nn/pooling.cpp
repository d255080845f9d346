#include "troupe/devices/cpu/nn/pooling.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"
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

template <class T>
void max_pool(const PoolPlan& plan, const T* x, T* y) {
  plan.each_window_parallel([&plan, x, y](const PoolWindow& window) {
    auto* out = y + window.outer * plan.out_image() + window.out * plan.inner;
    const auto* image = x + window.outer * plan.in_image();
    auto is_first = true;
    plan.each_cell(window, [&](int64_t position) {
      const auto* cell = image + position * plan.inner;
      if (std::exchange(is_first, false)) std::copy_n(cell, plan.inner, out);
      else
        for (int64_t i = 0; i < plan.inner; ++i)
          out[i] = is_greater(cell[i], out[i]) ? cell[i] : out[i];
    });
  });
}

/// To `sum`, of the input's shape, what belongs to the greatest elements.
template <class T>
void add_to_greatest(const PoolPlan& plan, const T* x, const T* dy, Promoted<T>* sum) {
  using A = Promoted<T>;
  each_greatest(plan, x, [&](const PoolWindow& window, const std::vector<int64_t>& positions) {
    const auto* from = dy + window.outer * plan.out_image() + window.out * plan.inner;
    auto* image = sum + window.outer * plan.in_image();
    for (int64_t i = 0; i < plan.inner; ++i) {
      auto& to = image[positions[static_cast<size_t>(i)] * plan.inner + i];
      to = static_cast<A>(wrap(to) + wrap(promote(from[i])));
    }
  });
}

template <class T>
void take_from_greatest(const PoolPlan& plan, const T* x, const T* values, T* out) {
  each_greatest(plan, x, [&](const PoolWindow& window, const std::vector<int64_t>& positions) {
    auto* to = out + window.outer * plan.out_image() + window.out * plan.inner;
    const auto* image = values + window.outer * plan.in_image();
    for (int64_t i = 0; i < plan.inner; ++i)
      to[i] = image[positions[static_cast<size_t>(i)] * plan.inner + i];
  });
}

template <class T>
void average_pool(const PoolPlan& plan, const T* x, T* y) {
  using A = Promoted<T>;
  if (plan.out_image() == 0) return;
  parallel_ranges(plan.outer, plan.image_work(), [&](int64_t begin, int64_t end) {
    std::vector<A> sums(static_cast<size_t>(plan.inner));
    plan.each_window(begin, end, [&](const PoolWindow& window) {
      const auto* image = x + window.outer * plan.in_image();
      std::ranges::fill(sums, A(0));
      plan.each_cell(window, [&](int64_t position) {
        const auto* cell = image + position * plan.inner;
        for (int64_t i = 0; i < plan.inner; ++i) sums[static_cast<size_t>(i)] += promote(cell[i]);
      });
      auto* out = y + window.outer * plan.out_image() + window.out * plan.inner;
      auto cells = static_cast<A>(window.cells());
      for (int64_t i = 0; i < plan.inner; ++i)
        out[i] = static_cast<T>(sums[static_cast<size_t>(i)] / cells);
    });
  });
}

template <class T>
void spread_average(const PoolPlan& plan, const T* dy, Promoted<T>* sum) {
  using A = Promoted<T>;
  plan.each_window_parallel([=, &plan](const PoolWindow& window) {
    const auto* from = dy + window.outer * plan.out_image() + window.out * plan.inner;
    auto* image = sum + window.outer * plan.in_image();
    auto cells = static_cast<A>(window.cells());
    plan.each_cell(window, [&](int64_t position) {
      auto* to = image + position * plan.inner;
      for (int64_t i = 0; i < plan.inner; ++i) to[i] += promote(from[i]) / cells;
    });
  });
}

// The computations of the kernels, for elements of a type.
template <class T>
struct MaxPoolKernel {
  static Status compute(Launch& launch, const PoolNode& node) {
    auto pool = node.over(launch, launch.input(0).shape());
    if (!pool) return pool.status();
    auto out = launch.allocate(dtype_of<T>(), pool->pooled);
    if (!out) return out.status();
    max_pool(pool->plan, launch.input(0).data<T>(), out->template mutable_data<T>());
    launch.set(0, *std::move(out));
    return {};
  }
};

template <class T>
struct MaxPoolGradKernel {
  static Status compute(Launch& launch, const PoolNode& node) {
    auto shape = launch.input(0).shape();
    auto pool = node.over(launch, shape);
    if (!pool) return pool.status();
    for (int i : {1, 2})
      if (auto status = check_pool_input(launch, i, pool->pooled); !status.ok()) return status;
    return set_pool_sums<T>(launch, shape, [&](Promoted<T>* sum) {
      add_to_greatest(pool->plan, launch.input(0).data<T>(), launch.input(2).data<T>(), sum);
      return Status();
    });
  }
};

template <class T>
struct MaxPoolGradGradKernel {
  static Status compute(Launch& launch, const PoolNode& node) {
    auto pool = node.over(launch, launch.input(0).shape());
    if (!pool) return pool.status();
    auto status = check_pool_input(launch, 1, pool->pooled);
    if (status.ok()) status = check_pool_input(launch, 2, launch.input(0).shape());
    if (!status.ok()) return status;
    auto out = launch.allocate(dtype_of<T>(), pool->pooled);
    if (!out) return out.status();
    take_from_greatest(
        pool->plan, launch.input(0).data<T>(), launch.input(2).data<T>(),
        out->template mutable_data<T>());
    launch.set(0, *std::move(out));
    return {};
  }
};

template <class T>
struct AveragePoolKernel {
  static Status compute(Launch& launch, const PoolNode& node) {
    auto pool = node.over(launch, launch.input(0).shape());
    if (!pool) return pool.status();
    auto out = launch.allocate(dtype_of<T>(), pool->pooled);
    if (!out) return out.status();
    average_pool(pool->plan, launch.input(0).data<T>(), out->template mutable_data<T>());
    launch.set(0, *std::move(out));
    return {};
  }
};

template <class T>
struct AveragePoolGradKernel {
  static Status compute(Launch& launch, const PoolNode& node) {
    auto shape = shape_input(launch.input(0));
    if (!shape) return shape.status();
    auto pool = node.over(launch, *shape);
    if (!pool) return pool.status();
    if (auto status = check_pool_input(launch, 1, pool->pooled); !status.ok()) return status;
    return set_pool_sums<T>(launch, *shape, [&](Promoted<T>* sum) {
      spread_average(pool->plan, launch.input(1).data<T>(), sum);
      return Status();
    });
  }
};

/// A kernel of the dtype that an attribute "T" says.
template <template <class> class K, class Allowed>
KernelCatalog::Make pool_kernel(bool may_span_channels, int sizes_input = -1) {
  return [=](const Node& node) -> Result<Kernel> {
    auto pool = PoolNode::of(node, sizes_input, may_span_channels);
    if (!pool) return pool.status();
    auto dtype = node.attr<DType>("T");
    if (node.op->find_attr("TInput") && node.attr<DType>("TInput") != dtype)
      return unimplemented("attributes 'T' and 'TInput' must be the same dtype");
    return dispatch(Allowed{}, dtype, [&](auto zero) {
      using T = decltype(zero);
      return Kernel{
          .compute = [node = *pool](Launch& launch) { return K<T>::compute(launch, node); },
          .cost_ns = pool_cost_ns};
    });
  };
}

}  // namespace

void add_pooling_kernels(KernelCatalog& catalog) {
  for (const std::string name : {"MaxPool", "MaxPool3D"}) {
    auto is_flat = name == "MaxPool";
    catalog.add(name, pool_kernel<MaxPoolKernel, Real>(is_flat));
    catalog.add(name + "Grad", pool_kernel<MaxPoolGradKernel, Real>(is_flat));
    catalog.add(name + "GradGrad", pool_kernel<MaxPoolGradGradKernel, Real>(is_flat));
  }
  catalog.add("MaxPoolV2", pool_kernel<MaxPoolKernel, Real>(true, 1));
  catalog.add("MaxPoolGradV2", pool_kernel<MaxPoolGradKernel, Real>(true, 3));
  catalog.add("MaxPoolGradGradV2", pool_kernel<MaxPoolGradGradKernel, Real>(true, 3));
  catalog.on_host("MaxPoolV2", {1, 2});
  catalog.on_host("MaxPoolGradV2", {3, 4});
  catalog.on_host("MaxPoolGradGradV2", {3, 4});
  for (const std::string name : {"AvgPool", "AvgPool3D"}) {
    catalog.add(name, pool_kernel<AveragePoolKernel, Floating>(false));
    catalog.add(name + "Grad", pool_kernel<AveragePoolGradKernel, Floating>(false));
    catalog.on_host(name + "Grad", {0});
  }
  add_argmax_pooling_kernels(catalog);
}

}  // namespace troupe::cpu
