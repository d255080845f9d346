#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/graph/support/file_access.hpp"

namespace troupe::cpu {
namespace {

namespace fs = std::filesystem;

/// Strings are not counted by the device's allocator.
constexpr uint64_t file_bytes_max = uint64_t{4} << 30;

Status read_whole_file(Launch& launch) {
  auto name = scalar_string(launch, 0, "filename");
  if (!name) return name.status();
  auto reader = FileReader::open(*name);
  if (!reader) return reader.status();
  if (reader->size() > file_bytes_max)
    return resource_exhausted(
        shown(*name) + " has " + std::to_string(reader->size()) + " bytes, more than the " +
        std::to_string(file_bytes_max) + " that can be read at once");
  std::string contents(reader->size(), '\0');
  auto status = reader->read(0, contents.data(), contents.size());
  if (status.ok()) launch.set(0, Tensor::string(std::move(contents)));
  return status;
}

Status write_whole_file(Launch& launch) {
  auto name = scalar_string(launch, 0, "filename");
  if (!name) return name.status();
  auto contents = scalar_string(launch, 1, "contents");
  return contents ? write_file(*name, *contents) : contents.status();
}

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

Status find_matching_files(Launch& launch) {
  const auto& patterns = launch.input(0);
  if (patterns.shape().rank() > 1)
    return invalid_argument(
        "the patterns must be a scalar or vector, but are " + patterns.shape().to_string());
  std::vector<std::string> found;
  for (const auto& pattern : patterns.values<std::string>()) {
    auto paths = matching_paths(pattern);
    if (!paths) return paths.status();
    std::ranges::move(*paths, std::back_inserter(found));
  }
  std::ranges::sort(found);
  auto out = launch.allocate(DType::string, {std::ssize(found)});
  if (!out) return out.status();
  std::ranges::move(found, out->mutable_data<std::string>());
  launch.set(0, *std::move(out));
  return {};
}

template <Status (*compute)(Launch&)>
Result<Kernel> disk_kernel(const Node&) {
  constexpr int64_t disk_ns = 10'000'000;
  return Kernel{.compute = compute, .cost_ns = [](const Launch&) { return disk_ns; }};
}

}  // namespace

void add_files_kernels(KernelCatalog& catalog) {
  catalog.add("ReadFile", disk_kernel<read_whole_file>);
  catalog.add("WriteFile", disk_kernel<write_whole_file>);
  catalog.add("MatchingFiles", disk_kernel<find_matching_files>);
}

}  // namespace troupe::cpu
