#pragma once

#include <string>

namespace troupe {

/// What --list-ops prints: all ops by name, those of loaded libraries too, a line each.
std::string list_ops();

}  // namespace troupe
