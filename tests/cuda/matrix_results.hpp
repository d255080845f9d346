#pragma once

#include <optional>
#include <string>

#include "troupe/tests/devices/reference/recorded_call.hpp"

namespace troupe::testing {

/// Whether an op decomposes matrices, or solves systems of them.
bool decomposes_matrices(const std::string& op);

/// Empty, or the first of the results of such an op that differs from those expected, by more than
/// a share of the greatest number of its matrix. Where other results are as good, as vectors of any
/// sign, they need not be those expected: they are to be orthonormal, or triangular, and their
/// product is to be the input.
std::string matrix_difference(
    const RecordedCall& call, const Tensors& got, const Tensors& expected);

/// Whether all that computes such an op must come to the same: its numbers are of usual size, and
/// no matrix that it inverts is nearly singular. Also where its inputs are not matrices.
bool is_well_conditioned(const RecordedCall& call);

}  // namespace troupe::testing
