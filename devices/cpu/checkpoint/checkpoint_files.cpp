#include "troupe/devices/cpu/checkpoint/checkpoint_files.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "troupe/graph/support/file.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

namespace fs = std::filesystem;

const std::string index_suffix = ".index";

bool is_number(std::string_view text) {
  return text.size() >= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// True for "00001-of-00004" after `start`.
bool is_numbered(std::string_view text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  auto middle = text.find("-of-");
  return middle != std::string_view::npos && is_number(text.substr(0, middle)) &&
         is_number(text.substr(middle + 4));
}

fs::path folder_of(const std::string& prefix) {
  auto folder = fs::path(prefix).parent_path();
  return folder.empty() ? "." : folder;
}

/// The names of files that go on after the prefix in such a way, without the prefix, in order.
template <class Is>
std::vector<std::string> ends_of(const std::string& prefix, const Is& is) {
  auto base = fs::path(prefix).filename().string();
  std::vector<std::string> found;
  std::error_code error;  // a folder that is not there has no files
  for (fs::directory_iterator at(folder_of(prefix), error), last; !error && at != last;
       at.increment(error)) {
    auto name = at->path().filename().string();
    if (name.starts_with(base) && is(name.substr(base.size())))
      found.push_back(name.substr(base.size()));
  }
  std::ranges::sort(found);
  return found;
}

/// Removes the index and data files of one prefix.
Status remove_bundle(const std::string& prefix) {
  if (auto status = remove_file(index_file(prefix)); !status.ok()) return status;
  for (const auto& end :
       ends_of(prefix, [](const auto& text) { return is_numbered(text, ".data-"); }))
    if (auto status = remove_file(prefix + end); !status.ok()) return status;
  return {};
}

}  // namespace

std::string sharded_filename(const std::string& basename, int shard, int num_shards) {
  std::array<char, 40> end{};
  std::snprintf(end.data(), end.size(), "-%05d-of-%05d", shard, num_shards);
  return basename + end.data();
}

std::string sharded_filespec(const std::string& basename, int num_shards) {
  std::array<char, 40> end{};
  std::snprintf(end.data(), end.size(), "-\?\?\?\?\?-of-%05d", num_shards);
  return basename + end.data();
}

fs::path index_file(const std::string& prefix) { return prefix + index_suffix; }

fs::path data_file(const std::string& prefix, int number, int count) {
  return sharded_filename(prefix + ".data", number, count);
}

std::vector<std::string> parts_of(const std::string& prefix) {
  auto ends = ends_of(prefix, [](const std::string& text) {
    return text.ends_with(index_suffix) &&
           is_numbered(text.substr(0, text.size() - index_suffix.size()), "-");
  });
  for (auto& end : ends) end = prefix + end.substr(0, end.size() - index_suffix.size());
  return ends;
}

Status check_prefix(const std::string& prefix) {
  return prefix.empty() ? invalid_argument("the prefix of a checkpoint's files is empty")
                        : Status();
}

Status check_file(const std::string& path) {
  std::error_code error;
  if (!path.ends_with('/') && !fs::is_directory(path, error)) return check_prefix(path);
  return invalid_argument(
      quote(path) + " is a directory, and no prefix for the files of a checkpoint");
}

Status remove_checkpoint(const std::string& prefix) {
  if (auto status = check_prefix(prefix); !status.ok()) return status;
  if (auto status = remove_file(index_file(prefix)); !status.ok()) return status;
  for (const auto& part : parts_of(prefix))
    if (auto status = remove_bundle(part); !status.ok()) return status;
  return remove_bundle(prefix);
}

}  // namespace troupe::cpu
