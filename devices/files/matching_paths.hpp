#pragma once

#include <string>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// The paths that match a pattern, whose names may have "*", "?" and "[...]", in no order. Folders
/// that cannot be listed have none. PermissionDenied where the pattern's folder is not accessible
/// to graphs; paths that are not are left out.
Result<std::vector<std::string>> matching_paths(const std::string& pattern);

}  // namespace troupe
