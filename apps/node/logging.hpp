#pragma once

#include <string>

#include "troupe/apps/node/settings.hpp"

namespace troupe {

/// Directs the log to standard error, with the name of the task in each line. A thread of its own
/// writes it, so that a pipe that nobody reads holds up nothing: beyond a bound the oldest lines
/// are dropped, and the next line that is written says how many.
void start_logging(const Settings& settings, const std::string& task);

/// Writes what is still to be written, for a second at most. False: nobody reads it, and the thread
/// still waits. Nothing may be logged afterwards.
bool end_logging();

}  // namespace troupe
