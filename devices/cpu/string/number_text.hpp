#pragma once

#include <string>

namespace troupe::cpu {

/// Reads a number, perhaps with white space around it: a decimal integer, or for floats also what C
/// reads ("1e3", "0x1p3", "inf", "nan"). False where the text is none, or an integer too large.
bool read_number(const std::string& text, float& number);
bool read_number(const std::string& text, double& number);
bool read_number(const std::string& text, int32_t& number);
bool read_number(const std::string& text, int64_t& number);

}  // namespace troupe::cpu
