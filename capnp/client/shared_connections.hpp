#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "troupe/capnp/client/connection.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

using OpenConnection = std::function<Result<std::shared_ptr<Connection>>()>;

/// Returns this process' connection of that name, for clients that share one; where there is none,
/// or it is lost, `open` opens it, and what that throws is thrown. While one thread opens it, the
/// others wait for it until their deadline, and open one of their own then. The connection closes
/// when the last that has it drops it. From any thread.
Result<std::shared_ptr<Connection>> shared_connection(
    const std::string& name, std::chrono::steady_clock::time_point deadline,
    const OpenConnection& open);

}  // namespace troupe
