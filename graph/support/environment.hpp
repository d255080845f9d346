#pragma once

#include <map>
#include <string>

namespace troupe {

/// Environment variables as a value, so that code that reads them can be tested.
using Environment = std::map<std::string, std::string>;

/// Those of this process.
Environment process_environment();

/// Empty where the variable is not set.
std::string variable(const Environment& environment, const std::string& name);

}  // namespace troupe
