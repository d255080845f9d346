#pragma once

#include "troupe/graph/cluster/session_list.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe_schema/master.capnp.h"

namespace troupe {

// Conversions, as in convert.hpp, of lists of sessions.

void fill(rpc::Master::ListSessionsResults::Builder to, const SessionList& list);
Result<SessionList> to_session_list(rpc::Master::ListSessionsResults::Reader from);

}  // namespace troupe
