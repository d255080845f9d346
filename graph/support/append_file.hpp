#pragma once

#include <filesystem>
#include <string_view>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Writes at the end of a file, which it makes where there is none, in a folder that exists. What
/// several callers append, also of several processes, is not mixed. Errors are those of `file.hpp`.
Status append_file(const std::filesystem::path& path, std::string_view text);

}  // namespace troupe
