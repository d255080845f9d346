#pragma once

#include <span>
#include <vector>

#include "troupe/graph/op.hpp"

namespace troupe::ops {

/// An argument of an op that computes a cell of a recurrent network. `axes` has a letter for each
/// axis of its shape: t the times of sequences, b the sequences of a batch, i the elements of an
/// input, u the units of the cell, w inputs and units together; 2 and 4: so many times the units.
struct CellArgument {
  const char* name;
  const char* axes;
};

/// The arguments of such an op, in order. A scalar is an int64; all else is of the dtype T.
struct CellArguments {
  std::vector<CellArgument> inputs, outputs;
};

/// A step of a memory cell, and its derivatives.
const CellArguments& lstm_cell();
const CellArguments& lstm_cell_grad();
/// All steps of one.
const CellArguments& block_lstm();
const CellArguments& block_lstm_grad();
/// A step of a gated unit, and its derivatives.
const CellArguments& gru_cell();
const CellArguments& gru_cell_grad();

/// The sizes that the letters stand for, as far as shapes tell.
struct CellSizes {
  int64_t times = Shape::unknown, batch = Shape::unknown;
  int64_t inputs = Shape::unknown, units = Shape::unknown;

  /// Fails, naming the argument, where a shape does not fit those before it.
  static Result<CellSizes> of(
      const std::vector<CellArgument>& arguments, std::span<const Shape> shapes);
  /// Fails where a tensor cannot have so many elements.
  Result<Shape> shape_of(const CellArgument& argument) const;
};

/// The op with those arguments, their dtype T, and shapes that must fit each other.
Op with_arguments(Op op, const CellArguments& arguments);

}  // namespace troupe::ops
