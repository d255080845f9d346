#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "troupe/capnp/client/connection.hpp"
#include "troupe/graph/session.hpp"
#include "troupe_schema/session.capnp.h"

namespace troupe {

/// A session on a node, which was opened with that timeout and those warnings. Called on the
/// connection's loop; the session itself is thread-safe.
std::unique_ptr<Session> make_remote_session(
    std::shared_ptr<Connection> connection, rpc::Session::Client session,
    std::chrono::milliseconds operation_timeout, std::vector<std::string> warnings);

}  // namespace troupe
