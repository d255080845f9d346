#pragma once

#include <memory>
#include <string>
#include <utility>

#include "troupe/actors/calls.hpp"
#include "troupe/capnp/convert_session.hpp"
#include "troupe/capnp/server/ask.hpp"

namespace troupe {

/// The way to a session actor, for the capabilities of the session and of all that was made of it.
struct SessionLine {
  KjUnit& unit;
  SessionActor session;
  std::shared_ptr<MessageMemory> memory;
  CallId next_call = 1;
  bool is_closed = false;

  static Status closed() { return failed_precondition("the session is closed"); }

  /// Tells what nobody waits for; also from a destructor.
  template <class Call>
  void tell_soon(Call call) {
    tell(session, std::move(call), &unit);
    unit.drain_soon();
  }
};

using SharedLine = std::shared_ptr<SessionLine>;

/// Cancels a step whose call was dropped before it ended.
struct AbandonedStep {
  AbandonedStep(SharedLine line, CallId call) : line(std::move(line)), call(call) {}
  AbandonedStep(const AbandonedStep&) = delete;
  AbandonedStep& operator=(const AbandonedStep&) = delete;

  const SharedLine line;
  const CallId call;
  bool has_ended = false;

  ~AbandonedStep() {
    if (!has_ended) line->tell_soon(CancelRun{call});
  }
};

/// Answers a call with the step that a Run or RunCallable asks for; it lacks its id and callbacks.
/// Dropping the answer cancels the step.
template <class Context, class Call>
kj::Promise<void> answer_with_step(const SharedLine& line, Context context, Result<Call> run) {
  if (line->is_closed || !run) {
    auto status = line->is_closed ? SessionLine::closed() : run.status();
    fill(context.getResults().initStatus(), status);
    return kj::READY_NOW;
  }
  context.allowCancellation();
  run->call = line->next_call++;
  auto step = std::make_shared<AbandonedStep>(line, run->call);
  auto metadata = std::make_shared<RunMetadata>();
  auto request = [&](Done<Tensors> done) {
    if (run->options.wants_metadata())
      run->traced = [metadata](RunMetadata traced) { *metadata = std::move(traced); };
    run->done = std::move(done);
    tell(line->session, *std::move(run), &line->unit);
  };
  return ask<Result<Tensors>>(line->unit, request)
      .then([line, context, step, metadata](Result<Tensors> values) mutable {
        step->has_ended = true;
        fill(context.getResults(), values, *metadata, *line->memory);
      });
}

/// Goes on with `act(call)` when the tensors are here that it came with; where they cannot be had,
/// it is that error. Dropping the answer stops their reading.
template <class Context, class Call, class Act>
kj::Promise<void> with_tensors(Context context, Result<Call> call, Intake intake, Act act) {
  context.releaseParams();
  if (!call || intake.rests.empty()) return act(std::move(call));
  context.allowCancellation();
  return read_rests(std::move(intake))
      .catch_([](kj::Exception&& error) -> Status {
        return invalid_argument(
            "a tensor could not be read from its source: " +
            std::string(error.getDescription().cStr()));
      })
      .then([call = std::move(call), act = std::move(act)](Status status) mutable {
        return act(status.ok() ? std::move(call) : Result<Call>(std::move(status)));
      });
}

}  // namespace troupe
