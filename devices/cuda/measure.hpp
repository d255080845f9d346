#pragma once

#include <functional>

#include "troupe/devices/cuda/launch.hpp"

namespace troupe::cuda {

/// Whether libraries' algorithms for one thing are measured where a shape is first met, so that
/// the fastest is taken from then on: unless TROUPE_CUDA_MEASURE=0, with which the library's first
/// proposal is taken, and rounding is the same in each process.
bool measures_algorithms();

/// Whether the launch's stream is captured, and does nothing now.
bool is_captured(const Launch& launch);

/// The index of the piece of work that takes the card the least time, of those that can be put on
/// the launch's stream; 0 where none can. Waits for the card. While the stream is captured, or with
/// one piece, it is 0 at once.
size_t find_fastest(
    const Launch& launch, size_t count, const std::function<Status(size_t index)>& put);

}  // namespace troupe::cuda
