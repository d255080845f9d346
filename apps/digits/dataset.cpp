#include "troupe/apps/digits/dataset.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>

#include <zlib.h>

namespace troupe::digits {

namespace {

constexpr size_t row_count = 1797;
constexpr int darkest = 16;
constexpr size_t line_bytes_max = 64 * 3 + 2;  // "16," for each pixel, then the digit
constexpr size_t file_bytes_max = 2 * row_count * line_bytes_max;

Result<std::string> read_text(const std::string& file) {
  errno = 0;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(file.c_str(), "rb"), gzclose);
  if (!in) return not_found(file + ": " + std::strerror(errno));
  std::string text(file_bytes_max, '\0');
  int length = gzread(in.get(), text.data(), static_cast<unsigned>(text.size()));
  int code = Z_OK;
  const char* message = gzerror(in.get(), &code);
  // gzread() returns the readable part of a truncated file, and sets Z_BUF_ERROR.
  if (length < 0 || code == Z_BUF_ERROR)
    return invalid_argument(code == Z_ERRNO ? file + ": " + std::strerror(errno) : message);
  if (static_cast<size_t>(length) == text.size())
    return invalid_argument(file + ": longer than " + std::to_string(row_count) + " digits can be");
  text.resize(static_cast<size_t>(length));
  return text;
}

/// Removes the text up to `separator`, and the separator, from `rest`; returns the text.
std::string_view take(std::string_view& rest, char separator) {
  auto end = std::min(rest.find(separator), rest.size());
  auto first = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return first;
}

Result<int> parse_number(std::string_view text, int most) {
  int number = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > most)
    return invalid_argument(
        "'" + std::string(text) + "' where a number from 0 to " + std::to_string(most) +
        " was expected");
  return number;
}

Result<Digit> parse_line(std::string_view line) {
  auto value_count = 1 + std::ranges::count(line, ',');
  if (value_count != pixel_count + 1)
    return invalid_argument(
        std::to_string(value_count) + " values where 64 grey values and a digit were expected");
  Digit digit;
  for (auto& pixel : digit.pixels) {
    auto grey = parse_number(take(line, ','), darkest);
    if (!grey) return grey.status();
    pixel = static_cast<uint8_t>(*grey);
  }
  auto label = parse_number(line, class_count - 1);
  if (!label) return label.status();
  digit.label = static_cast<uint8_t>(*label);
  return digit;
}

}  // namespace

Result<Digits> read_digits(const std::string& file) {
  auto text = read_text(file);
  if (!text) return text.status();
  Digits digits;
  for (std::string_view rest = *text; !rest.empty();) {
    auto line = take(rest, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    auto digit = parse_line(line);
    if (!digit)
      return invalid_argument(
          file + ", line " + std::to_string(digits.size() + 1) + ": " + digit.status().message());
    digits.push_back(*digit);
  }
  if (digits.size() != row_count)
    return invalid_argument(
        file + ": " + std::to_string(digits.size()) + " lines where " + std::to_string(row_count) +
        " were expected");
  return digits;
}

Split split(Digits digits, int part_count, uint64_t seed) {
  std::ranges::shuffle(digits, std::mt19937_64(seed));
  auto held_out_count = digits.size() / 5;
  auto parts = static_cast<size_t>(part_count);
  std::span<const Digit> all = digits;
  auto rest = all.subspan(held_out_count);
  Split split;
  split.held_out.assign(all.begin(), all.begin() + static_cast<int64_t>(held_out_count));
  for (size_t i = 0; i < parts; ++i) {
    auto first = i * rest.size() / parts;
    auto part = rest.subspan(first, (i + 1) * rest.size() / parts - first);
    split.parts.emplace_back(part.begin(), part.end());
  }
  return split;
}

Batch make_batch(std::span<const Digit> digits) {
  auto rows = static_cast<int64_t>(digits.size());
  std::vector<float> images;
  std::vector<int64_t> labels;
  images.reserve(digits.size() * pixel_count);
  labels.reserve(digits.size());
  for (const auto& digit : digits) {
    for (auto pixel : digit.pixels) images.push_back(static_cast<float>(pixel) / darkest);
    labels.push_back(digit.label);
  }
  return {
      Tensor::of<float>({rows, pixel_count}, std::span<const float>(images)),
      Tensor::of<int64_t>({rows}, std::span<const int64_t>(labels))};
}

}  // namespace troupe::digits
