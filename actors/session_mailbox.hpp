#pragma once

#include <caf/all.hpp>

#include "troupe/actors/messages.hpp"
#include "troupe/actors/session_actor.hpp"

namespace troupe {

/// The time of some run may be over.
struct RunDeadline {};

/// What a session actor also hears, from devices and from itself.
using SessionMailbox = TaskSession::extend<caf::reacts_to<StepDone>, caf::reacts_to<RunDeadline>>;

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::RunDeadline)
