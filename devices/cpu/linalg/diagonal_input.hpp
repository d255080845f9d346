#pragma once

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/ops/linalg/diagonal_band.hpp"

namespace troupe::cpu {

// What the inputs of ops on diagonals say, checked.

/// Which form of an op: the first knows the main diagonal only, the third how to align.
enum class DiagonalVersion : uint8_t { first = 1, second, third };

DiagonalAlign align_of(const Node& node, DiagonalVersion version);
Result<DiagonalBand> band_of(const Launch& launch, int input, DiagonalVersion version);

/// The size of MatrixDiag's matrices, unknown where it follows from the diagonals.
struct MatrixSizes {
  int64_t rows = Shape::unknown, columns = Shape::unknown;
};
Result<MatrixSizes> read_matrix_sizes(const Launch& launch, DiagonalVersion version);

/// What MatrixBandPart keeps of matrices: so many elements of each row before the diagonal, and
/// behind it.
struct KeptBand {
  int64_t rows, columns, lower, upper;
};
Result<KeptBand> read_kept_band(const Launch& launch);

/// The diagonals of matrices of one size, and where they lie packed.
struct DiagonalWalk {
  int64_t rows, columns;
  DiagonalBand band;
  DiagonalAlign align;

  int64_t matrix_size() const { return rows * columns; }
  int64_t packed_size() const { return band.count() * band.length(rows, columns); }

  /// Calls f(matrix element, packed element, count) for each diagonal of a matrix: the offsets of
  /// its first element in both, of `count` that are columns + 1 and 1 apart; and `padding` with
  /// the packed elements before and after it.
  template <class F, class P>
  void each(int64_t matrix, const F& f, const P& padding) const {
    auto width = band.length(rows, columns);
    auto packed = matrix * packed_size();
    for (auto d = band.upper; d >= band.lower; --d, packed += width) {
      auto length = DiagonalBand{d, d}.length(rows, columns);
      auto start = align.is_left(d) ? 0 : width - length;
      padding(packed, start);
      padding(packed + start + length, width - start - length);
      auto first = d >= 0 ? d : -d * columns;
      if (length > 0) f(matrix * matrix_size() + first, packed + start, length);
    }
  }
};

}  // namespace troupe::cpu
