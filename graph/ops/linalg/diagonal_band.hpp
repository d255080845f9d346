#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "troupe/graph/types/shape.hpp"

namespace troupe {

/// Where shorter diagonals lie among the columns of packed ones: at their left or right end.
struct DiagonalAlign {
  bool super_left = true;  // diagonals above the main one
  bool sub_left = true;    // and below it

  /// "RIGHT_LEFT": those above to the right, those below to the left.
  static DiagonalAlign of(std::string_view text) {
    return {text.starts_with("LEFT"), text.ends_with("LEFT")};
  }
  bool is_left(int64_t diagonal) const {
    return (diagonal >= 0 && super_left) || (diagonal <= 0 && sub_left);
  }
};

/// The diagonals from `lower` to `upper` of matrices: 0 is the main one, those above it positive.
/// Packed, they are rows from the upper on; a single one is a vector.
struct DiagonalBand {
  int64_t lower = 0, upper = 0;

  /// Of one number or of two.
  static Result<DiagonalBand> of(std::span<const int64_t> k);

  int64_t count() const { return upper - lower + 1; }
  /// The elements of the longest diagonal in a matrix of that size.
  int64_t length(int64_t rows, int64_t columns) const {
    return std::max<int64_t>(
        0, std::min(rows + std::min<int64_t>(upper, 0), columns - std::max<int64_t>(lower, 0)));
  }

  /// The shape of the packed diagonals of matrices; sizes may be unknown. Fails where a diagonal
  /// lies outside.
  Result<Shape> diagonals_of(const Shape& matrices) const;
  /// The shape of the matrices that have those packed diagonals: with `rows` and `columns`, or
  /// where they are -1 as few as there can be. Fails where these do not fit.
  Result<Shape> matrices_of(const Shape& diagonals, int64_t rows, int64_t columns) const;
};

/// [a, b] to [a, b, a, b].
Result<Shape> outer_diagonal(const Shape& shape);
/// [a, b, a, b] to [a, b].
Result<Shape> diagonal_part(const Shape& shape);

}  // namespace troupe
