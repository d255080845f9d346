#pragma once

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/graph/run_metadata.hpp"
#include "troupe/graph/session_options.hpp"
#include "troupe_schema/metadata.capnp.h"

/// Conversions, as in convert.hpp, of the parameters and results of sessions and steps.
namespace troupe {

void fill(rpc::RunOptions::Builder to, const RunOptions& options);
Result<RunOptions> to_run_options(rpc::RunOptions::Reader from);

void fill(rpc::SessionOptions::Builder to, const SessionOptions& options);
Result<SessionOptions> to_session_options(rpc::SessionOptions::Reader from);

void fill(
    rpc::RunMetadata::Builder to, const RunMetadata& metadata,
    ExternalSegmentBudget& segment_budget);
Result<RunMetadata> to_run_metadata(rpc::RunMetadata::Reader from);

/// Answers with an error where the values do not fit into a message.
void fill(
    rpc::StepAnswer::Builder to, const Result<Tensors>& values, const RunMetadata& metadata,
    MessageMemory& memory);
/// The values, or the error in the answer.
Result<Tensors> to_values(rpc::StepAnswer::Reader from, DeferredTensors& deferred);

}  // namespace troupe
