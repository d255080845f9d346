#include "troupe/devices/cpu/array/checks.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/printing.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {
namespace {

Status keep_input(Launch& launch) {
  launch.set(0, launch.take_input(0));
  return {};
}

Result<Kernel> make_shape_check(const Node& node) {
  return Kernel{.compute = [wanted = node.attr<Shape>("shape")](Launch& launch) {
    const auto& shape = launch.input(0).shape();
    if (!shape.is_compatible_with(wanted))
      return invalid_argument(
          "a tensor of shape " + shape.to_string() + " does not have the shape " +
          wanted.to_string() + " of attribute 'shape'");
    return keep_input(launch);
  }};
}

template <class T>
Status check_numerics(Launch& launch, const std::string& message) {
  constexpr auto largest = std::numeric_limits<Promoted<T>>::max();
  auto values = launch.input(0).values<T>();
  bool is_finite = true;
  for (const auto& value : values) is_finite &= std::abs(promote(value)) <= largest;
  if (is_finite) return keep_input(launch);
  bool has_nan = false, has_infinity = false;
  for (const auto& value : values) {
    has_nan |= std::isnan(promote(value));
    has_infinity |= std::isinf(promote(value));
  }
  return not_finite(message, has_nan, has_infinity);
}

Result<Kernel> make_check_numerics(const Node& node) {
  return dispatch(Floating{}, node.attr<DType>("T"), [&](auto zero) {
    return Kernel{.compute = [message = node.attr<std::string>("message")](Launch& launch) {
      return check_numerics<decltype(zero)>(launch, message);
    }};
  });
}

Result<Kernel> make_copy(const Node& node) {
  return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
    return Kernel{.compute = [](Launch& launch) {
      using C = decltype(cell);
      const auto& in = launch.input(0);
      auto out = launch.allocate(in.dtype(), in.shape());
      if (!out) return out.status();
      const auto* from = cells<C>(in);
      auto* to = mutable_cells<C>(*out);
      parallel_ranges(in.elements(), 1, [&](int64_t begin, int64_t end) {
        std::copy(from + begin, from + end, to + begin);
      });
      launch.set(0, *std::move(out));
      return Status();
    }};
  });
}

Status compute_timestamp(Launch& launch) {
  std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  auto out = launch.allocate(DType::float64, {});
  if (!out) return out.status();
  *out->mutable_data<double>() = now.count();
  launch.set(0, *std::move(out));
  return {};
}

Status compute_broadcast_args(Launch& launch) {
  for (int i : {0, 1})
    if (launch.input(i).shape().rank() != 1)
      return invalid_argument(
          "input " + std::to_string(i) + " must have rank 1, but has shape " +
          launch.input(i).shape().to_string());
  auto x = shape_input(launch.input(0)), y = shape_input(launch.input(1));
  for (const auto* shape : {&x, &y})
    if (!*shape) return shape->status();
  auto both = broadcast(*x, *y);
  if (!both) return both.status();
  return set_ints(launch, 0, launch.input(0).dtype(), both->sizes());
}

}  // namespace

void add_checks_kernels(KernelCatalog& catalog) {
  catalog.add("PlaceholderWithDefault", make_shape_check);
  catalog.add("EnsureShape", make_shape_check);
  catalog.add("CheckNumerics", make_check_numerics);
  for (auto name : {"PreventGradient", "Snapshot"}) catalog.add_compute(name, keep_input);
  for (auto name : {"DeepCopy", "Copy", "CopyHost"}) catalog.add(name, make_copy);
  catalog.add_compute("Timestamp", compute_timestamp);
  catalog.add_compute("BroadcastArgs", compute_broadcast_args);
  add_printing_kernels(catalog);
}

}  // namespace troupe::cpu
