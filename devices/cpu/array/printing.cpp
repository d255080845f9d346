#include "troupe/devices/cpu/array/printing.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/graph/support/append_file.hpp"

namespace troupe::cpu {
namespace {

/// With few digits where they suffice to read the number back, else with all.
template <class T>
std::string print_real(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  auto print = [&](int digits) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.*g", digits, static_cast<double>(value));
    return std::string(text.data());
  };
  auto text = print(std::numeric_limits<T>::digits10);
  auto back = std::is_same_v<T, float> ? std::strtof(text.c_str(), nullptr)
                                       : std::strtod(text.c_str(), nullptr);
  return static_cast<T>(back) == value ? text : print(std::numeric_limits<T>::max_digits10);
}

/// A C string literal's text: bytes over 127 stay, as parts of UTF-8.
std::string escape(const std::string& bytes) {
  std::string text;
  for (auto byte : bytes) {
    auto code = static_cast<unsigned char>(byte);
    constexpr std::string_view special = "\n\r\t\"'\\", letters = "nrt\"'\\";
    if (auto at = special.find(byte); at != special.npos) (text += '\\') += letters[at];
    else if (code >= 32 && code != 127) text += byte;
    else {
      std::array<char, 8> octal{};
      std::snprintf(octal.data(), octal.size(), "\\%03o", code);
      text += octal.data();
    }
  }
  return text;
}

template <class T>
std::string print_plain(const T& value) {
  if constexpr (is_complex<T>)
    return "(" + print_real(value.real()) + "," + print_real(value.imag()) + ")";
  else if constexpr (std::is_integral_v<T>) return std::to_string(+value);
  else if constexpr (is_half<T>) return print_real(static_cast<float>(value));
  else return print_real(value);
}

std::string print_element(const Tensor& tensor, int64_t index, bool quotes) {
  const auto dtype = tensor.dtype();
  if (is_opaque(dtype)) return std::string("<") + to_string(dtype) + ">";
  if (dtype == DType::string) {
    auto text = escape(tensor.data<std::string>()[index]);
    return quotes ? "\"" + text + "\"" : text;
  }
  return visit(dtype, [&](auto zero) { return print_plain(tensor.data<decltype(zero)>()[index]); });
}

struct FirstElements {
  const Tensor& tensor;
  int64_t limit;
  int64_t next = 0;
  std::string text = {};

  void print_axis(int axis) {
    const auto& shape = tensor.shape();
    auto is_last = axis == shape.rank() - 1;
    for (int64_t i = 0; i < shape[axis]; ++i) {
      if (next >= limit) {
        if (is_last && axis != 0) text += "...";
        return;
      }
      if (is_last) {
        if (i > 0) text += ' ';
        text += print_element(tensor, next++, false);
        continue;
      }
      text += '[';
      print_axis(axis + 1);
      text += ']';
    }
  }
};

struct EndsOfAxes {
  const Tensor& tensor;
  int64_t limit;
  Strides strides = strides_of(tensor.shape());
  std::string text = {};

  void space(int axis) {
    auto deeper = static_cast<size_t>(tensor.shape().rank() - 1 - axis);
    if (deeper == 0) text += ' ';
    else text.append(deeper, '\n').append(static_cast<size_t>(axis) + 1, ' ');
  }

