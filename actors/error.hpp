#pragma once

#include <caf/error.hpp>
#include <string>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Converts an error of CAF itself (a request timed out, an actor has ended) to a Status. Troupe's
/// own errors are sent as Status, never as caf::error.
Status to_status(const caf::error& error);

/// What actors that watch an actor of another node are told when their link ends, and why that was;
/// empty for any other error.
caf::error link_ended(const Status& why);
std::string why_link_ended(const caf::error& error);

}  // namespace troupe
