#pragma once

#include <caf/error.hpp>
#include <string>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Converts an error of CAF itself (a request timed out, an actor has ended) to a Status. Troupe's
/// own errors are sent as Status, never as caf::error.
Status to_status(const caf::error& error);

/// The exit reason that monitors of a remote actor get when its link ends; it carries `why`.
caf::error link_ended(const Status& why);
/// The message of an exit reason made by link_ended(); empty for any other error.
std::string why_link_ended(const caf::error& error);

}  // namespace troupe
