#pragma once

#include "troupe/devices/cpu/reduction/reduce.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu {

/// How vectors of T, if they can, or else its elements, are folded.
template <vector::Arithmetic operation, class Fold, class T>
FoldElements vector_fold_elements() {
  auto elements = fold_elements<Fold, T>();
  auto loops = vector::fold_loops(operation, elements.in);
  if (!loops.row) return elements;
  elements.fold_row = loops.row;
  elements.fold_each = elements.join = loops.each;
  elements.fold_rows = loops.rows;
  return elements;
}

}  // namespace troupe::cpu
