#include <map>
#include <utility>

#include "troupe/devices/cpu/checkpoint/bundle_index.hpp"
#include "troupe/devices/cpu/checkpoint/bundle_value.hpp"
#include "troupe/devices/cpu/checkpoint/checkpoint_files.hpp"
#include "troupe/devices/cpu/checkpoint/checkpoint_part.hpp"
#include "troupe/devices/cpu/checkpoint/tensor_slice.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

/// Of the index it reads only where the tensors are that it is asked for.
class BundlePart final : public CheckpointPart {
 public:
  BundlePart(const std::string& prefix, int32_t data_files, std::unique_ptr<SortedTable> index)
      : prefix_(prefix), data_files_(data_files), index_(std::move(index)) {}

  Result<std::vector<Listed>> list() const override {
    std::vector<Listed> listed;
    auto path = index_file(prefix_);
    auto status = index_->for_each([&](const std::string& key, const std::string& value) -> Status {
      // The keys of slices begin with a zero, that of the header is empty.
      if (key.empty() || key[0] == '\0') return {};
      auto entry = parse_index_entry(path, key, value);
      if (!entry) return entry.status();
      listed.push_back({key, entry->dtype, entry->shape});
      return {};
    });
    if (!status.ok()) return status;
    return listed;
  }

  Result<std::optional<Found>> find(const std::string& name) override {
    std::optional<Found> found;
    if (name.empty()) return found;  // the key of the header
    auto bytes = index_->find(name);
    if (!bytes) return bytes.status();
    if (!*bytes) return found;
    auto entry = parse_index_entry(index_file(prefix_), name, **bytes);
    if (!entry) return entry.status();
    found = {{name, entry->dtype, entry->shape}, {}};
    auto status = entry->slices.empty() ? add_piece(*found, whole_slice(entry->shape), *entry)
                                        : add_slices(*found, *entry);
    if (!status.ok()) return status;
    return found;
  }

 private:
  Status add_slices(Found& found, const BundleEntry& entry) {
    auto path = index_file(prefix_);
    const auto& [name, dtype, full] = found.tensor;
    for (const auto& extents : entry.slices) {
      auto bytes = index_->find(slice_key(name, extents));
      if (!bytes) return bytes.status();
      auto slice = *bytes ? parse_index_entry(path, name, **bytes)
                          : Result<BundleEntry>(Status(Code::data_loss, "it is not there"));
      auto shape = slice_shape(full, extents);
      if (!slice || slice->dtype != dtype || slice->shape != shape || !slice->slices.empty())
        return Status(
            Code::data_loss, quote(path.string()) + " is damaged: slice " + to_string(extents) +
                                 " of tensor " + quote(name) + " is not as the tensor says");
      if (auto status = add_piece(found, extents, *slice); !status.ok()) return status;
    }
    return {};
  }

  Status add_piece(Found& found, const SliceExtents& extents, const BundleEntry& entry) {
    auto file = data_file(entry);
    if (!file) return file.status();
    found.pieces.push_back(
        {extents, [file = *file, name = found.tensor.name, entry](Allocator& allocator) {
           return read_bundle_value(*file, name, entry, allocator);
         }});
    return {};
  }

  Result<const FileReader*> data_file(const BundleEntry& entry) {
    if (entry.data_file < 0 || entry.data_file >= data_files_)
      return Status(
          Code::data_loss, quote(index_file(prefix_).string()) + " is damaged: it names file " +
                               std::to_string(entry.data_file) + " of " +
                               std::to_string(data_files_));
    auto found = files_.find(entry.data_file);
    if (found == files_.end()) {
      auto opened = FileReader::open(cpu::data_file(prefix_, entry.data_file, data_files_));
      if (!opened) return opened.status();
      found = files_.emplace(entry.data_file, *std::move(opened)).first;
    }
    return &found->second;
  }

  std::string prefix_;
  int32_t data_files_;
  std::unique_ptr<SortedTable> index_;
  std::map<int32_t, FileReader> files_;  // that are open, by number
};

}  // namespace

Result<std::unique_ptr<CheckpointPart>> open_bundle(const std::string& prefix) {
  auto path = index_file(prefix);
  auto table = SortedTable::open(path);
  if (!table) return table.status();
  auto header = read_bundle_header(**table, path);
  if (!header) return header.status();
  return std::unique_ptr<CheckpointPart>(
      std::make_unique<BundlePart>(prefix, header->data_files, *std::move(table)));
}

}  // namespace troupe::cpu
