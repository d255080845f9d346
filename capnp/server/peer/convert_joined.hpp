#pragma once

#include "troupe/actors/node_messages.hpp"
#include "troupe_schema/master.capnp.h"

/// Conversions, as in convert.hpp, of the messages by which a task joins a cluster.
namespace troupe {

void fill(rpc::Login::JoinParams::Builder to, const Join& request);
Join to_join(rpc::Login::JoinParams::Reader from);

void fill(rpc::Login::JoinResults::Builder to, const Joined& joined);
/// The error in the answer, or InvalidArgument where a field is out of range.
Result<Joined> to_joined(rpc::Login::JoinResults::Reader from);

}  // namespace troupe
