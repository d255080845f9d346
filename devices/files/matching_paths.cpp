#include "troupe/devices/files/matching_paths.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "troupe/graph/support/file_access.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

bool has_wildcard(const std::string& name) {
  return name.find_first_of("*?[\\") != std::string::npos;
}

/// The paths in a folder that match the names of a pattern from `at` on. What cannot be listed has
/// none.
void add_matches(
    const fs::path& folder, const std::vector<std::string>& names, size_t at,
    std::vector<std::string>& found) {
  std::error_code error;
  if (at == names.size()) {
    found.push_back(folder.string());
    return;
  }
  auto is_last = at + 1 == names.size();
  if (!has_wildcard(names[at])) {
    auto path = folder / names[at];
    if (is_last ? fs::exists(fs::symlink_status(path, error)) : fs::is_directory(path, error))
      add_matches(path, names, at + 1, found);
    return;
  }
  fs::directory_iterator entries(folder.empty() ? fs::path(".") : folder, error), end;
  for (; !error && entries != end; entries.increment(error)) {
    auto name = entries->path().filename();
    if (fnmatch(names[at].c_str(), name.c_str(), 0) != 0) continue;
    if (is_last || fs::is_directory(folder / name, error))
      add_matches(folder / name, names, at + 1, found);
    error.clear();
  }
}

/// The folder that a pattern names before its first wildcard.
fs::path fixed_folder(const fs::path& root, const std::vector<std::string>& names) {
  auto folder = root;
  for (size_t i = 0; i + 1 < names.size() && !has_wildcard(names[i]); ++i) folder /= names[i];
  return folder.empty() ? fs::path(".") : folder;
}

}  // namespace

Result<std::vector<std::string>> matching_paths(const std::string& pattern) {
  fs::path folder = pattern.starts_with('/') ? "/" : "";
  std::vector<std::string> names, found;
  for (size_t at = 0; at < pattern.size();) {
    auto end = std::min(pattern.find('/', at), pattern.size());
    if (end > at) names.push_back(pattern.substr(at, end - at));
    at = end + 1;
  }
  if (names.empty() || pattern.find('\0') != std::string::npos) return found;
  auto status = check_file_access(fixed_folder(folder, names));
  if (!status.ok()) return status;
  add_matches(folder, names, 0, found);
  // A link may lead elsewhere.
  std::erase_if(found, [](const auto& path) { return !check_file_access(path).ok(); });
  return found;
}

}  // namespace troupe
