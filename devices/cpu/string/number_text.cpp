#include "troupe/devices/cpu/string/number_text.hpp"

#include <locale.h>
#include <stdlib.h>
#include <charconv>

#include "troupe/devices/cpu/string/strings.hpp"

namespace troupe::cpu {
namespace {

/// For a function of the kind of strtod_l. Beyond the range of the type it gives infinity or 0.
template <class T>
bool read_float(const std::string& text, T& number, T (*read)(const char*, char**, locale_t)) {
  // Gives the same numbers faster, but does not read all texts.
  const auto* text_end = text.data() + text.size();
  if (auto [end, error] = std::from_chars(text.data(), text_end, number);
      error == std::errc() && end == text_end)
    return true;
  static const auto plain = newlocale(LC_ALL_MASK, "C", nullptr);
  char* end = nullptr;
  number = read(text.c_str(), &end, plain);
  auto length = static_cast<size_t>(end - text.c_str());
  return length > 0 && strip(std::string_view(text).substr(length)).empty();
}

template <class T>
bool read_integer(const std::string& text, T& number) {
  auto digits = strip(text);
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size();
}

}  // namespace

bool read_number(const std::string& text, float& number) {
  return read_float<float>(text, number, strtof_l);
}
bool read_number(const std::string& text, double& number) {
  return read_float<double>(text, number, strtod_l);
}
bool read_number(const std::string& text, int32_t& number) { return read_integer(text, number); }
bool read_number(const std::string& text, int64_t& number) { return read_integer(text, number); }

}  // namespace troupe::cpu
