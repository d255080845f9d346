#pragma once

#include <memory>

#include "troupe/capnp/client/remote_step.hpp"
#include "troupe_schema/session.capnp.h"

namespace troupe {

// What a session on a node made. Called on the connection's loop; what they return is then for any
// thread. Dropped, it ends on the node, too.

/// `options` are those of each run, with the timeout that holds.
std::unique_ptr<Callable> make_remote_callable(
    std::shared_ptr<Connection> connection, rpc::Callable::Client callable,
    const RunOptions& options);
std::unique_ptr<PartialRun> make_remote_partial_run(
    std::shared_ptr<Connection> connection, rpc::PartialRun::Client partial_run);

}  // namespace troupe
