#pragma once

#include <memory>

#include "troupe/capnp/message_memory.hpp"
#include "troupe/capnp/server/kj_unit.hpp"
#include "troupe/capnp/server/service.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe {

/// What a client that was let in gets, on the connection that has that memory. `service` must
/// outlive it.
rpc::Master::Client make_master_server(
    KjUnit& unit, const Service& service, std::shared_ptr<MessageMemory> memory);

}  // namespace troupe
