#pragma once

#include <filesystem>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe {

// Graphs name files: of checkpoints, of records, of texts. The operator of a node says which of
// them those who run graphs there may use. All files of this process that file.hpp opens, renames
// or removes are checked, so that no op can leave the check out.

/// From now on the process uses files below those folders only; none: any file. Called once, while
/// the process has one thread. NotFound names a folder that does not exist.
Status restrict_files(const std::vector<std::filesystem::path>& folders);

/// PermissionDenied names the file, once symbolic links are followed, and the folders, unless it is
/// below one of them.
Status check_file_access(const std::filesystem::path& path);

}  // namespace troupe
