#include "troupe/capnp/convert/convert_runners.hpp"

#include <utility>

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/convert/convert_tensor.hpp"

namespace troupe {
namespace {

// The enumerations of the schema have the numbers of ours.

Result<ListedRunner> read_runner(rpc::Runner::Reader from) {
  auto state = static_cast<RunnerState>(from.getState());
  if (state > last_runner_state) return invalid_argument("a runner is in no known state");
  return ListedRunner{
      .name = {from.getContainer().cStr(), from.getName().cStr()},
      .task = from.getTask().cStr(),
      .state = state,
      .age = std::chrono::milliseconds(from.getAgeMs()),
      .steps = from.getSteps(),
      .failures = from.getFailures(),
      .last_error = to_status(from.getLastError()),
      .status = to_status(from.getResult())};
}

}  // namespace

void fill(rpc::Session::StartRunnerParams::Builder to, const RunnerSpec& spec) {
  to.setContainer(spec.container);
  fill(to.initEnqueueOps(static_cast<unsigned>(spec.enqueue_ops.size())), spec.enqueue_ops);
  to.setCloseOp(spec.close_op);
  to.setCancelOp(spec.cancel_op);
  auto codes = to.initEndCodes(static_cast<unsigned>(spec.end_codes.size()));
  for (unsigned i = 0; i < spec.end_codes.size(); ++i)
    codes.set(i, static_cast<uint16_t>(spec.end_codes[i]));
}

Result<RunnerSpec> to_runner_spec(rpc::Session::StartRunnerParams::Reader from) {
  return checked([from]() -> Result<RunnerSpec> {
    auto ops = to_texts(from.getEnqueueOps());
    if (!ops) return ops.status();
    RunnerSpec spec{
        .container = from.getContainer().cStr(),
        .enqueue_ops = *std::move(ops),
        .close_op = from.getCloseOp().cStr(),
        .cancel_op = from.getCancelOp().cStr(),
        .end_codes = {}};
    for (auto code : from.getEndCodes()) {
      if (code == 0 || code > static_cast<uint16_t>(last_code))
        return invalid_argument(std::to_string(code) + " is no code of an error");
      spec.end_codes.push_back(static_cast<Code>(code));
    }
    return spec;
  });
}

rpc::RunnerAction to_message(RunnerAction action) { return static_cast<rpc::RunnerAction>(action); }

Result<RunnerAction> to_runner_action(rpc::RunnerAction from) {
  auto action = static_cast<RunnerAction>(from);
  if (action > last_runner_action) return invalid_argument("a runner knows no such action");
  return action;
}

void fill(rpc::Master::ListRunnersResults::Builder to, const RunnerList& list) {
  auto runners = to.initRunners(static_cast<unsigned>(list.runners.size()));
  for (unsigned i = 0; i < list.runners.size(); ++i) {
    const auto& runner = list.runners[i];
    runners[i].setContainer(runner.name.container);
    runners[i].setName(runner.name.name);
    runners[i].setTask(runner.task);
    runners[i].setState(static_cast<rpc::RunnerState>(runner.state));
    runners[i].setAgeMs(static_cast<uint64_t>(runner.age.count()));
    runners[i].setSteps(runner.steps);
    runners[i].setFailures(runner.failures);
    fill(runners[i].initLastError(), runner.last_error);
    fill(runners[i].initResult(), runner.status);
  }
  auto missing = to.initMissing(static_cast<unsigned>(list.missing.size()));
  for (unsigned i = 0; i < list.missing.size(); ++i) fill(missing[i], list.missing[i]);
}

Result<RunnerList> to_runner_list(rpc::Master::ListRunnersResults::Reader from) {
  return checked([from]() -> Result<RunnerList> {
    RunnerList list;
    for (auto runner : from.getRunners()) {
      auto read = read_runner(runner);
      if (!read) return read.status();
      list.runners.push_back(*std::move(read));
    }
    for (auto status : from.getMissing()) list.missing.push_back(to_status(status));
    return list;
  });
}

}  // namespace troupe
