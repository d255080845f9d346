#pragma once

#include <caf/all.hpp>

#include "troupe/actors/node_messages.hpp"
#include "troupe/actors/post.hpp"
#include "troupe/actors/session/session_actor.hpp"

namespace troupe {

/// The deadline timer has expired: some run may be past its deadline.
struct RunDeadline {};

/// The idle timer has expired: the session may have been idle for too long.
struct IdleLimit {};

/// All that a session actor handles: the calls of clients (SessionActor), the messages of its task
/// (OwnedSessionActor), and these, from devices and from itself.
using SessionProtocol = OwnedSessionActor::extend<
    caf::reacts_to<StepDone>, caf::reacts_to<StepTraced>, caf::reacts_to<Deliver>,
    caf::reacts_to<DiscardStep>, caf::reacts_to<RunDeadline>, caf::reacts_to<IdleLimit>,
    caf::reacts_to<Post>>;

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::RunDeadline)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::IdleLimit)
