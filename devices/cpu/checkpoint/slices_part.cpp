#include <cstring>
#include <map>
#include <utility>

#include "troupe/devices/cpu/checkpoint/checkpoint_part.hpp"
#include "troupe/devices/cpu/checkpoint/sorted_table.hpp"
#include "troupe/devices/cpu/checkpoint/tensor_slice.hpp"
#include "troupe/graph/proto/slice_messages.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

const std::string tensors_key;

/// The error of a file, with its name.
Status in_file(const std::filesystem::path& path, const Status& status, const std::string& what) {
  return {
      status.code(), quote(path.string()) +
                         (status.code() == Code::data_loss ? " is damaged: " : ": ") + what +
                         status.message()};
}

class SlicesPart final : public CheckpointPart {
 public:
  SlicesPart(
      std::filesystem::path path, std::unique_ptr<SortedTable> table,
      std::vector<SlicedTensor> tensors)
      : path_(std::move(path)), table_(std::move(table)) {
    for (auto& tensor : tensors) {
      auto name = tensor.name;
      tensors_.insert_or_assign(std::move(name), std::move(tensor));
    }
  }

  Result<std::vector<Listed>> list() const override {
    std::vector<Listed> listed;
    for (const auto& [name, tensor] : tensors_)
      listed.push_back({name, tensor.dtype, tensor.shape});
    return listed;
  }

  Result<std::optional<Found>> find(const std::string& name) override {
    auto at = tensors_.find(name);
    if (at == tensors_.end()) return std::optional<Found>();
    const auto& tensor = at->second;
    Found found{{name, tensor.dtype, tensor.shape}, {}};
    for (const auto& extents : tensor.slices)
      found.pieces.push_back({extents, [this, &tensor, extents](Allocator& allocator) {
                                return read(tensor, extents, allocator);
                              }});
    return std::optional(std::move(found));
  }

 private:
  Result<Tensor> read(
      const SlicedTensor& tensor, const SliceExtents& extents, Allocator& allocator) const {
    auto what = "slice " + to_string(extents) + " of tensor " + quote(tensor.name) + ": ";
    auto bytes = table_->find(slice_key(tensor.name, extents));
    if (!bytes) return bytes.status();
    if (!*bytes) return in_file(path_, Status(Code::data_loss, "it is not there"), what);
    auto shape = slice_shape(tensor.shape, extents);
    auto value = parse_slice(**bytes, tensor.dtype, shape);
    if (!value) return in_file(path_, value.status(), what);
    if (tensor.dtype == DType::string) return value;
    // A message is parsed into memory that no device counts.
    auto counted = Tensor::allocate(tensor.dtype, shape, allocator);
    if (counted && counted->bytes() > 0)
      std::memcpy(counted->mutable_raw(), value->raw(), counted->bytes());
    return counted;
  }

  std::filesystem::path path_;
  std::unique_ptr<SortedTable> table_;
  std::map<std::string, SlicedTensor> tensors_;
};

}  // namespace

Result<std::unique_ptr<CheckpointPart>> open_slices(const std::filesystem::path& path) {
  auto table = SortedTable::open(path);
  if (!table) return table.status();
  auto bytes = (*table)->find(tensors_key);
  if (!bytes) return bytes.status();
  auto tensors = parse_sliced_tensors(bytes->value_or(""));
  if (!tensors) return in_file(path, tensors.status(), "");
  return std::unique_ptr<CheckpointPart>(
      std::make_unique<SlicesPart>(path, *std::move(table), *std::move(tensors)));
}

}  // namespace troupe::cpu
