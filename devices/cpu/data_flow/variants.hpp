#pragma once

#include "troupe/devices/cpu/state/element_rows.hpp"

namespace troupe::cpu {

/// ZerosLike and AddN of tensors of variants: lists of tensors, and optionals. What is added has
/// the same dtypes and shapes, and the same number of tensors. All errors are InvalidArgument.
Status zero_variants(Launch& launch, const ElementRows& rows);
Status sum_variants(Launch& launch, const ElementRows& rows);

}  // namespace troupe::cpu
