#include "troupe/graph/support/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace troupe {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// n where the unit stands for 2^n.
std::optional<int> exponent_of(std::string_view unit) {
  if (unit.empty() || unit == "B") return 0;
  auto letter = std::string_view("KMGT").find(unit[0]);
  auto rest = unit.substr(1);
  bool is_known = rest.empty() || rest == "B" || rest == "i" || rest == "iB";
  if (letter == std::string_view::npos || !is_known) return {};
  return 10 * (static_cast<int>(letter) + 1);
}

}  // namespace

std::string quote(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string_view trim(std::string_view text) {
  constexpr auto blanks = " \t\r\n";
  auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    auto end = text.find(separator);
    parts.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<int> parse_number(std::string_view text) {
  // from_chars() takes a sign and stops at what it does not know.
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return {};
  int number = 0;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() ? std::optional(number) : std::nullopt;
}

std::optional<uint64_t> parse_bytes(std::string_view text) {
  // from_chars() takes a sign, and words such as "inf".
  if (text.empty() || !is_digit(text[0])) return {};
  double number = 0;
  auto* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  auto exponent = exponent_of(trim({parsed.ptr, end}));
  if (parsed.ec != std::errc() || !exponent) return {};
  auto bytes = std::ldexp(number, *exponent);
  if (bytes >= 0x1p64) return {};
  return static_cast<uint64_t>(bytes);
}

std::string decimal_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

std::string seconds_text(std::chrono::duration<double> time) {
  return decimal_text(time.count()) + " s";
}

}  // namespace troupe
