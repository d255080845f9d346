#pragma once

#include <memory>
#include <string>

#include "troupe/capnp/server/event_loop_execution_unit.hpp"
#include "troupe/capnp/server/services/service.hpp"
#include "troupe/capnp/stream/message_memory.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe {

/// The capability that login() gives a client, on the connection whose messages use `memory`.
/// `client` is what that client calls itself. `service` must outlive it.
rpc::Master::Client make_master_server(
    EventLoopExecutionUnit& unit, const Service& service, std::shared_ptr<MessageMemory> memory,
    std::string client);

}  // namespace troupe
