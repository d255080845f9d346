#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/calls.hpp"
#include "troupe/graph/session.hpp"

namespace troupe {

/// The names by which calls know these.
std::vector<std::string> names_of(const Refs& refs);
std::vector<std::pair<std::string, Tensor>> named(const std::vector<Feed>& feeds);

/// The call that asks for a step; who sends it adds the call's number and the callback.
Run make_run(
    const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
    const RunOptions& options);

/// A session of this process, opened with those options, as the calls of Session: the caller's
/// thread runs the session's actors where it can. Thread-safe.
std::unique_ptr<Session> make_local_session(
    caf::actor_system& system, SessionActor actor, const SessionOptions& options = {});

}  // namespace troupe
