#pragma once

#include <cstdint>
#include <string>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

/// The first `most` elements, row by row, as TensorFlow's Print and Assert show them: "1 2 3...",
/// "[1 2][3 4]". A negative number shows all.
std::string show_first(const Tensor& tensor, int64_t most);

/// `most` elements at both ends of each axis, in brackets and lines, as StringFormat shows them:
/// "[1 2 3 ... 7 8 9]". A negative number shows all.
std::string show_ends(const Tensor& tensor, int64_t most);

// The part of the checks family that prints.
void add_printing_kernels(KernelCatalog& catalog);  // Assert, Print, PrintV2, StringFormat

}  // namespace troupe::cpu
