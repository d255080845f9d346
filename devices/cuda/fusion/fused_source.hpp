#pragma once

#include <string>
#include <vector>

#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/types/dtype.hpp"

namespace troupe::cuda {

/// How an operand of a fused kernel is read: an element for each of the result, one for all, or by
/// a walk over it.
enum class FusedOperand : uint8_t { each, one, walked };

/// The source of the kernel `fused` that computes the parts in one pass: of
/// (T* out, const T* x0, ..., int64_t count), and a StridedWalk over the operands that are walked,
/// if there are any. The result's memory may be that of an operand that has an element for each.
std::string fused_source(
    const std::vector<fusion::Part>& parts, DType dtype, const std::vector<FusedOperand>& operands);

}  // namespace troupe::cuda
