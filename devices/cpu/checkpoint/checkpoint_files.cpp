#include "troupe/devices/cpu/checkpoint/checkpoint_files.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "troupe/graph/op.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

namespace fs = std::filesystem;

const std::string file_suffix = ".safetensors";
const std::string index_suffix = file_suffix + ".index.json";

bool is_number(std::string_view text) {
  return text.size() >= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// True for "-00001-of-00004".
bool is_shard(std::string_view text) {
  auto middle = text.find("-of-");
  return text.starts_with('-') && middle != std::string_view::npos && middle > 0 &&
         is_number(text.substr(1, middle - 1)) && is_number(text.substr(middle + 4));
}

fs::path folder_of(const std::string& prefix) {
  auto folder = fs::path(prefix).parent_path();
  return folder.empty() ? "." : folder;
}

/// The files of the prefix's shards that end in `end`, in order.
std::vector<fs::path> shards_of(const std::string& prefix, const std::string& end) {
  auto base = fs::path(prefix).filename().string();
  std::vector<fs::path> found;
  std::error_code error;  // a folder that is not there has no files
  for (fs::directory_iterator at(folder_of(prefix), error), last; !error && at != last;
       at.increment(error)) {
    auto name = at->path().filename().string();
    if (name.size() <= base.size() + end.size() || !name.starts_with(base) || !name.ends_with(end))
      continue;
    std::string_view middle = name;
    middle = middle.substr(base.size(), name.size() - base.size() - end.size());
    if (is_shard(middle)) found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

Status check_prefix(const std::string& prefix) {
  std::error_code error;
  if (prefix.empty() || prefix.ends_with('/') || fs::is_directory(prefix, error))
    return invalid_argument(
        quote(prefix) + " is a directory, and no prefix for the files of a checkpoint");
  return {};
}

bool exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// Makes an index for a file without one.
Result<CheckpointIndex> index_of(const fs::path& path) {
  auto file = SafetensorsFile::open(path);
  if (!file) return file.status();
  CheckpointIndex index;
  for (const auto& [name, entry] : file->entries())
    index.tensors[name] = {path.filename().string(), entry.checksum};
  return index;
}

Result<CheckpointIndex> find_index(const std::string& prefix) {
  if (exists(prefix + index_suffix)) return CheckpointIndex::read(prefix + index_suffix);
  CheckpointIndex all;
  for (const auto& path : shards_of(prefix, index_suffix)) {
    auto index = CheckpointIndex::read(path);
    if (!index) return index.status();
    if (auto status = all.add(*std::move(index)); !status.ok()) return status;
  }
  if (!all.tensors.empty()) return all;
  if (prefix.ends_with(file_suffix)) return index_of(prefix);
  if (exists(prefix + file_suffix)) return index_of(prefix + file_suffix);
  return not_found(
      "there is no checkpoint " + quote(prefix) + " (no " + quote(prefix + index_suffix) + ")");
}

/// Renames the one file of a part to a shard, and returns its index.
Result<CheckpointIndex> move_part(const std::string& part, const std::string& shard) {
  auto index = CheckpointIndex::read(part + index_suffix);
  if (!index || index->tensors.empty()) return index;
  auto old_name = index->tensors.begin()->second.file;
  auto new_name = fs::path(shard + file_suffix).filename().string();
  for (auto& [name, entry] : index->tensors) {
    if (entry.file != old_name)
      return unimplemented(
          "checkpoint " + quote(part) + " has several files, and cannot be merged again");
    entry.file = new_name;
  }
  auto status = rename_file(folder_of(part) / old_name, shard + file_suffix);
  if (!status.ok()) return status;
  return index;
}

}  // namespace

std::string sharded_filename(const std::string& basename, int shard, int num_shards) {
  std::array<char, 40> end{};
  std::snprintf(end.data(), end.size(), "-%05d-of-%05d", shard, num_shards);
  return basename + end.data();
}

Status save_checkpoint(const std::string& prefix, std::vector<NamedTensor> tensors) {
  if (auto status = check_prefix(prefix); !status.ok()) return status;
  if (auto status = remove_file(prefix + index_suffix); !status.ok()) return status;
  auto path = fs::path(prefix + file_suffix);
  auto checksums = write_safetensors(path, std::move(tensors));
  if (!checksums) return checksums.status();
  CheckpointIndex index;
  for (const auto& [name, checksum] : *checksums)
    index.tensors[name] = {path.filename().string(), checksum};
  return index.write(prefix + index_suffix);
}

Status merge_checkpoints(
    const std::vector<std::string>& parts, const std::string& prefix, MergeOptions options) {
  if (auto status = check_prefix(prefix); !status.ok()) return status;
  if (auto status = remove_file(prefix + index_suffix); !status.ok()) return status;
  CheckpointIndex all;
  Status missing = not_found("there are no checkpoints to merge into " + quote(prefix));
  for (size_t i = 0; i < parts.size(); ++i) {
    auto shard = sharded_filename(prefix, static_cast<int>(i), static_cast<int>(parts.size()));
    auto index = move_part(parts[i], shard);
    if (!index && index.status().code() == Code::not_found) missing = index.status();
    bool is_elsewhere = !index && index.status().code() == Code::not_found;
    if (is_elsewhere && options.allow_missing_files) continue;
    if (!index) return index.status();
    if (auto status = all.add(*std::move(index)); !status.ok()) return status;
  }
  if (all.tensors.empty()) return missing;
  if (auto status = all.write(prefix + index_suffix); !status.ok()) return status;
  for (const auto& part : parts) {
    if (auto status = remove_file(part + index_suffix); !status.ok()) return status;
    std::error_code stays;  // a folder with other files in it, which is not ours to empty
    if (options.delete_old_dirs && folder_of(part) != folder_of(prefix))
      fs::remove(folder_of(part), stays);
  }
  return {};
}

Status remove_checkpoint(const std::string& prefix) {
  if (auto status = check_prefix(prefix); !status.ok()) return status;
  auto paths = shards_of(prefix, index_suffix);
  paths.emplace(paths.begin(), prefix + index_suffix);
  std::ranges::move(shards_of(prefix, file_suffix), std::back_inserter(paths));
  paths.emplace_back(prefix + file_suffix);
  for (const auto& path : paths)
    if (auto status = remove_file(path); !status.ok()) return status;
  return {};
}

Result<CheckpointReader> CheckpointReader::open(const std::string& prefix) {
  if (auto status = check_prefix(prefix); !status.ok()) return status;
  auto index = find_index(prefix);
  if (!index) return index.status();
  return CheckpointReader(prefix, *std::move(index));
}

Status CheckpointReader::missing(const std::string& tensor) const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : index_.tensors) names.push_back(name);
  auto message = "tensor " + quote(tensor) + " is not in checkpoint " + quote(prefix_);
  if (auto near = nearest_name(tensor, names); !near.empty())
    return not_found(message + "; did you mean " + quote(near) + "?");
  constexpr size_t shown_max = 8;
  message += ", which has";
  for (size_t i = 0; i < std::min(names.size(), shown_max); ++i)
    message += (i ? ", " : " ") + quote(names[i]);
  if (names.size() > shown_max)
    message += " and " + std::to_string(names.size() - shown_max) + " more";
  return not_found(message);
}

