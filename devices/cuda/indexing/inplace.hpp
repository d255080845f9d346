#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Changes rows of a tensor by others: row `rows[i]` by row i of `by`, one after the other.
struct InplaceCall {
  void* to;  // [row_count, row_size]
  const void* by;
  const int32_t* rows;
  int64_t* wrapped;  // memory for `count`: those modulo the number of rows
  int64_t count, row_count, row_size;
  // Of the wrapped numbers in order:
  const int64_t* sorted = nullptr;
  const int32_t* places = nullptr;  // where each was; those of equal ones are in their order
  cudaStream_t stream = nullptr;
};
void launch_wrap_rows(const InplaceCall& call);

enum class InplaceRule : uint8_t { replace, add, subtract };
using LaunchInplace = void (*)(const InplaceCall& call);
/// Null where there is none.
LaunchInplace find_inplace(Element element, InplaceRule rule);
/// Replaces rows of elements of so many bytes.
void launch_inplace_update(const InplaceCall& call, int size);

}  // namespace troupe::cuda
