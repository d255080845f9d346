#pragma once

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/graph/step_explanation.hpp"
#include "troupe_schema/metadata.capnp.h"

/// Conversions, as in convert.hpp, of explained steps.
namespace troupe {

void fill(rpc::StepExplanation::Builder to, const StepExplanation& explanation);
Result<StepExplanation> to_step_explanation(rpc::StepExplanation::Reader from);

}  // namespace troupe
