#pragma once

#include <cstdint>
#include <optional>

#include "troupe/devices/cpu/data/dataset_kernel.hpp"

namespace troupe::cpu {

/// How iterations begin over a dataset that shuffles anew each time, `count` times; -1: without
/// end. Nothing where it is no such dataset. One source does both, as in TensorFlow 1.15, which
/// fuses the two: its order is another one than if shuffled datasets followed each other.
std::optional<Iterate> shuffled_and_repeated(const data::SharedDataset& input, int64_t count);

}  // namespace troupe::cpu
