#pragma once

#include <kj/function.h>

#include <memory>

#include "troupe/capnp/server/event_loop_execution_unit.hpp"
#include "troupe/capnp/server/services/service.hpp"
#include "troupe/capnp/stream/message_memory.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe {

/// The bootstrap capability of a new connection, whose messages use `memory`. `on_login` is called
/// when login() succeeds or join() is called. `service` must outlive it.
rpc::Login::Client make_login_server(
    EventLoopExecutionUnit& unit, const Service& service, std::shared_ptr<MessageMemory> memory,
    kj::Function<void()> on_login);

}  // namespace troupe
