#pragma once

#include <memory>

#include <caf/all.hpp>

#include "troupe/actors/calls.hpp"
#include "troupe/graph/session.hpp"

namespace troupe {

/// A session of this process as the calls of Session: the caller's thread runs the session's actors
/// where it can. Thread-safe.
std::unique_ptr<Session> make_local_session(caf::actor_system& system, SessionActor actor);

}  // namespace troupe
