#include "troupe/devices/cpu/linalg/diagonal_input.hpp"

#include <string>

#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {

DiagonalAlign align_of(const Node& node, DiagonalVersion version) {
  // The second version has no attribute: its diagonals begin at the left.
  return version == DiagonalVersion::third ? DiagonalAlign::of(node.attr<std::string>("align"))
                                           : DiagonalAlign{};
}

Result<DiagonalBand> band_of(const Launch& launch, int input, DiagonalVersion version) {
  if (version == DiagonalVersion::first) return DiagonalBand{};
  auto given = IntInput::of(launch.input(input));
  if (!given) return given.status();
  return DiagonalBand::of(given->values());
}

Result<MatrixSizes> read_matrix_sizes(const Launch& launch, DiagonalVersion version) {
  MatrixSizes sizes;
  if (version == DiagonalVersion::first) return sizes;
  for (int i : {2, 3}) {
    if (!launch.input(i).shape().is_scalar())
      return invalid_argument(
          "input " + std::to_string(i) + " must be a scalar, but is " +
          launch.input(i).shape().to_string());
    (i == 2 ? sizes.rows : sizes.columns) = launch.input(i).value<int32_t>();
  }
  return sizes;
}

Result<KeptBand> read_kept_band(const Launch& launch) {
  const auto& shape = launch.input(0).shape();
  if (shape.rank() < 2)
    return invalid_argument("input 0 must have at least rank 2, but is " + shape.to_string());
  auto rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
  int64_t kept[2];
  for (int i : {0, 1}) {
    auto given = IntInput::of(launch.input(1 + i));
    if (!given) return given.status();
    if (!launch.input(1 + i).shape().is_scalar())
      return invalid_argument(
          "input " + std::to_string(1 + i) + " must be a scalar, but is " +
          launch.input(1 + i).shape().to_string());
    auto most = i == 0 ? rows : columns;
    kept[i] = (*given)[0] < 0 ? most : (*given)[0];
    if (kept[i] > most)
      return invalid_argument(
          std::string(i == 0 ? "'num_lower'" : "'num_upper'") + " must be at most " +
          std::to_string(most) + ", but is " + std::to_string(kept[i]));
  }
  return KeptBand{rows, columns, kept[0], kept[1]};
}

}  // namespace troupe::cpu
