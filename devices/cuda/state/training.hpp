#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// One update of variables. Old and fresh memory may be the same. With indices, of rows of so many
/// elements, the gradient has a row for each; indices of one row follow each other, and those of
/// none are passed over.
struct TrainingCall {
  static constexpr int variables_max = 4, scalars_max = 8;

  const void* old[variables_max]{};
  void* fresh[variables_max]{};
  const void* gradient = nullptr;
  const void* scalars[scalars_max]{};  // on the card; null: the scalar is in `values`
  bool is_long[scalars_max]{};         // an int64, else of the variables' dtype
  double values[scalars_max]{};
  int scalar_count = 0;
  bool flag = false;
  int64_t count = 0;  // elements of the gradient
  const void* indices = nullptr;
  bool has_long_indices = false;
  int64_t index_count = 0, rows = 0, row_size = 0;  // rows: of the variables
  // Null, or of many indices where each was before they were sorted: those of one row lie side by
  // side in their order.
  const int32_t* places = nullptr;
  cudaStream_t stream = nullptr;
};
/// Of more indices than these a row's are found in sorted ones, of fewer by looking at all.
inline constexpr int64_t unsorted_indices_max = 256;

using LaunchTraining = void (*)(const TrainingCall& call);

/// The function of a rule, by the name of its op without ResourceApply; null where there is none.
LaunchTraining find_training(std::string_view rule, Element element);

}  // namespace troupe::cuda
