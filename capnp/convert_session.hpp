#pragma once

#include "troupe/capnp/convert.hpp"
#include "troupe/graph/run_metadata.hpp"
#include "troupe/graph/session_options.hpp"
#include "troupe_schema/metadata.capnp.h"

/// As convert.hpp, for what sessions and their steps are asked and answer.
namespace troupe {

void fill(rpc::RunOptions::Builder to, const RunOptions& options);
Result<RunOptions> to_run_options(rpc::RunOptions::Reader from);

void fill(rpc::SessionOptions::Builder to, const SessionOptions& options);
Result<SessionOptions> to_session_options(rpc::SessionOptions::Reader from);

void fill(rpc::RunMetadata::Builder to, const RunMetadata& metadata, Lender& lender);
Result<RunMetadata> to_run_metadata(rpc::RunMetadata::Reader from);

/// The values become an error where they do not fit into a message.
void fill(
    rpc::StepAnswer::Builder to, const Result<Tensors>& values, const RunMetadata& metadata,
    MessageMemory& memory);
/// The values, or the error that they came with.
Result<Tensors> to_values(rpc::StepAnswer::Reader from, Intake& intake);

}  // namespace troupe
