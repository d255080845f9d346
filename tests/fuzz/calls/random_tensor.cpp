#include "troupe/tests/fuzz/calls/random_tensor.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace troupe::fuzz {
namespace {

constexpr int64_t elements_max = 1 << 16;

template <class T>
constexpr bool is_complex = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

/// As static_cast, but of numbers that T lacks, its nearest.
template <class T>
T narrowed(double value) {
  if constexpr (std::is_same_v<T, bool>) return value != 0;
  else if constexpr (std::is_integral_v<T>) {
    constexpr auto least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    if (!(value > static_cast<double>(least))) return least;
    return value < static_cast<double>(most) ? static_cast<T>(value) : most;
  } else if constexpr (is_complex<T>) {
    return T(static_cast<typename T::value_type>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
double widened(const T& value) {
  if constexpr (is_complex<T>) return static_cast<double>(value.real());
  else return static_cast<double>(value);
}

template <class T>
T extreme_real(Draw& draw) {
  using Limits = std::numeric_limits<T>;
  const T values[] = {
      Limits::max(),       Limits::lowest(),         Limits::min(),     Limits::denorm_min(),
      Limits::infinity(),  -Limits::infinity(),      Limits::epsilon(), static_cast<T>(-0.0f),
      Limits::quiet_NaN(), -Limits::signaling_NaN(), static_cast<T>(0)};
  return draw.pick(values);
}

template <class T>
T extreme(Draw& draw) {
  if constexpr (std::is_same_v<T, bool>) return draw.one_in(2);
  else if constexpr (std::is_integral_v<T>) {
    constexpr auto least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    const T values[] = {least, most, static_cast<T>(least + 1), static_cast<T>(most - 1),
                        0,     1,    static_cast<T>(-1),        static_cast<T>(most / 2 + 1)};
    return draw.pick(values);
  } else {
    return extreme_real<T>(draw);
  }
}

/// How large the elements of a tensor are: a tensor of indices wants small ones.
enum class Range { small, any, extreme };

template <class T>
T real_element(Draw& draw, Range range) {
  if (range == Range::extreme && draw.one_in(3)) return extreme<T>(draw);
  auto small = static_cast<double>(draw.between(-1, 4));
  if (range == Range::small || draw.one_in(8)) return narrowed<T>(small);
  if constexpr (std::is_integral_v<T>) return narrowed<T>(static_cast<double>(draw_int(draw)));
  return narrowed<T>(small + static_cast<double>(draw.below(1000)) / 1000);
}

template <class T>
T element(Draw& draw, Range range) {
  if constexpr (is_complex<T>) {
    auto real = element<typename T::value_type>(draw, range);
    return T(real, element<typename T::value_type>(draw, range));
  } else {
    return real_element<T>(draw, range);
  }
}

template <>
std::string element(Draw& draw, Range range) {
  return draw_text(draw);
}

/// Calls f with an element of the dtype's C++ type: a plain one, or a string.
template <class F>
void visit_with_strings(DType dtype, F f) {
  if (dtype == DType::string) f(std::string());
  else if (is_plain(dtype)) visit(dtype, f);
}

Tensor unset(DType dtype, const Shape& shape) {
  auto tensor = Tensor::allocate(dtype, shape);
  CHECK(tensor.ok());
  return *std::move(tensor);
}

/// With sizes that a tensor can have, too: none so large that others cannot be what they are.
Shape with_elements_at_most(Shape shape) {
  while (shape.elements() > elements_max || !Shape::make(shape.sizes())) {
    auto sizes = shape.sizes();
    auto largest = std::ranges::max_element(sizes) - sizes.begin();
    shape.set(static_cast<int>(largest), 1);
  }
  return shape;
}

}  // namespace

Shape draw_shape(Draw& draw) {
  constexpr int64_t small[] = {0, 1, 1, 2, 2, 3, 3, 4, 5, 8};
  constexpr int64_t large[] = {0, 17, 64, 100, 257, 1000, 4096};
  constexpr int64_t huge[] = {0, int64_t{1} << 31, int64_t{1} << 40, (int64_t{1} << 31) - 1};
  auto rank = static_cast<int>(draw.one_in(10) ? draw.between(5, 8) : draw.between(0, 4));
  auto is_large = draw.one_in(10), is_huge = draw.one_in(8) && rank > 1;
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < rank; ++axis)
    sizes.push_back(is_large && draw.one_in(2) ? draw.pick(large) : draw.pick(small));
  if (is_huge) {
    sizes[draw.below(sizes.size())] = draw.pick(huge);
    sizes[draw.below(sizes.size())] = 0;
  }
  auto shape = Shape::make(sizes);
  return shape ? with_elements_at_most(*shape) : Shape();
}

int64_t draw_int(Draw& draw) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  constexpr int64_t extremes[] = {
      most,
      -most - 1,
      most - 1,
      int64_t{1} << 31,
      (int64_t{1} << 31) - 1,
      -(int64_t{1} << 31),
      int64_t{1} << 40,
      -(int64_t{1} << 40),
      int64_t{1} << 62,
      65536,
      1000000};
  if (draw.one_in(8)) return draw.pick(extremes);
  return draw.one_in(4) ? draw.between(-20, 40) : draw.between(-2, 5);
}

float draw_float(Draw& draw) {
  if (draw.one_in(4)) return extreme_real<float>(draw);
  return static_cast<float>(draw.between(-3000, 3000)) / 1000;
}

std::string draw_text(Draw& draw) {
  static const std::vector<std::string> texts = {"",         "a",
                                                 "b",        "abc",
                                                 "1",        "-7.5",
                                                 "1e400",    "nan",
                                                 "0x",       "a,b",
                                                 "\"",       "%s%d",
                                                 "{}",       "é",
                                                 "\xff\xfe", "\xc3",
                                                 "NHWC",     "SAME",
                                                 "(",        "[a-",
                                                 "a*",       std::string("\0x", 2),
                                                 "AAAA",     "file/../x",
                                                 " x ",      "\r\n"};
  if (!draw.one_in(4)) return draw.pick(texts);
  std::string text(draw.below(draw.one_in(10) ? 5000 : 20), '\0');
  for (auto& byte : text) byte = static_cast<char>(draw.bits());
  return text;
}

DType draw_dtype(Draw& draw) { return draw.pick(all_dtypes()); }

Tensor draw_tensor(Draw& draw, DType dtype, const Shape& shape) {
  auto tensor = unset(dtype, with_elements_at_most(shape));
  constexpr Range ranges[] = {Range::small, Range::small, Range::any, Range::extreme};
  auto range = draw.pick(ranges);
  visit_with_strings(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::generate_n(tensor.template mutable_data<T>(), tensor.elements(), [&] {
      return element<T>(draw, range);
    });
  });
  return tensor;
}

