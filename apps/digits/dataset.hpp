#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::digits {

constexpr int pixel_count = 64;
constexpr int class_count = 10;

/// A handwritten digit: 8 x 8 grey values from 0 (white) to 16 (black), row by row, and its label.
struct Digit {
  std::array<uint8_t, pixel_count> pixels;
  uint8_t label;
};

using Digits = std::vector<Digit>;

/// Reads the digits of a CSV file, gzipped or not: 1797 lines of 64 grey values and a label. An
/// error names the file, the line, and what was expected there.
Result<Digits> read_digits(const std::string& file);

/// The rows that each worker trains on, and the rows for the evaluation.
struct Split {
  std::vector<Digits> parts;
  Digits held_out;
};

/// Shuffles, holds out a fifth, and divides the rest evenly. The same seed holds out the same
/// digits, whatever the number of parts.
Split split(Digits digits, int part_count, uint64_t seed);

/// Digits as a step is fed with them: float32[rows,64] between 0 and 1, and int64[rows].
struct Batch {
  Tensor images;
  Tensor labels;
};

Batch make_batch(std::span<const Digit> digits);

}  // namespace troupe::digits
