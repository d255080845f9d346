#pragma once

#include <string>
#include <vector>

#include "troupe/devices/cuda/fusion/row_layout.hpp"
#include "troupe/graph/types/dtype.hpp"

namespace troupe::cuda {

/// The source of the kernel `rows` that computes the parts row by row: of
/// (T* out, const T* x0, ..., int64_t rows, int64_t columns), and a StridedWalk over the operands
/// that are walked, if there are any. A row is read from memory once, and from the nearest cache
/// for each further reduction and for the result. The threads of a row, as lanes_for() says, have
/// the order of a reduction's. The result's memory may be that of an operand of its shape.
std::string rows_source(
    const std::vector<fusion::Part>& parts, DType dtype, const RowLayout& layout);

}  // namespace troupe::cuda