Result<const SafetensorsFile*> CheckpointReader::file(const std::string& name) {
  auto found = files_.find(name);
  if (found == files_.end()) {
    auto opened = SafetensorsFile::open(folder_of(prefix_) / name);
    if (!opened) return opened.status();
    found = files_.emplace(name, *std::move(opened)).first;
  }
  return &found->second;
}

Result<Tensor> CheckpointReader::read(const std::string& name, DType dtype, Allocator& allocator) {
  auto found = index_.tensors.find(name);
  if (found == index_.tensors.end()) return missing(name);
  auto file = this->file(found->second.file);
  if (!file) return file.status();
  auto entry = (*file)->entries().find(name);
  bool is_other = entry == (*file)->entries().end() ||
                  (found->second.checksum && entry->second.checksum != found->second.checksum);
  if (is_other)
    return Status(
        Code::data_loss, "tensor " + quote(name) + " of " + quote(found->second.file) +
                             " is not the one that was saved as checkpoint " + quote(prefix_));
  if (entry->second.dtype != dtype)
    return invalid_argument(
        "tensor " + quote(name) + " of checkpoint " + quote(prefix_) + " is " +
        to_string(entry->second.dtype) + ", but " + to_string(dtype) + " is asked for");
  return (*file)->read(name, allocator);
}

}  // namespace troupe::cpu
