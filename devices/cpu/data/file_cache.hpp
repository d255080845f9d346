#pragma once

#include <filesystem>

#include "troupe/devices/cpu/data/dataset_kernel.hpp"

namespace troupe::cpu {

/// The elements that the file keeps; where there is no such file, those of the input, which the
/// file keeps from when all of them have come without an error on. Iterations that begin before
/// that each write a file of their own, and the last one stays. InvalidArgument: the file keeps
/// others than elements of these dtypes.
Result<data::SharedSource> iterate_cached(
    const std::filesystem::path& file, const data::SharedDataset& input,
    const SharedIteration& iteration);

}  // namespace troupe::cpu
