#include <cstdio>

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

/// Appends what printf() makes of the value; the format is one for its type.
template <class T>
void append_formatted(std::string& text, const std::string& format, T value) {
  auto size = static_cast<size_t>(std::snprintf(nullptr, 0, format.c_str(), value));
  auto begin = text.size();
  text.resize(begin + size + 1);  // snprintf() ends what it writes with a zero
  std::snprintf(text.data() + begin, size + 1, format.c_str(), value);
  text.resize(begin + size);
}

template <class T>
std::string number_text(const std::string& format, const T& value) {
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

/// The format for printf().
template <class T>
std::string format_of(const Node& node) {
  auto fill = node.attr<std::string>("fill");
  auto width = node.attr<int64_t>("width"), precision = node.attr<int64_t>("precision");
  if (std::is_integral_v<T> && fill == "#") fill.clear();  // has no meaning in C
  auto format = "%" + fill;
  if (width >= 0) format += std::to_string(width);
  if (precision >= 0) format += "." + std::to_string(precision);
  if (std::is_integral_v<T>) return format + (std::is_signed_v<T> ? "lld" : "llu");
  if (node.attr<bool>("shortest")) return format + "g";
  return format + (node.attr<bool>("scientific") ? "e" : "f");
}

template <class T>
Status write_numbers(Launch& launch, const std::string& format) {
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
