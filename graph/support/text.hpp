#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// 'text', as errors show what they were given.
std::string quote(std::string_view text);

/// Without the blanks and line ends around it.
std::string_view trim(std::string_view text);

/// With the letters of ASCII in lower case.
std::string lower_case(std::string_view text);

/// The trimmed parts between separators; one more part than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator);

/// A number from 0; nothing unless the whole text is digits and fits an int.
std::optional<int> parse_number(std::string_view text);

/// A size: digits, perhaps with a fraction, perhaps followed by K, M, G or T for a power of 1024,
/// alone or as in "MiB", "Mi" and "MB". Nothing for any other text, or where it does not fit.
std::optional<uint64_t> parse_bytes(std::string_view text);

/// "2.5", with one digit.
std::string decimal_text(double number);

/// "2.5 s", for messages.
std::string seconds_text(std::chrono::duration<double> time);

}  // namespace troupe
