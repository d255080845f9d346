#include <algorithm>
#include <utility>

#include "troupe/devices/cpu/checkpoint/bundle_index.hpp"
#include "troupe/devices/cpu/checkpoint/bundle_value.hpp"
#include "troupe/devices/cpu/checkpoint/checkpoint_files.hpp"
#include "troupe/devices/cpu/checkpoint/tensor_slice.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

namespace fs = std::filesystem;

/// Adds an entry; InvalidArgument where the name has one.
Status add_entry(BundleIndex& index, const std::string& key, BundleEntry entry) {
  if (key.empty()) return invalid_argument("no tensor can be saved under an empty name");
  if (index.entries.emplace(key, std::move(entry)).second) return {};
  return invalid_argument("Adding duplicate key: " + key);
}

/// Adds a slice to the entry of the full tensor; the slice itself has another one.
Status add_slice(BundleIndex& index, const SavedTensor& tensor, const ShapeAndSlice& slice) {
  auto [found, is_new] = index.entries.try_emplace(tensor.name);
  auto& full = found->second;
  if (is_new) full = {.dtype = tensor.value.dtype(), .shape = slice.full};
  bool fits = (is_new || !full.slices.empty()) && full.dtype == tensor.value.dtype() &&
              full.shape == slice.full;
  if (!fits)
    return invalid_argument(
        "the slices of tensor " + quote(tensor.name) +
        " are not of one tensor: " + to_string(full.dtype) + full.shape.to_string() + " and " +
        to_string(tensor.value.dtype()) + slice.full.to_string());
  full.slices.push_back(slice.extents);
  return {};
}

Status save_tensor(BundleIndex& index, BundleData& data, const SavedTensor& tensor) {
  auto key = tensor.name;
  if (!tensor.shape_and_slice.empty()) {
    auto slice = ShapeAndSlice::parse_for(tensor.shape_and_slice, tensor.value.shape());
    if (!slice) return slice.status();
    if (slice->shape != slice->full) {
      if (key.empty()) return invalid_argument("no tensor can be saved under an empty name");
      if (auto status = add_slice(index, tensor, *slice); !status.ok()) return status;
      key = slice_key(tensor.name, slice->extents);
    }
  }
  if (index.entries.contains(key)) return add_entry(index, key, {});
  auto entry = data.append(tensor.value);
  if (!entry && entry.status().code() == Code::unimplemented)
    return unimplemented(
        "tensor " + quote(tensor.name) + " cannot be saved: " + entry.status().message());
  if (!entry) return entry.status();
  return add_entry(index, key, *std::move(entry));
}

/// Adds what the index of a part has, whose data files become those from `next_file` on.
Status add_part(BundleIndex& all, BundleIndex part, int next_file) {
  for (auto& [key, entry] : part.entries) {
    entry.data_file += entry.slices.empty() ? next_file : 0;
    auto [found, is_new] = all.entries.try_emplace(key, entry);
    if (is_new) continue;
    auto& known = found->second;
    if (known.slices.empty() || entry.slices.empty())
      return invalid_argument("tensor " + quote(key) + " is in two of the files");
    if (known.dtype != entry.dtype || known.shape != entry.shape)
      return invalid_argument("the slices of tensor " + quote(key) + " are not of one tensor");
    std::ranges::move(entry.slices, std::back_inserter(known.slices));
  }
  return {};
}

struct Move {
  fs::path from;
  int to;
};

}  // namespace

Status save_checkpoint(const std::string& prefix, std::vector<SavedTensor> tensors) {
  if (auto status = check_prefix(prefix); !status.ok()) return status;
  auto data = BundleData::create(data_file(prefix, 0, 1));
  if (!data) return data.status();
  BundleIndex index;
  for (const auto& tensor : tensors)
    if (auto status = save_tensor(index, *data, tensor); !status.ok()) return status;
  if (auto status = data->finish(); !status.ok()) return status;
  auto index_writer = FileWriter::create(index_file(prefix));
  if (!index_writer) return index_writer.status();
  if (auto status = index.write(*index_writer); !status.ok()) return status;
  if (auto status = remove_file(index_file(prefix)); !status.ok()) return status;
  if (auto status = data->commit(); !status.ok()) return status;
  return index_writer->commit();
}

Status merge_checkpoints(
    const std::vector<std::string>& parts, const std::string& prefix, MergeOptions options) {
  if (auto status = check_prefix(prefix); !status.ok()) return status;
  BundleIndex all;
  all.header.data_files = 0;
  std::vector<Move> moves;
  Status missing = not_found("there are no checkpoints to merge into " + quote(prefix));
  for (const auto& part : parts) {
    auto index = BundleIndex::read(index_file(part));
    if (!index && index.status().code() == Code::not_found) {
      missing = index.status();
      if (options.allow_missing_files) continue;
    }
    if (!index) return index.status();
    auto first = all.header.data_files;
    for (int file = 0; file < index->header.data_files; ++file)
      moves.push_back({data_file(part, file, index->header.data_files), first + file});
    all.header.data_files += index->header.data_files;
    if (auto status = add_part(all, *std::move(index), first); !status.ok()) return status;
  }
  if (all.entries.empty()) return missing;
  if (auto status = remove_file(index_file(prefix)); !status.ok()) return status;
  for (const auto& [from, to] : moves) {
    auto status = rename_file(from, data_file(prefix, to, all.header.data_files));
    if (!status.ok()) return status;
  }
  auto index_writer = FileWriter::create(index_file(prefix));
  if (!index_writer) return index_writer.status();
  if (auto status = all.write(*index_writer); !status.ok()) return status;
  if (auto status = index_writer->commit(); !status.ok()) return status;
  for (const auto& part : parts) {
    if (part == prefix) continue;
    if (auto status = remove_file(index_file(part)); !status.ok()) return status;
    std::error_code stays;  // a folder with other files in it, which is not ours to empty
    if (options.delete_old_dirs && fs::path(part).parent_path() != fs::path(prefix).parent_path())
      fs::remove(fs::path(part).parent_path(), stays);
  }
  return {};
}

}  // namespace troupe::cpu
