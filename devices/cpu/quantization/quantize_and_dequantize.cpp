#include "troupe/devices/cpu/quantization/quantize_and_dequantize.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <tuple>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

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

/// The nearest integer, of two the even one, in instructions that all processors have for vectors.
template <class T>
T to_nearest_even(T x) {
  // Has no digits behind the point, and numbers from 0 on that are added to it lose theirs.
  constexpr auto large = T(1) / std::numeric_limits<T>::epsilon();
  auto size = std::abs(x);
  return std::copysign(size < large ? size + large - large : size, x);
}

template <class T, class Round>
void scale_and_round(T* out, const T* in, int64_t count, Scaling<Promoted<T>> by, Round round) {
  for (int64_t i = 0; i < count; ++i) {
    auto x = promote(in[i]);
    auto limited = by.high < x ? by.high : x;  // NaN stays
    limited = by.low > limited ? by.low : limited;
    out[i] = static_cast<T>(round(limited * by.scale) * by.inverse);
  }
}

/// The least and the greatest number, without those that are NaN.
template <class T>
std::pair<Promoted<T>, Promoted<T>> extremes(std::span<const T> values) {
  using Limits = std::numeric_limits<Promoted<T>>;
  auto least = Limits::infinity(), greatest = -Limits::infinity();
  for (const auto& value : values) {
    auto x = promote(value);
    least = x < least ? x : least;
    greatest = x > greatest ? x : greatest;
  }
  return {least, greatest};
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
  if (!form.has_range)
    std::tie(low, high) = extremes<T>({in, static_cast<size_t>(shape.elements())});
  auto by = Scaling<A>::of(low, high, *integers);
  if (!form.has_range) {
    by.low = -std::numeric_limits<A>::infinity();
    by.high = std::numeric_limits<A>::infinity();
  }
  auto out = launch.reuse_or_allocate({0}, dtype_of<T>(), shape);
  if (!out) return out.status();
  auto* result = out->template mutable_data<T>();
  parallel_ranges(shape.elements(), 2, [&](int64_t begin, int64_t end) {
    if (form.rounds_half_up)
      scale_and_round(
          result + begin, in + begin, end - begin, by, [](A x) { return std::floor(x + A(0.5)); });
    else
      scale_and_round(
          result + begin, in + begin, end - begin, by, [](A x) { return to_nearest_even(x); });
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
