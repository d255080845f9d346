#include <algorithm>
#include <cmath>
#include <cstring>

#include "troupe/devices/cpu/array/array.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/data_flow/variants.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

Status compute_fill(Launch& launch) {
  const auto& value = launch.input(1);
  if (!value.shape().is_scalar())
    return invalid_argument("the value must be a scalar, but is " + value.shape().to_string());
  auto shape = shape_input(launch.input(0));
  if (!shape) return shape.status();
  auto out = launch.allocate(value.dtype(), *shape);
  if (!out) return out.status();
  fill_with(*out, value);
  launch.set(0, *std::move(out));
  return {};
}

int64_t fill_cost_ns(const Launch& launch) {
  auto shape = shape_input(launch.input(0));
  return shape ? shape->elements() : 0;
}

Result<Kernel> make_fill(const Node& node) {
  auto kernel = copying_kernel(node.attr<DType>("T"), compute_fill);
  if (kernel) kernel->cost_ns = fill_cost_ns;
  return kernel;
}

Status zeros_like(Launch& launch) {
  const auto dtype = launch.input(0).dtype();
  if (dtype == DType::variant) return zero_variants(launch, host_rows());
  auto out = launch.reuse_or_allocate({0}, dtype, launch.input(0).shape());
  if (!out) return out.status();
  set_zeros(*out);
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status ones_like(Launch& launch) {
  auto out = launch.reuse_or_allocate({0}, dtype_of<T>(), launch.input(0).shape());
  if (!out) return out.status();
  fill_all(out->template mutable_data<T>(), out->elements(), T(1));
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_ones_like(const Node& node) {
  return dispatch(AllPlain{}, node.attr<DType>("T"), [](auto zero) {
    return Kernel{.compute = ones_like<decltype(zero)>};
  });
}

constexpr double range_count_max = int64_t{1} << 48;

/// How many numbers there are from `start` to before `limit`; more than any tensor holds, or NaN,
/// where that makes no sense.
template <class T>
double range_count(T start, T limit, T delta) {
  if constexpr (!std::is_integral_v<T>) {
    auto count = std::ceil(std::abs((double(limit) - double(start)) / double(delta)));
    // A quotient may be so small that it is 0, where tiny numbers are flushed.
    return start != limit && std::isfinite(double(delta)) ? std::max(count, 1.0) : count;
  } else {
    // Differences of unsigned numbers do not overflow.
    auto distance =
        start < limit ? uint64_t(limit) - uint64_t(start) : uint64_t(start) - uint64_t(limit);
    auto step = delta < 0 ? -uint64_t(delta) : uint64_t(delta);
    return double(distance / step + (distance % step != 0));
  }
}

template <class T>
void fill_range(T* out, int64_t count, T start, T delta) {
  if constexpr (std::is_integral_v<T>) {
    // Modulo the range of T, as products may leave it where no element of the result does.
    using Bits = std::make_unsigned_t<T>;
    parallel_ranges(count, 1, [&](int64_t begin, int64_t end) {
      constexpr int64_t block = 4096 / sizeof(T);
      T numbers[block];  // in the cache, from where copies are written in wide stores
      for (auto at = begin; at < end; at += block) {
        const auto count = std::min(block, end - at);
        auto next = Bits(start) + static_cast<Bits>(at) * Bits(delta);
        for (int64_t i = 0; i < count; ++i, next += Bits(delta)) numbers[i] = static_cast<T>(next);
        std::memcpy(out + at, numbers, static_cast<size_t>(count) * sizeof(T));
      }
    });
  } else {
    // The sum runs in T and the last one is not computed: it may not be representable.
    auto next = start;
    for (int64_t i = 0; i < count; ++i) {
      out[i] = next;
      if (i + 1 < count) next = static_cast<T>(next + delta);
    }
  }
}

template <class T>
Status compute_range(Launch& launch) {
  for (int i = 0; i < 3; ++i)
    if (!launch.input(i).shape().is_scalar())
      return invalid_argument("start, limit and delta must be scalars");
  auto start = launch.input(0).value<T>(), limit = launch.input(1).value<T>(),
       delta = launch.input(2).value<T>();
  if (delta == T(0)) return invalid_argument("delta must not be 0");
  if (delta > T(0) ? start > limit : start < limit)
    return invalid_argument("delta leads from start away from limit");
  auto count = range_count(start, limit, delta);
  if (!(count <= range_count_max)) return invalid_argument("a range cannot have so many elements");
  auto out = launch.allocate(dtype_of<T>(), {static_cast<int64_t>(count)});
  if (!out) return out.status();
  fill_range(out->template mutable_data<T>(), out->elements(), start, delta);
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
int64_t range_cost_ns(const Launch& launch) {
  for (int i = 0; i < 3; ++i)
    if (!launch.input(i).shape().is_scalar()) return 0;
  auto delta = launch.input(2).value<T>();
  if (delta == T(0)) return 0;
  auto count = range_count(launch.input(0).value<T>(), launch.input(1).value<T>(), delta);
  return count <= range_count_max ? static_cast<int64_t>(count) : 0;
}

Result<Kernel> make_range(const Node& node) {
  return dispatch(Floating{} + Indices{}, node.attr<DType>("Tidx"), [](auto zero) {
    return Kernel{
        .compute = compute_range<decltype(zero)>, .cost_ns = range_cost_ns<decltype(zero)>};
  });
}

}  // namespace

void add_fill_kernels(KernelCatalog& catalog) {
  catalog.add("Fill", make_fill);
  catalog.add_compute("ZerosLike", zeros_like);
  catalog.add("OnesLike", make_ones_like);
  catalog.add("Range", make_range);
}

}  // namespace troupe::cpu
