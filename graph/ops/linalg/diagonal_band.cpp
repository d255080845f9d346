#include "troupe/graph/ops/linalg/diagonal_band.hpp"

#include <string>
#include <vector>

namespace troupe {
namespace {

Status check_diagonal_inside(int64_t diagonal, int64_t rows, int64_t columns) {
  auto is_inside = (rows < 0 || diagonal > -rows) && (columns < 0 || diagonal < columns);
  if (is_inside || diagonal == 0) return {};
  return invalid_argument(
      "diagonal " + std::to_string(diagonal) + " lies outside of a matrix of " +
      std::to_string(rows) + " rows and " + std::to_string(columns) + " columns");
}

Status check_matrix_size(int64_t rows, int64_t columns, int64_t least_rows, int64_t least_columns) {
  auto size = std::to_string(rows) + " rows and " + std::to_string(columns) + " columns";
  auto least = std::to_string(least_rows) + " rows and " + std::to_string(least_columns);
  if (rows < least_rows || columns < least_columns)
    return invalid_argument(
        "a matrix of " + size + " is too small for its diagonals, which need " + least +
        " columns");
  if (rows != least_rows && columns != least_columns)
    return invalid_argument(
        "a matrix of " + size + " has longer diagonals than those given, which need " + least +
        " columns");
  return {};
}

}  // namespace

Result<DiagonalBand> DiagonalBand::of(std::span<const int64_t> k) {
  if (k.empty() || k.size() > 2)
    return invalid_argument(
        "'k' must have one or two elements, not " + std::to_string(k.size()));
  DiagonalBand band{k.front(), k.back()};
  if (band.lower > band.upper)
    return invalid_argument(
        "the lower diagonal " + std::to_string(band.lower) + " of 'k' lies above the upper one, " +
        std::to_string(band.upper));
  return band;
}

Result<Shape> DiagonalBand::diagonals_of(const Shape& matrices) const {
  if (!matrices.has_rank()) return matrices;
  if (matrices.rank() < 2)
    return invalid_argument("input 0 must have at least rank 2, but is " + matrices.to_string());
  auto rows = matrices[matrices.rank() - 2], columns = matrices[matrices.rank() - 1];
  for (auto diagonal : {lower, upper})
    if (auto status = check_diagonal_inside(diagonal, rows, columns); !status.ok()) return status;
  auto sizes = std::vector<int64_t>(matrices.sizes().begin(), matrices.sizes().end() - 2);
  if (count() > 1) sizes.push_back(count());
  sizes.push_back(rows < 0 || columns < 0 ? Shape::unknown : length(rows, columns));
  return Shape::make(sizes);
}

Result<Shape> DiagonalBand::matrices_of(
    const Shape& diagonals, int64_t rows, int64_t columns) const {
  if (!diagonals.has_rank()) return diagonals;
  auto packed_rank = count() > 1 ? 2 : 1;
  if (diagonals.rank() < packed_rank)
    return invalid_argument(
        "input 0 must have at least rank " + std::to_string(packed_rank) + ", but is " +
        diagonals.to_string());
  auto batches = diagonals.rank() - packed_rank;
  if (packed_rank == 2 && diagonals[batches] >= 0 && diagonals[batches] != count())
    return invalid_argument(
        "input 0 must have " + std::to_string(count()) + " diagonals, but is " +
        diagonals.to_string());
  auto length = diagonals[diagonals.rank() - 1];
  if (length >= 0) {
    auto least_rows = length - std::min<int64_t>(upper, 0);
    auto least_columns = length + std::max<int64_t>(lower, 0);
    auto square = std::max(least_rows, least_columns);
    auto are_both_open = rows == -1 && columns == -1;
    if (rows == -1) rows = are_both_open ? square : least_rows;
    if (columns == -1) columns = are_both_open ? square : least_columns;
    auto status = check_matrix_size(rows, columns, least_rows, least_columns);
    if (!status.ok()) return status;
  }
  std::vector<int64_t> sizes(diagonals.sizes().begin(), diagonals.sizes().begin() + batches);
  sizes.push_back(std::max(rows, Shape::unknown));
  sizes.push_back(std::max(columns, Shape::unknown));
  return Shape::make(sizes);
}

Result<Shape> outer_diagonal(const Shape& shape) {
  if (!shape.has_rank()) return shape;
  if (shape.is_scalar())
    return invalid_argument("input 0 must have at least rank 1, but is a scalar");
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  sizes.insert(sizes.end(), shape.sizes().begin(), shape.sizes().end());
  return Shape::make(sizes);
}

Result<Shape> diagonal_part(const Shape& shape) {
  if (!shape.has_rank()) return shape;
  auto half = shape.rank() / 2;
  if (shape.is_scalar() || shape.rank() % 2 != 0)
    return invalid_argument(
        "input 0 must have an even rank other than 0, but is " + shape.to_string());
  auto first = shape.sizes().first(static_cast<size_t>(half));
  auto merged = Shape(first).merge(Shape(shape.sizes().subspan(static_cast<size_t>(half))));
  if (!merged)
    return invalid_argument(
        "the sizes of input 0 must come twice in the same order, but are " + shape.to_string());
  return merged;
}

}  // namespace troupe
