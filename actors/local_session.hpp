#pragma once

#include <memory>

#include <caf/all.hpp>

#include "troupe/actors/calls.hpp"
#include "troupe/graph/session.hpp"

namespace troupe {

/// The call that asks for a step; who sends it adds the call's number and the callback.
Run make_run(
    const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
    const std::vector<Ref>& targets, const RunOptions& options);

/// A session of this process as the calls of Session: the caller's thread runs the session's actors
/// where it can. Thread-safe.
std::unique_ptr<Session> make_local_session(caf::actor_system& system, SessionActor actor);

}  // namespace troupe
