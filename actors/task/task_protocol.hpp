#pragma once

#include <caf/all.hpp>

#include "troupe/actors/post.hpp"
#include "troupe/actors/task/task_actor.hpp"

namespace troupe {

/// The heartbeat timer has expired: Pings are due, or a peer has been silent for too long.
struct HeartbeatTick {};

/// All that a task actor handles: the calls of clients (MasterActor), the messages of other tasks
/// and of this process (TaskActor), and these, which it sends to itself.
using TaskProtocol = TaskActor::extend<caf::reacts_to<Post>, caf::reacts_to<HeartbeatTick>>;

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::HeartbeatTick)
