#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// A memory cell. In a row of the four gates of a sequence, each has `units` elements, one behind
/// the other; `input` to `output` say which place each has.
struct LstmCell {
  int64_t batch, units;
  int64_t input, cell, forget, output;
  bool has_peepholes;
  float forget_bias, clip;  // of the memory, if positive
};

struct LstmPeepholes {
  const void* wci;
  const void* wcf;
  const void* wco;
};

/// One time of all sequences. What is `wide` has the numbers that elements are computed as, and all
/// else elements: [batch, units], the bias [4 units].
struct LstmStepCall {
  LstmCell cell;
  LstmPeepholes peepholes;
  const void* bias;
  const void* of_input;  // wide, [batch, 4 units]: the products of the input and its weights
  const void* of_state;  // as of_input, of the last output
  const void* cs_before;
  void* memory;   // wide: cs between times, before it is rounded; null where elements are as wide
  bool is_first;  // time: there is no such memory yet
  void *i, *cs, *f, *o, *ci, *co, *h;
  cudaStream_t stream;
};

/// One time of the way back.
struct LstmBackCall {
  LstmCell cell;
  LstmPeepholes peepholes;
  const void *i, *cs, *f, *o, *ci, *co;
  const void* cs_before;
  const void *cs_grad, *h_grad;
  bool is_last;        // time: nothing has come back to it
  const void* h_back;  // wide: the derivatives of h by way of the next time; null for none
  void* cs_back;       // wide: those of cs, and then those of cs_before
  void* gates;         // [batch, 4 units]: the derivatives of the sums that go into the gates
  void* cs_prev_grad;  // what cs_back is then, as elements; null for none
  /// wide, [batch, 3, units]: the products whose sums are the derivatives of wci, wcf and wco; null
  /// for none.
  void* of_peepholes;
  cudaStream_t stream;
};

/// Writes `sums`, wide, [3, units], as elements to one tensor each.
struct LstmPeepholeCall {
  int64_t units;
  const void* sums;
  void *wci, *wcf, *wco;
  cudaStream_t stream;
};

/// Null where the element has none. There are cells.
struct LstmLaunches {
  void (*step)(const LstmStepCall& call) = nullptr;
  void (*back)(const LstmBackCall& call) = nullptr;
  void (*peepholes)(const LstmPeepholeCall& call) = nullptr;
};
LstmLaunches find_lstm(Element element);

}  // namespace troupe::cuda
