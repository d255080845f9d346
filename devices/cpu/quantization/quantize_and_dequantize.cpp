#include "troupe/devices/cpu/quantization/quantize_and_dequantize.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/vector/quantization.hpp"

namespace troupe::cpu {

ScaledForm ScaledForm::of(const Node& node) {
  const auto& attrs = node.attrs;
  return {
      .is_signed = node.attr<bool>("signed_input"),
      .is_narrow = attrs.contains("narrow_range") && node.attr<bool>("narrow_range"),
      .has_range = node.attr<bool>("range_given"),
      .rounds_half_up =
          attrs.contains("round_mode") && node.attr<std::string>("round_mode") == "HALF_UP"};
}

Result<IntegerRange> ScaledForm::integers(int64_t bits) const {
  if (bits > 0 && bits < (is_signed ? 62 : 63)) return IntegerRange::of(bits, is_signed, is_narrow);
  return invalid_argument(
      "num_bits is out of range: " + std::to_string(bits) + " with signed_input_ " +
      (is_signed ? "1" : "0"));
}

Status ScaledForm::check_range(double low, double high) const {
  if (!has_range || low <= high) return {};
  return invalid_argument(
      "Invalid range: input_min " + std::to_string(low) + " > input_max " + std::to_string(high));
}

Status check_scalar_arguments(const Launch& launch) {
  for (int i = 1; i < launch.input_count(); ++i)
    if (!launch.input(i).shape().is_scalar())
      return invalid_argument(
          "input " + std::to_string(i) + " must be a scalar, but has the shape " +
          launch.input(i).shape().to_string());
  return {};
}

namespace {

template <class T>
constexpr bool is_widened = !std::is_same_v<T, Promoted<T>>;

/// Calls f(row, begin, size) for a few elements at a time, in wider numbers that f may change.
template <class T, class F>
void each_widened(const T* in, int64_t count, const F& f) {
  constexpr int64_t most = 256;
  Promoted<T> row[most];
  for (int64_t begin = 0; begin < count; begin += most) {
    auto size = std::min(most, count - begin);
    for (int64_t i = 0; i < size; ++i) row[i] = promote(in[begin + i]);
    f(row, begin, size);
  }
}

template <class T, class A = Promoted<T>>
void scale_row(
    T* out, const T* in, int64_t count, typename vector::ScaleLoops<A>::Scale scale,
    const Scaling<A>& by) {
  if constexpr (is_widened<T>)
    each_widened(in, count, [&](A* row, int64_t begin, int64_t size) {
      scale(row, row, size, by);
      for (int64_t i = 0; i < size; ++i) out[begin + i] = static_cast<T>(row[i]);
    });
  else scale(out, in, count, by);
}

template <class T, class A = Promoted<T>>
vector::Extremes<A> extremes_of_row(const T* in, int64_t count) {
  auto extremes = vector::scale_loops<A>().extremes;
  if constexpr (is_widened<T>) {
    vector::Extremes<A> found;
    each_widened(in, count, [&](A* row, int64_t, int64_t size) { found.add(extremes(row, size)); });
    return found;
  } else {
    return extremes(in, count);
  }
}

template <class T, class A = Promoted<T>>
vector::Extremes<A> extremes_of(const T* in, int64_t count) {
  vector::Extremes<A> found;
  std::mutex mutex;
  parallel_ranges(count, 1, [&](int64_t begin, int64_t end) {
    auto part = extremes_of_row(in + begin, end - begin);
    std::lock_guard lock(mutex);
    found.add(part);
  });
  // Which of two zeros came first depends on the ranges.
  return {found.least + A(0), found.greatest + A(0)};
}

/// Output 0. `low` and `high` are the range that is given, if one is.
template <class T>
Status compute_scaled(
    Launch& launch, const ScaledForm& form, int64_t bits, Promoted<T> low, Promoted<T> high) {
  using A = Promoted<T>;
  auto integers = form.integers(bits);
  if (!integers) return integers.status();
  if (auto status = form.check_range(low, high); !status.ok()) return status;
  const auto shape = launch.input(0).shape();
  const auto* in = launch.input(0).data<T>();
  if (!form.has_range) {
    auto found = extremes_of(in, shape.elements());
    low = found.least;
    high = found.greatest;
  }
  auto by = Scaling<A>::of(low, high, *integers);
  if (!form.has_range) {
    by.low = -std::numeric_limits<A>::infinity();
    by.high = std::numeric_limits<A>::infinity();
  }
  auto out = launch.reuse_or_allocate({0}, dtype_of<T>(), shape);
  if (!out) return out.status();
  auto* result = out->template mutable_data<T>();
  auto loops = vector::scale_loops<A>();
  auto scale = form.rounds_half_up ? loops.half_up : loops.to_even;
  parallel_ranges(shape.elements(), 2, [&](int64_t begin, int64_t end) {
    scale_row(result + begin, in + begin, end - begin, scale, by);
  });
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status compute_given(Launch& launch, const ScaledForm& form, int64_t bits) {
  if (auto status = check_scalar_arguments(launch); !status.ok()) return status;
  if (launch.input_count() == 4) bits = launch.input(3).value<int32_t>();
  return compute_scaled<T>(
      launch, form, bits, promote(launch.input(1).value<T>()), promote(launch.input(2).value<T>()));
}

Result<Kernel> make_scaled_by_attrs(const Node& node) {
  auto form = ScaledForm::of(node);
  auto bits = node.attr<int64_t>("num_bits");
  return dispatch(Floating{}, node.attr<DType>("T"), [&](auto zero) {
    using T = decltype(zero);
    using A = Promoted<T>;
    auto low = static_cast<A>(node.attr<float>("input_min"));
    auto high = static_cast<A>(node.attr<float>("input_max"));
    return Kernel{.compute = [=](Launch& launch) {
      return compute_scaled<T>(launch, form, bits, low, high);
    }};
  });
}

Result<Kernel> make_scaled(const Node& node) {
  auto form = ScaledForm::of(node);
  auto bits = node.attrs.contains("num_bits") ? node.attr<int64_t>("num_bits") : 0;
  return dispatch(Floating{}, node.attr<DType>("T"), [&](auto zero) {
    using T = decltype(zero);
    return Kernel{.compute = [=](Launch& launch) { return compute_given<T>(launch, form, bits); }};
  });
}

}  // namespace

void add_quantize_and_dequantize_kernels(KernelCatalog& catalog) {
  catalog.add("QuantizeAndDequantize", make_scaled_by_attrs);
  for (const auto* op : {"QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3"})
    catalog.add(op, make_scaled);
}

}  // namespace troupe::cpu
