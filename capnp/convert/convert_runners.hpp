#pragma once

#include "troupe/graph/cluster/runner.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe_schema/master.capnp.h"
#include "troupe_schema/session.capnp.h"

namespace troupe {

// Conversions, as in convert.hpp, of runners.

void fill(rpc::Session::StartRunnerParams::Builder to, const RunnerSpec& spec);
Result<RunnerSpec> to_runner_spec(rpc::Session::StartRunnerParams::Reader from);

rpc::RunnerAction to_message(RunnerAction action);
Result<RunnerAction> to_runner_action(rpc::RunnerAction from);

void fill(rpc::Master::ListRunnersResults::Builder to, const RunnerList& list);
Result<RunnerList> to_runner_list(rpc::Master::ListRunnersResults::Reader from);

}  // namespace troupe
