#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

// What is `wide` has the numbers that elements are computed as, and all else elements. Cells are
// [batch, units]; gates [batch, 2 units], r and then u of each sequence; and inputs [batch,
// inputs].

struct GruSizes {
  int64_t batch, units, inputs;
};

/// One step of a gated unit.
struct GruStepCall {
  GruSizes sizes;
  const void *h_prev, *b_ru, *b_c;
  const void* of_input;  // wide: products of the inputs and their weights, gates or candidates
  const void* of_state;  // as of_input, of the state
  void* reset_state;     // cells: r h_prev
  void *r, *u, *c, *h;
  cudaStream_t stream;
};

/// The way back.
struct GruBackCall {
  GruSizes sizes;
  const void *h_prev, *r, *u, *c, *d_h;
  const void *d_reset_state,
      *by_candidate;  // wide: of the candidate, what it has from state, inputs
  const void *by_gates_to_state, *by_gates_to_inputs;  // wide: of the gates
  void *d_x, *d_h_prev, *d_c, *d_gates;
  cudaStream_t stream;
};

/// The element-wise parts, each of what the products before it gave. Null where the element has
/// none.
struct GruLaunches {
  /// r, u and reset_state of the products of gates; then c and h of those of candidates.
  void (*gates)(const GruStepCall& call) = nullptr;
  void (*candidates)(const GruStepCall& call) = nullptr;
  /// d_c and u's part of d_gates; then, by d_reset_state, that of r; then d_x and d_h_prev.
  void (*back_to_candidates)(const GruBackCall& call) = nullptr;
  void (*back_to_gates)(const GruBackCall& call) = nullptr;
  void (*back_to_state)(const GruBackCall& call) = nullptr;
};
GruLaunches find_gru(Element element);

}  // namespace troupe::cuda
