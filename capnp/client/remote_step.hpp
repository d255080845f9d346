#pragma once

#include <chrono>
#include <memory>

#include "troupe/capnp/client/connection.hpp"
#include "troupe/capnp/convert_session.hpp"
#include "troupe/graph/session.hpp"

namespace troupe {

using StepResponse = capnp::Response<rpc::StepAnswer>;
using StepPromise = kj::Promise<StepResponse>;
/// Sends a call that answers with a step; called once, on the connection's loop.
using SendStep = kj::Function<StepPromise()>;

/// Puts into `values` what the response answers, once all of it is here; `values` must last so
/// long.
kj::Promise<void> take_values(
    const Connection& connection, const StepResponse& response, Result<Tensors>& values);

/// Waits for the answer; DeadlineExceeded where none comes within the timeout (0: no limit).
Result<Tensors> run_remote_step(
    Connection& connection, std::chrono::milliseconds timeout, SendStep send);

/// Returns when the call is sent, but for what of its feeds the socket had no room for: that goes
/// out while somebody waits for a call of the connection.
std::unique_ptr<PendingStep> start_remote_step(
    std::shared_ptr<Connection> connection, std::chrono::milliseconds timeout, SendStep send);

/// A step that has ended before it could be sent.
std::unique_ptr<PendingStep> make_ended_step(Status status);

/// InvalidArgument where a value is unset, or they do not fit into a message.
Status check_sendable_feeds(const std::vector<Feed>& feeds, bool takes_sources);
void fill(capnp::List<rpc::Feed>::Builder to, const std::vector<Feed>& feeds, Lender& lender);

}  // namespace troupe