Tensor resized(const Tensor& tensor, const Shape& shape) {
  auto result = unset(tensor.dtype(), with_elements_at_most(shape));
  visit_with_strings(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    auto from = tensor.values<T>();
    auto* to = result.template mutable_data<T>();
    for (int64_t i = 0; i < result.elements(); ++i)
      to[i] = from.empty() ? T{} : from[static_cast<size_t>(i) % from.size()];
  });
  return result;
}

Tensor converted(Draw& draw, const Tensor& tensor, DType dtype) {
  if (dtype == tensor.dtype()) return tensor;
  if (!is_plain(dtype) || !is_plain(tensor.dtype()))
    return draw_tensor(draw, dtype, tensor.shape());
  auto result = unset(dtype, tensor.shape());
  visit(tensor.dtype(), [&](auto from_zero) {
    visit(dtype, [&](auto to_zero) {
      using From = decltype(from_zero);
      using To = decltype(to_zero);
      std::ranges::transform(
          tensor.values<From>(), result.template mutable_data<To>(), [&](const From& value) {
            auto number = narrowed<To>(widened(value));
            if constexpr (is_complex<To>)
              number.imag(element<typename To::value_type>(draw, Range::any));
            return number;
          });
    });
  });
  return result;
}

Tensor disturbed(Draw& draw, const Tensor& tensor) {
  if (tensor.elements() == 0) return tensor;
  auto result = resized(tensor, tensor.shape());
  auto range = draw.one_in(2) ? Range::extreme : Range::any;
  auto count = draw.one_in(4) ? static_cast<size_t>(result.elements()) : 1 + draw.below(3);
  visit_with_strings(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (size_t i = 0; i < count; ++i) {
      auto& changed =
          result.template mutable_data<T>()[draw.below(static_cast<size_t>(result.elements()))];
      if constexpr (std::is_same_v<T, std::string>) {
        if (!changed.empty() && !draw.one_in(3)) {  // a byte, or an end, of what a parser knows
          auto at = draw.below(changed.size());
          if (draw.one_in(3)) changed.resize(at);
          else changed[at] = static_cast<char>(draw.bits());
          continue;
        }
      }
      changed = element<T>(draw, range);
    }
  });
  return result;
}

Tensor with_size_replaced(const Tensor& tensor, int64_t from, int64_t to) {
  auto replace = [&](auto zero) {
    using T = decltype(zero);
    auto result = resized(tensor, tensor.shape());
    auto* values = result.template mutable_data<T>();
    std::replace(values, values + result.elements(), static_cast<T>(from), static_cast<T>(to));
    return result;
  };
  if (tensor.dtype() == DType::int32) return replace(int32_t{});
  return tensor.dtype() == DType::int64 ? replace(int64_t{}) : tensor;
}

}  // namespace troupe::fuzz
