#pragma once

#include <memory>

#include "troupe/actors/client_messages.hpp"
#include "troupe/actors/session/partial_step.hpp"
#include "troupe/actors/session/session_counters.hpp"

namespace troupe {

/// A request to run one step, made from a Run, a RunCallable or a SetUpPartialRun.
struct StepRequest {
  CallId call = 0;
  Tensors feeds;  // in the order of the step's signature
  RunOptions options;
  Done<Tensors> done;
  MetadataCallback on_metadata;
  CountedRun counted;
  std::shared_ptr<void> open_run;        // released when the run has ended, see DrainRuns
  std::shared_ptr<PartialStep> partial;  // of a partial run; else null
};

}  // namespace troupe
