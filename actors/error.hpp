#pragma once

#include <caf/error.hpp>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Converts an error of CAF itself (a request timed out, an actor has ended) to a Status. Troupe's
/// own errors are sent as Status, never as caf::error.
Status to_status(const caf::error& error);

}  // namespace troupe
