#pragma once

#include <optional>
#include <string>
#include <vector>

#include "troupe/tests/devices/reference/call_graph.hpp"

namespace troupe::testing {

/// What a call of an op made of its inputs.
struct CallResult {
  Status status;
  Tensors outputs;
  Tensors variables;
};
CallResult run_call(const RecordedCall& call, GraphRunner& runner);

/// Empty, or the first of a card's results that differs from those expected: a card adds in another
/// order, and has functions of its own. `tolerance`: at least so much more is allowed.
std::string first_difference(
    const RecordedCall& call, const CallResult& got, const Tensors& outputs,
    const Tensors& variables, double tolerance = 0);

/// The ops that the library of cards has kernels for.
std::vector<std::string> ops_of_card();

}  // namespace troupe::testing
