#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/types/shape.hpp"

namespace troupe {

/// The equation of an Einsum, such as "...ij,jk->...ik": labels for the axes of each operand and of
/// the result. A label that the result lacks is summed over; one that comes twice takes a diagonal.
struct EinsumEquation {
  /// In labels, '.' stands for an ellipsis: any number of axes, which are broadcast together.
  static constexpr char ellipsis = '.';

  std::vector<std::string> operands;
  std::string result;

  /// Fails, naming what is wrong, unless it is an equation for that many operands, 1 or 2.
  static Result<EinsumEquation> parse(std::string_view equation, int operand_count);

  /// The same with the labels in their usual form.
  std::string to_string() const;
};

/// What the shapes of its operands say of an equation.
struct EinsumSizes {
  std::array<int64_t, 128> of_label{};  // at the label's character
  Shape ellipsis;                       // broadcast together; of unknown rank where it is unknown

  /// Fails where an operand has not the rank, or a label not one size everywhere.
  static Result<EinsumSizes> of(const EinsumEquation& equation, const Shapes& operands);

  /// Fails where the result would have too many axes, or no place for those of the ellipsis.
  Result<Shape> result(const EinsumEquation& equation) const;
};

}  // namespace troupe
