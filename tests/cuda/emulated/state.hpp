#pragma once

#include <cuda_runtime_api.h>

namespace troupe::emulated {

inline constexpr int cards = 2;
inline constexpr size_t card_bytes = size_t{4} << 30;

/// The card that the calls of this thread are for.
int current_card();

/// The error, which cudaGetLastError() returns on this thread once.
cudaError_t failed(cudaError_t error);

}  // namespace troupe::emulated
