#include <charconv>
#include <cstdio>
#include <iterator>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/string/number_text.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/cpu/string/text.hpp"

namespace troupe::cpu {
namespace {

template <class T>
Status read_numbers(Launch& launch) {
  return map_strings<T>(launch, [](const std::string& text, T& number) {
    if (read_number(text, number)) return Status();
    return invalid_argument(shown(text) + " is no number of " + to_string(dtype_of<T>()));
  });
}

Result<Kernel> make_string_to_number(const Node& node) {
  using Allowed = Types<float, double, int32_t, int64_t>;
  return dispatch(Allowed{}, node.attr<DType>("out_type"), [](auto zero) {
    return string_kernel(read_numbers<decltype(zero)>);
  });
}

/// How numbers are written: as by printf(), in a format for their type.
struct NumberFormat {
  std::string text;
  int fixed_digits = -1;  // after the point, where the format says no more than those
  bool is_plain = false;  // of integers, where it says nothing
};

/// Appends what printf() makes of the value.
template <class T>
void append_formatted(std::string& text, const NumberFormat& format, T value) {
  char written[128];
  if constexpr (std::is_floating_point_v<T>) {
    if (format.fixed_digits >= 0) {
      // Is defined to write what printf() does, but need not read the format.
      auto [end, error] = std::to_chars(
          written, std::end(written), value, std::chars_format::fixed, format.fixed_digits);
      if (error == std::errc()) return void(text.append(written, end));
    }
  } else if (format.is_plain) {
    return void(text.append(written, std::to_chars(written, std::end(written), value).ptr));
  }
  auto size =
      static_cast<size_t>(std::snprintf(written, sizeof(written), format.text.c_str(), value));
  if (size < sizeof(written)) return void(text.append(written, size));
  auto begin = text.size();
  text.resize(begin + size + 1);  // snprintf() ends what it writes with a zero
  std::snprintf(text.data() + begin, size + 1, format.text.c_str(), value);
  text.resize(begin + size);
}

template <class T>
std::string number_text(const NumberFormat& format, const T& value) {
  std::string text;
  if constexpr (std::is_same_v<T, bool>) {
    text = value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
    text = "(" + number_text(format, value.real()) + "," + number_text(format, value.imag()) + ")";
  } else if constexpr (!std::is_integral_v<T>) {
    append_formatted(text, format, static_cast<double>(value));
  } else if constexpr (std::is_signed_v<T>) {
    append_formatted(text, format, static_cast<long long>(value));
  } else {
    append_formatted(text, format, static_cast<unsigned long long>(value));
  }
  return text;
}

template <class T>
NumberFormat format_of(const Node& node) {
  auto fill = node.attr<std::string>("fill");
  auto width = node.attr<int64_t>("width"), precision = node.attr<int64_t>("precision");
  if (std::is_integral_v<T> && fill == "#") fill.clear();  // has no meaning in C
  auto format = "%" + fill;
  if (width >= 0) format += std::to_string(width);
  if (precision >= 0) format += "." + std::to_string(precision);
  if (std::is_integral_v<T>)
    return {
        .text = format + (std::is_signed_v<T> ? "lld" : "llu"),
        .is_plain = fill.empty() && width < 0 && precision < 0};
  if (node.attr<bool>("shortest")) return {format + "g"};
  if (node.attr<bool>("scientific")) return {format + "e"};
  auto is_plain = fill.empty() && width < 0 && precision < 64;
  return {format + "f", !is_plain ? -1 : precision >= 0 ? static_cast<int>(precision) : 6};
}

template <class T>
Status write_numbers(Launch& launch, const NumberFormat& format) {
  const auto& in = launch.input(0);
  auto out = launch.allocate(DType::string, in.shape());
  if (!out) return out.status();
  const auto* from = in.data<T>();
  auto* to = out->template mutable_data<std::string>();
  auto status = each_element(in.elements(), [&](int64_t i) {
    to[i] = number_text(format, from[i]);
    return Status();
  });
  launch.set(0, *std::move(out));
  return status;
}

Result<Kernel> make_as_string(const Node& node) {
  return dispatch(AllPlain{}, node.attr<DType>("T"), [&](auto zero) {
    using T = decltype(zero);
    return string_kernel(
        [format = format_of<T>(node)](Launch& launch) { return write_numbers<T>(launch, format); });
  });
}

}  // namespace

void add_number_kernels(KernelCatalog& catalog) {
  catalog.add("StringToNumber", make_string_to_number);
  catalog.add("AsString", make_as_string);
}

}  // namespace troupe::cpu
