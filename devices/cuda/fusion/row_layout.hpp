#pragma once

#include <optional>
#include <span>
#include <vector>

#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/types/shape.hpp"

namespace troupe::cuda {

/// How an operand of fused rows is read: an element for each of theirs, one for each row, one for
/// each column, one for all, or by a walk over it.
enum class RowOperand : uint8_t { each, row, column, one, walked };

/// What a kernel of fused rows knows of shapes: a row is what the last axes of `whole` hold.
struct RowLayout {
  Shape whole, result;
  int64_t rows = 0, columns = 0;
  std::vector<RowOperand> operands = {};
  /// Of operands, axes and parts, in the order of their numbers: whether values of one row differ.
  std::vector<bool> varies = {};

  bool operator==(const RowLayout&) const = default;
};

/// The shapes of the operands of such a node, what it reduces, and whether the last part, if that
/// is a reduction, keeps it.
struct RowShapes {
  std::span<const Shape> operands;
  std::span<const int64_t> axes;
  bool keeps_dims = true;
};

/// Nothing where the parts are not to be computed row by row: where their shapes do not fit, the
/// axes are not the last ones, or a reduction by itself shares its work otherwise among threads, as
/// of few long rows. So sums have the bits that a reduction's have.
std::optional<RowLayout> layout_rows(
    const std::vector<fusion::Part>& parts, const RowShapes& given);

}  // namespace troupe::cuda
