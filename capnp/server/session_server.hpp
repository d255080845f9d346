#pragma once

#include <memory>

#include "troupe/actors/calls.hpp"
#include "troupe/capnp/message_memory.hpp"
#include "troupe/capnp/server/kj_unit.hpp"
#include "troupe_schema/session.capnp.h"

namespace troupe {

/// A session actor as a client's capability. Dropped by its client, it closes the session.
rpc::Session::Client make_session_server(
    KjUnit& unit, SessionActor session, std::shared_ptr<MessageMemory> memory);

}  // namespace troupe
