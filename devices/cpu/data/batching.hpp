#pragma once

#include "troupe/devices/cpu/data/dataset_kernel.hpp"

namespace troupe::cpu {

struct BatchSize {
  int64_t rows;
  bool drops_remainder;
};

/// Inputs `at` and, behind it where `remainder` is not negative, that one: InvalidArgument unless
/// there is a row at least.
Result<BatchSize> batch_size_inputs(const Launch& launch, int at, int remainder);

/// Batches of the input, so many elements each. An element that could not be made is the error of
/// its batch, which is left out then: the next one has the elements that it would have had.
data::SharedSource batches_of_calls(
    const SharedIteration& iteration, data::SharedSource input, BatchSize size);

}  // namespace troupe::cpu
