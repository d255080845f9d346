#pragma once

#include <memory>

#include "troupe/actors/local/session_handle.hpp"
#include "troupe/graph/session.hpp"

namespace troupe {

/// Starts a step with a Run or RunCallable, in which the id and the callbacks are set.
std::unique_ptr<PendingStep> start_local_step(const SharedLocalSession& session, Run run);
std::unique_ptr<PendingStep> start_local_step(const SharedLocalSession& session, RunCallable run);

}  // namespace troupe
