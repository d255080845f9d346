#pragma once

#include <chrono>
#include <memory>

#include "troupe/capnp/client/connection.hpp"
#include "troupe/capnp/convert/convert_session.hpp"
#include "troupe/graph/session.hpp"

namespace troupe {

using StepResponse = capnp::Response<rpc::StepAnswer>;
using StepPromise = kj::Promise<StepResponse>;
/// Sends a call whose answer is the result of a step. Called once, on the connection's loop.
using SendStep = kj::Function<StepPromise()>;

/// Sets `values` to the result in the response, and resolves once tensors that come as
/// TensorSources have been read. `values` must outlive the promise.
kj::Promise<void> take_values(
    const Connection& connection, const StepResponse& response, Result<Tensors>& values);

/// Sends the call and waits for the answer; DeadlineExceeded after the timeout (0: no limit).
Result<Tensors> run_remote_step(
    Connection& connection, std::chrono::milliseconds timeout, SendStep send);

/// Sends the call and returns. What the socket buffer could not take is written while some thread
/// waits for a call of the connection.
std::unique_ptr<PendingStep> start_remote_step(
    std::shared_ptr<Connection> connection, std::chrono::milliseconds timeout, SendStep send);

/// InvalidArgument where a value is unset; an error where the values do not fit into a message.
Status check_sendable_feeds(const std::vector<Feed>& feeds, bool takes_sources);
void fill(
    capnp::List<rpc::Feed>::Builder to, const std::vector<Feed>& feeds,
    ExternalSegmentBudget& segment_budget);

}  // namespace troupe