  void print_axis(int axis, int64_t first) {
    if (axis == tensor.shape().rank()) {
      text += print_element(tensor, first, true);
      return;
    }
    auto size = tensor.shape()[axis];
    text += '[';
    for (int64_t i = 0; i < std::min(limit, size); ++i) {
      if (i > 0) space(axis);
      print_axis(axis + 1, first + i * strides[axis]);
    }
    if (size - limit > limit) {
      space(axis);
      text += "...";
    }
    for (auto i = std::max(limit, size - limit); i < size; ++i) {
      space(axis);
      print_axis(axis + 1, first + i * strides[axis]);
    }
    text += ']';
  }
};

/// "[1 2 3] [4]", with that between two tensors.
std::string show_all(Launch& launch, int64_t most, const char* between) {
  std::string text;
  for (int i = 1; i < launch.input_count(); ++i)
    text += (i > 1 ? between : "") + ("[" + show_first(launch.input(i), most) + "]");
  return text;
}

Result<Kernel> make_assert(const Node& node) {
  return Kernel{.compute = [most = node.attr<int64_t>("summarize")](Launch& launch) {
    const auto& condition = launch.input(0);
    if (!condition.shape().is_scalar())
      return invalid_argument(
          "the condition must have rank 0, but has shape " + condition.shape().to_string());
    if (condition.value<bool>()) return Status();
    return invalid_argument("assertion failed: " + show_all(launch, most, " "));
  }};
}

Result<Kernel> make_print(const Node& node) {
  auto times = std::make_shared<std::atomic<int64_t>>(0);
  return Kernel{
      .compute = [times, first_n = node.attr<int64_t>("first_n"),
                  most = node.attr<int64_t>("summarize"),
                  message = node.attr<std::string>("message")](Launch& launch) {
        if (first_n < 0 || times->fetch_add(1, std::memory_order_relaxed) < first_n)
          std::cerr << message + show_all(launch, most, "") + "\n" << std::flush;
        launch.set(0, launch.take_input(0));
        return Status();
      }};
}

/// The input of rank 0 of PrintV2, and what ends it.
Result<std::string> ended_text(Launch& launch, const std::string& end) {
  const auto& text = launch.input(0);
  if (text.shape().is_scalar()) return text.value<std::string>() + end;
  return invalid_argument("the input must have rank 0, but has shape " + text.shape().to_string());
}

Result<Kernel> make_file_print(std::string path, std::string end) {
  constexpr int64_t disk_ns = 10'000'000;
  return Kernel{
      .compute =
          [path = std::move(path), end = std::move(end)](Launch& launch) {
            auto text = ended_text(launch, end);
            return text ? append_file(path, *text) : text.status();
          },
      .cost_ns = [](const Launch&) { return disk_ns; }};
}

Result<Kernel> make_print_v2(const Node& node) {
  constexpr std::string_view file = "file://";
  const auto& target = node.attr<std::string>("output_stream");
  if (target.starts_with(file))
    return make_file_print(target.substr(file.size()), node.attr<std::string>("end"));
  auto* stream = target == "stdout" ? &std::cout : &std::cerr;
  return Kernel{.compute = [stream, end = node.attr<std::string>("end")](Launch& launch) {
    auto text = ended_text(launch, end);
    if (text) *stream << *text << std::flush;
    return text.status();
  }};
}

Result<Kernel> make_string_format(const Node& node) {
  return Kernel{
      .compute = [text = node.attr<std::string>("template"),
                  mark = node.attr<std::string>("placeholder"),
                  most = node.attr<int64_t>("summarize")](Launch& launch) {
        std::string result;
        size_t begin = 0;
        for (int i = 0; i < launch.input_count(); ++i) {
          auto at = text.find(mark, begin);
          result += text.substr(begin, at - begin) + show_ends(launch.input(i), most);
          begin = at + mark.size();
        }
        launch.set(0, Tensor::string(result + text.substr(begin)));
        return Status();
      }};
}

}  // namespace

std::string show_first(const Tensor& tensor, int64_t most) {
  auto limit = most < 0 ? tensor.elements() : std::min(most, tensor.elements());
  FirstElements first{.tensor = tensor, .limit = limit};
  if (!tensor.shape().is_scalar()) first.print_axis(0);
  else if (limit > 0) first.text = print_element(tensor, 0, false);
  return first.text + (tensor.elements() > limit ? "..." : "");
}

std::string show_ends(const Tensor& tensor, int64_t most) {
  auto limit = most < 0 ? tensor.elements() : std::min(most, tensor.elements());
  if (tensor.shape().is_scalar()) return limit > 0 ? print_element(tensor, 0, true) : "...";
  EndsOfAxes ends{.tensor = tensor, .limit = limit};
  ends.print_axis(0, 0);
  return ends.text;
}

void add_printing_kernels(KernelCatalog& catalog) {
  catalog.add("Assert", make_assert);
  catalog.add("Print", make_print);
  catalog.add("PrintV2", make_print_v2);
  catalog.add("StringFormat", make_string_format);
}

}  // namespace troupe::cpu
