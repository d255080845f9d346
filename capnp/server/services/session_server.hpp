#pragma once

#include <memory>

#include "troupe/actors/client_messages.hpp"
#include "troupe/capnp/server/event_loop_execution_unit.hpp"
#include "troupe/capnp/stream/message_memory.hpp"
#include "troupe_schema/session.capnp.h"

namespace troupe {

/// The capability of a session, which says in `end` why it has ended. When the client drops it, the
/// session closes.
rpc::Session::Client make_session_server(
    EventLoopExecutionUnit& unit, SessionActor session, std::shared_ptr<const SessionEnd> end,
    std::shared_ptr<MessageMemory> memory);

}  // namespace troupe
