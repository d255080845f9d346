#pragma once

#include <memory>

#include "troupe/capnp/message_memory.hpp"
#include "troupe/capnp/server/kj_unit.hpp"
#include "troupe/capnp/server/service.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe {

/// What a new connection, with that memory, gets. `service` must outlive it.
rpc::Login::Client make_login_server(
    KjUnit& unit, const Service& service, std::shared_ptr<MessageMemory> memory);

}  // namespace troupe
