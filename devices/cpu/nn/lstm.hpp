#pragma once

#include "troupe/devices/cpu/nn/cells.hpp"

namespace troupe::cpu {

/// What a node says of a memory cell.
struct LstmNode {
  bool is_block;  // all times of sequences, else one
  bool has_peepholes;
  float forget_bias = 0, cell_clip = 0;
  /// Where in a row of four gates the input gate, the new memory, the forget gate and the output
  /// gate begin, in units.
  int64_t input = 0, cell = 1, forget = 2, output = 3;

  static LstmNode of(const Node& node);

  /// The position of input `x`, behind which are the others.
  int first() const { return is_block ? 1 : 0; }
};

struct LstmSizes {
  ops::CellSizes sizes;  // of one time, where there is one only
  int64_t steps = 1;     // the times that count

  /// Fails where the shapes of the inputs do not fit the arguments, or there are not so many times.
  static Result<LstmSizes> of(
      const Launch& launch, const LstmNode& node, const ops::CellArguments& arguments);

  /// The elements of all four gates of a sequence at a time.
  int64_t gates() const { return 4 * sizes.units; }
  /// The elements of a unit each of all sequences at a time.
  int64_t cells() const { return sizes.batch * sizes.units; }
};

template <class T>
struct LstmInputs : LstmSizes {
  const T *x, *cs_prev, *h_prev, *w, *wci, *wcf, *wco, *b;

  /// As LstmSizes::of().
  static Result<LstmInputs> of(
      const Launch& launch, const LstmNode& node, const ops::CellArguments& arguments);

  CellMatrix<T> inputs_of_steps() const { return {x, steps * sizes.batch, sizes.inputs}; }
  CellMatrix<T> input_weights() const { return {w, sizes.inputs, gates()}; }
  CellMatrix<T> state_weights() const { return {w + sizes.inputs * gates(), sizes.units, gates()}; }
};

/// The work of a unit at a time, in elements of a cheap operation.
inline constexpr int64_t lstm_unit_work = 40;

void add_lstm_gradient_kernels(KernelCatalog& catalog);  // LSTMBlockCellGrad, BlockLSTMGrad(V2)

}  // namespace troupe::cpu
