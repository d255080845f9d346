#pragma once

#include <caf/all.hpp>

#include "troupe/actors/messages.hpp"
#include "troupe/actors/session_actor.hpp"

namespace troupe {

/// The time of some run may be over.
struct RunDeadline {};

/// The session may have been idle for too long.
struct IdleLimit {};

/// What a session actor also hears, from devices and from itself.
using SessionMailbox = TaskSession::extend<
    caf::reacts_to<StepDone>, caf::reacts_to<StepTraced>, caf::reacts_to<Deliver>,
    caf::reacts_to<RunDeadline>, caf::reacts_to<IdleLimit>>;

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::RunDeadline)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::IdleLimit)
