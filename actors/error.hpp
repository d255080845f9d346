#pragma once

#include <caf/error.hpp>

#include "troupe/graph/status.hpp"

namespace troupe {

/// What CAF itself reports (a request that timed out, an actor that is gone) as a Status. Our own
/// errors travel as Status and never as caf::error.
Status to_status(const caf::error& error);

}  // namespace troupe
