#include <algorithm>
#include <map>

#include "troupe/devices/cpu/checkpoint/checkpoint_files.hpp"
#include "troupe/devices/cpu/checkpoint/sorted_table.hpp"
#include "troupe/devices/cpu/checkpoint/tensor_slice.hpp"
#include "troupe/graph/proto/slice_messages.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

const std::string tensors_key;

/// A file of format V1, as it will be.
class Slices {
 public:
  Status add(const SavedTensor& tensor) {
    const auto& [name, text, value] = tensor;
    if (name.empty()) return invalid_argument("no tensor can be saved under an empty name");
    auto shape = value.shape();
    auto extents = whole_slice(shape);
    if (!text.empty()) {
      auto slice = ShapeAndSlice::parse_for(text, value.shape());
      if (!slice) return slice.status();
      shape = slice->full;
      extents = slice->extents;
    }
    auto [at, is_new] = numbers_.emplace(name, tensors_.size());
    if (is_new) tensors_.push_back({name, value.dtype(), shape, {}});
    auto& full = tensors_[at->second];
    if (full.dtype != value.dtype() || full.shape != shape)
      return invalid_argument(
          "the slices of tensor " + quote(name) +
          " are not of one tensor: " + to_string(full.dtype) + full.shape.to_string() + " and " +
          to_string(value.dtype()) + shape.to_string());
    auto bytes = serialize_slice(name, extents, value);
    if (!bytes)
      return Status(
          bytes.status().code(),
          "tensor " + quote(name) + " cannot be saved: " + bytes.status().message());
    if (!table_.emplace(slice_key(name, extents), *std::move(bytes)).second)
      return invalid_argument("Adding duplicate key: " + name);
    full.slices.push_back(extents);
    return {};
  }

  /// To be called last.
  Status write(FileWriter& file) {
    std::ranges::stable_sort(tensors_, {}, &SlicedTensor::name);  // so does TensorFlow
    table_[tensors_key] = serialize_sliced_tensors(tensors_);
    return write_sorted_table(table_, file);
  }

 private:
  std::map<std::string, size_t> numbers_;  // of the tensors, by their names
  std::vector<SlicedTensor> tensors_;
  std::map<std::string, std::string> table_;
};

}  // namespace

Status save_slices(const std::string& path, const std::vector<SavedTensor>& tensors) {
  if (auto status = check_file(path); !status.ok()) return status;
  Slices slices;
  for (const auto& tensor : tensors)
    if (auto status = slices.add(tensor); !status.ok()) return status;
  auto file = FileWriter::create(path);
  if (!file) return file.status();
  auto status = slices.write(*file);
  return status.ok() ? file->commit() : status;
}

}  // namespace troupe::cpu
