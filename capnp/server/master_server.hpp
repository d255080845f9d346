#pragma once

#include <memory>

#include "troupe/capnp/message_memory.hpp"
#include "troupe/capnp/server/kj_unit.hpp"
#include "troupe/capnp/server/service.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe {

/// The task actor as a client's capability, on the connection that has that memory.
rpc::Master::Client make_master_server(
    KjUnit& unit, MasterActor master, std::shared_ptr<MessageMemory> memory);

}  // namespace troupe
