#pragma once

#include <memory>

#include "troupe/capnp/client/remote_step.hpp"
#include "troupe/graph/sent_graph.hpp"
#include "troupe_schema/session.capnp.h"

namespace troupe {

// Callables and partial runs of a session on a node. Called on the connection's loop; the objects
// returned are thread-safe. Destroying one releases it on the node, too.

/// `options` apply to each run; the timeout is the effective one.
std::unique_ptr<Callable> make_remote_callable(
    std::shared_ptr<Connection> connection, rpc::Callable::Client callable,
    const RunOptions& options);
std::unique_ptr<PartialRun> make_remote_partial_run(
    std::shared_ptr<Connection> connection, rpc::PartialRun::Client partial_run);

}  // namespace troupe
