#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/client_messages.hpp"
#include "troupe/graph/session.hpp"

namespace troupe {

/// Converts references and feeds to the names that calls use.
std::vector<std::string> names_of(const Refs& refs);
std::vector<std::pair<std::string, Tensor>> named(const std::vector<Feed>& feeds);

/// Makes a call that runs a step; the caller sets its id and callbacks.
Run make_run(
    const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
    const RunOptions& options);

/// Makes a Session for a session actor of this process, which was created with those options and
/// says in `end` why it has ended. The actors that a call wakes run on the caller's thread, if
/// possible. Thread-safe.
std::unique_ptr<Session> make_local_session(
    caf::actor_system& system, SessionActor actor, std::shared_ptr<const SessionEnd> end,
    const SessionOptions& options = {});

}  // namespace troupe
