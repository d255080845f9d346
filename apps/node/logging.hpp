#pragma once

#include <string>

#include "troupe/apps/node/settings.hpp"

namespace troupe {

/// From then on what is logged goes to standard error, with the name of the task.
void start_logging(const Settings& settings, const std::string& task);

}  // namespace troupe
