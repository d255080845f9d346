#pragma once

#include <memory>
#include <string>
#include <utility>

#include "troupe/actors/client_messages.hpp"
#include "troupe/capnp/convert/convert_session.hpp"
#include "troupe/capnp/server/services/ask.hpp"

namespace troupe {

/// A reference to a session actor that the capabilities of the session and of its callables and
/// partial runs share. Used on the event loop's thread.
struct SessionHandle {
  EventLoopExecutionUnit& unit;
  SessionActor session;
  std::shared_ptr<const SessionEnd> end;
  std::shared_ptr<MessageMemory> memory;
  CallId next_call = 1;
  bool is_closed = false;

  /// As troupe::ask(), for a call of the session.
  template <class T, class Send>
  kj::Promise<T> ask(Send send) {
    return troupe::ask<T>(unit, std::move(send), end);
  }

  /// Sends a message whose answer is not awaited; may be called by a destructor.
  template <class Call>
  void tell_soon(Call call) {
    tell(session, std::move(call), &unit);
    unit.drain_soon();
  }
};

using SharedSessionHandle = std::shared_ptr<SessionHandle>;

/// Cancels a step if its call is dropped before the step has ended.
struct StepCancelGuard {
  StepCancelGuard(SharedSessionHandle handle, CallId call)
      : handle(std::move(handle)), call(call) {}
  StepCancelGuard(const StepCancelGuard&) = delete;
  StepCancelGuard& operator=(const StepCancelGuard&) = delete;

  const SharedSessionHandle handle;
  const CallId call;
  bool has_ended = false;

  ~StepCancelGuard() {
    if (!has_ended) handle->tell_soon(CancelRun{call});
  }
};

/// Runs the step of a Run or RunCallable, whose id and callbacks are set here, and answers the call
/// with its values. Dropping the promise cancels the step.
template <class Context, class Call>
kj::Promise<void> answer_with_step(
    const SharedSessionHandle& handle, Context context, Result<Call> run) {
  if (handle->is_closed || !run) {
    auto status = handle->is_closed ? SessionEnd::closed_by_client() : run.status();
    fill(context.getResults().initStatus(), status);
    return kj::READY_NOW;
  }
  context.allowCancellation();
  run->call = handle->next_call++;
  auto step = std::make_shared<StepCancelGuard>(handle, run->call);
  auto metadata = std::make_shared<RunMetadata>();
  auto request = [&](Done<Tensors> done) {
    if (run->options.wants_metadata())
      run->on_metadata = [metadata](RunMetadata traced) { *metadata = std::move(traced); };
    run->done = std::move(done);
    tell(handle->session, *std::move(run), &handle->unit);
  };
  return handle->template ask<Result<Tensors>>(request).then(
      [handle, context, step, metadata](Result<Tensors> values) mutable {
        step->has_ended = true;
        fill(context.getResults(), values, *metadata, *handle->memory);
      });
}

/// Calls `act(call)` once the deferred tensors of the call have been read, or `act` with the error
/// where a source fails. Dropping the promise stops the reading.
template <class Context, class Call, class Act>
kj::Promise<void> with_tensors(
    Context context, Result<Call> call, DeferredTensors deferred, Act act) {
  context.releaseParams();
  if (!call || deferred.remaining.empty()) return act(std::move(call));
  context.allowCancellation();
  return read_deferred(std::move(deferred))
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
