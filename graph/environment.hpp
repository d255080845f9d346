#pragma once

#include <map>
#include <string>
#include <string_view>

namespace troupe {

/// Variables of an environment, as a value: what reads them can be tried without a process.
using Environment = std::map<std::string, std::string>;

/// Those of this process.
Environment process_environment();

/// Empty where the variable is not set.
std::string variable(const Environment& environment, const std::string& name);

}  // namespace troupe
