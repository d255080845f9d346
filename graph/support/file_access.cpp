#include "troupe/graph/support/file_access.hpp"

#include <algorithm>
#include <string>

#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

namespace fs = std::filesystem;

/// Empty: there is no restriction.
std::vector<fs::path>& allowed_folders() {
  static std::vector<fs::path> folders;
  return folders;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

}  // namespace

Status restrict_files(const std::vector<fs::path>& folders) {
  std::vector<fs::path> resolved;
  for (const auto& folder : folders) {
    std::error_code error;
    resolved.push_back(fs::canonical(folder, error));
    if (error) return not_found("there is no folder " + quote(folder.string()));
  }
  allowed_folders() = std::move(resolved);
  return {};
}

Status check_file_access(const fs::path& path) {
  const auto& folders = allowed_folders();
  if (folders.empty()) return {};
  std::error_code error;
  auto absolute = fs::absolute(path, error);
  auto resolved = error ? fs::path() : fs::weakly_canonical(absolute, error);
  auto allows = [&](const fs::path& folder) { return is_below(resolved, folder); };
  if (!error && std::ranges::any_of(folders, allows)) return {};
  std::string names;
  for (const auto& folder : folders) names += (names.empty() ? "" : ", ") + quote(folder.string());
  return {
      Code::permission_denied,
      "graphs may use files below " + names + " here, and " + quote(path.string()) + " is not"};
}

}  // namespace troupe
