#pragma once

#include <cuda_runtime_api.h>

namespace troupe::emulated {

inline constexpr int cards = 2;
inline constexpr size_t card_bytes = size_t{4} << 30;

/// The card that the calls of this thread are for.
int current_card();

/// The error, which cudaGetLastError() returns on this thread once.
cudaError_t failed(cudaError_t error);

/// Whether the thread captures, and so must not call what may wait for the card: CUDA refuses that,
/// and the capture is lost. Not where it has said that it knows (cudaStreamCaptureModeRelaxed).
bool is_forbidden_now();

/// The same for what can be put on a stream, but not be captured.
bool cannot_be_captured(cudaStream_t stream);

}  // namespace troupe::emulated
