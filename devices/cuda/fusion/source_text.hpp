#pragma once

#include <string>

#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/types/dtype.hpp"

namespace troupe::cuda {

// What the sources of all fused kernels are made of. Values are named v0, v1 and so on, as operands
// and parts are numbered, the operands' memory x0, x1.

inline const char* type_text(DType dtype) {
  switch (dtype) {
    case DType::float64: return "double";
    case DType::float16: return "Half";
    case DType::bfloat16: return "Brain";
    default: return "float";
  }
}

inline std::string value_text(size_t index) { return "v" + std::to_string(index); }

/// The call of an element-wise part's function, rounded as if it were stored.
inline std::string part_text(const fusion::Part& part) {
  std::string arguments;
  for (auto operand : part.operands)
    arguments += (arguments.empty() ? "" : ", ") + value_text(static_cast<size_t>(operand));
  return "widen(Narrow<T>::of(" + part.op + "()(" + arguments + ")))";
}

}  // namespace troupe::cuda
