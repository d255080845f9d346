#pragma once

#include <string>

#include "troupe/graph/step_explanation.hpp"

namespace troupe {

/// An explanation as a table for people: a line for the step, for each device, for each transfer
/// and for each node.
std::string to_table(const StepExplanation& explanation);

/// The same as JSON, with times in nanoseconds: {"placement", "predicted_ns", "devices", "nodes",
/// "transfers"}.
std::string to_json(const StepExplanation& explanation);

}  // namespace troupe
