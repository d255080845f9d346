#pragma once

#include "troupe/devices/pieces/plan_piece.hpp"
#include "troupe/devices/plan.hpp"
#include "troupe/devices/step_trace.hpp"

namespace troupe {

/// Runs a piece, which was ready then, member by member, so that the trace has the time of each.
Status run_traced(
    const PlanPiece& piece, Launch& launch, const Plan& plan, StepTrace::Time ready,
    StepTrace& trace);

}  // namespace troupe
