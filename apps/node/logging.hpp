#pragma once

#include <string>

#include "troupe/apps/node/settings.hpp"

namespace troupe {

/// Directs the log to standard error, with the name of the task in each line.
void start_logging(const Settings& settings, const std::string& task);

}  // namespace troupe
