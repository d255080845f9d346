#pragma once

#include <kj/function.h>

#include <memory>

#include "troupe/capnp/message_memory.hpp"
#include "troupe/capnp/server/kj_unit.hpp"
#include "troupe/capnp/server/service.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe {

/// What a new connection, with that memory, gets; `let_in` is called when it is no stranger any
/// more. `service` must outlive it.
rpc::Login::Client make_login_server(
    KjUnit& unit, const Service& service, std::shared_ptr<MessageMemory> memory,
    kj::Function<void()> let_in);

}  // namespace troupe
