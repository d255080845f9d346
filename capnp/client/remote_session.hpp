#pragma once

#include <memory>

#include "troupe/capnp/client/connection.hpp"
#include "troupe/graph/session.hpp"
#include "troupe_schema/session.capnp.h"

namespace troupe {

/// A session on a node. Called on the connection's loop; the session itself is then for any thread.
std::unique_ptr<Session> make_remote_session(
    std::shared_ptr<Connection> connection, rpc::Session::Client session);

}  // namespace troupe
