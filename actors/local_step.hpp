#pragma once

#include <memory>

#include "troupe/actors/local_line.hpp"
#include "troupe/graph/session.hpp"

namespace troupe {

/// Starts the step of a Run or RunCallable, which lacks its id and callbacks.
std::unique_ptr<PendingStep> start_local_step(const SharedLine& line, Run run);
std::unique_ptr<PendingStep> start_local_step(const SharedLine& line, RunCallable run);

}  // namespace troupe
