#pragma once

#include "troupe/actors/messages.hpp"
#include "troupe_schema/master.capnp.h"

/// As convert.hpp, for tasks that join a cluster.
namespace troupe {

void fill(rpc::Login::JoinParams::Builder to, const Join& wish);
Join to_join(rpc::Login::JoinParams::Reader from);

void fill(rpc::Login::JoinResults::Builder to, const Joined& joined);
/// The error that is in it, or what makes no sense there.
Result<Joined> to_joined(rpc::Login::JoinResults::Reader from);

}  // namespace troupe
