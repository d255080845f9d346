#include "troupe/devices/cpu/math/math.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data_flow/variants.hpp"
#include "troupe/devices/cpu/math/division.hpp"
#include "troupe/devices/cpu/math/vector_function.hpp"

namespace troupe::cpu {
namespace {

constexpr auto add = [](const auto& x, const auto& y) { return wrap(x) + wrap(y); };
constexpr auto sub = [](auto x, auto y) { return wrap(x) - wrap(y); };
constexpr auto mul = [](auto x, auto y) { return wrap(x) * wrap(y); };

constexpr auto squared_difference = [](auto x, auto y) {
  auto difference = wrap(x) - wrap(y);
  if constexpr (is_complex<decltype(difference)>) return difference * std::conj(difference);
  else return difference * difference;
};

// Both propagate a NaN of either operand.
constexpr auto maximum = [](auto x, auto y) { return (x > y) | (x != x) ? x : y; };
constexpr auto minimum = [](auto x, auto y) { return (x < y) | (x != x) ? x : y; };

constexpr auto power = [](auto x, auto y) {
  using T = decltype(x);
  if constexpr (is_number<T>) {
    auto base = wrap(x);
    decltype(base) product = 1;
    for (; y > 0; y = static_cast<T>(y / 2), base *= base)
      if (y % 2 != 0) product *= base;
    return static_cast<T>(product);
  } else {
    return std::pow(x, y);
  }
};

template <class F, class T>
Status compute_integer_power(Launch& launch) {
  if (any_element<T>(launch.input(1), [](T y) { return y < T{}; }))
    return invalid_argument("an integer has no integer power with a negative exponent");
  return compute_binary<F, T, T>(launch);
}

template <class F>
Result<Kernel> make_power(const Node& node, F) {
  return dispatch(Numeric{}, node.attr<DType>("T"), [](auto zero) {
    using T = decltype(zero);
    if constexpr (is_number<T>) return Kernel{.compute = compute_integer_power<F, T>};
    else return Kernel{.compute = ComputeBinary{binary_elements<F, T, T>()}};
  });
}

Result<Kernel> make_add(const Node& node) {
  if (node.attr<DType>("T") == DType::string)
    return Kernel{.compute = compute_binary<std::plus<>, std::string, std::string>};
  return vector_binary<vector::Arithmetic::add, Numeric>(add)(node);
}

Result<Kernel> make_add_n(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (dtype == DType::variant)
    return Kernel{.compute = [](Launch& launch) { return sum_variants(launch, host_rows()); }};
  auto add = addition(dtype);
  if (!add.loop) return no_kernel(dtype);
  return Kernel{.compute = [add](Launch& launch) { return compute_add_n(launch, add); }};
}

template <vector::Arithmetic operation, class F>
BinaryElements elements_for(DType dtype, F) {
  BinaryElements elements;
  for_dtype(Numeric{}, dtype, [&](auto zero) {
    elements = arithmetic_elements<operation, F, decltype(zero)>();
  });
  return elements;
}

}  // namespace

Status compute_add_n(Launch& launch, const BinaryElements& add) {
  const auto shape = launch.input(0).shape();
  for (int i = 1; i < launch.input_count(); ++i)
    if (launch.input(i).shape() != shape)
      return invalid_argument(
          "inputs must have one shape, but input 0 is " + shape.to_string() + " and input " +
          std::to_string(i) + " is " + launch.input(i).shape().to_string());
  if (launch.input_count() == 1) {
    launch.set(0, launch.take_input(0));
    return {};
  }
  const auto* first = static_cast<const std::byte*>(launch.input(0).raw());
  auto out = launch.reuse_or_allocate({0}, add.out, shape);
  if (!out) return out.status();
  auto* sum = static_cast<std::byte*>(out->mutable_raw());
  auto size = int64_t(size_of(add.in));
  parallel_ranges(out->elements(), 1, [&](int64_t begin, int64_t end) {
    // A block at a time, whose sum stays in the nearest cache.
    constexpr int64_t block = 2048;
    for (; begin < end; begin += block) {
      auto offset = begin * size, count = std::min(block, end - begin);
      for (int i = 1; i < launch.input_count(); ++i) {
        const auto* summand = static_cast<const std::byte*>(launch.input(i).raw());
        add.loop(
            sum + offset, (i == 1 ? first : sum) + offset, summand + offset, count, Repeat::none);
      }
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

BinaryElements addition(DType dtype) { return elements_for<vector::Arithmetic::add>(dtype, add); }
BinaryElements subtraction(DType dtype) {
  return elements_for<vector::Arithmetic::sub>(dtype, sub);
}

void add_math_kernels(KernelCatalog& catalog) {
  using vector::Arithmetic;
  catalog.add("Add", make_add);
  catalog.add("AddV2", vector_binary<Arithmetic::add, Numeric>(add));
  catalog.add("Sub", vector_binary<Arithmetic::sub, Numeric>(sub));
  catalog.add("Mul", vector_binary<Arithmetic::mul, Numeric>(mul));
  catalog.add("Div", vector_division<Arithmetic::div, Numeric>(divide));
  catalog.add("RealDiv", vector_division<Arithmetic::div, Numeric>(divide));
  catalog.add("SquaredDifference", binary<Numeric>(squared_difference));
  catalog.add("Maximum", vector_binary<Arithmetic::maximum, Real>(maximum));
  catalog.add("Minimum", vector_binary<Arithmetic::minimum, Real>(minimum));
  catalog.add("Pow", [](const Node& node) { return make_power(node, power); });
  catalog.add("AddN", make_add_n);
  add_math_unary_kernels(catalog);
  add_math_gradient_kernels(catalog);
  add_cast_kernels(catalog);
  add_matmul_kernels(catalog);
}

}  // namespace troupe::cpu
