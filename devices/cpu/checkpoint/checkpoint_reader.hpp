#pragma once

#include <memory>
#include <string>
#include <vector>

#include "troupe/devices/cpu/checkpoint/checkpoint_part.hpp"
#include "troupe/graph/types/allocator.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

/// Reads a checkpoint: through its index; or, if that is on another file system, through the
/// indices of the parts on this one; or, where there are none, the files of format V1 whose names
/// match.
class CheckpointReader {
 public:
  /// Where a tensor is: whole in one file, or in slices.
  using Source = CheckpointPart::Found;
  using Listed = CheckpointPart::Listed;

  /// NotFound if there is no such checkpoint.
  static Result<CheckpointReader> open(const std::string& prefix);

  /// All tensors, by name; of those in slices, the whole ones.
  Result<std::vector<Listed>> list() const;

  /// Opens the files that a tensor is in. NotFound names the tensor, the checkpoint and its
  /// tensors; DataLoss what is damaged.
  Result<Source> find(const std::string& name);

  /// The tensor, or a slice of it ("" is all of it). May be called by several threads at once.
  /// InvalidArgument for a slice of another shape, and where the checkpoint lacks parts of it;
  /// DataLoss names the file, the damaged tensor and where it is.
  Result<Tensor> read(
      const Source& source, const std::string& shape_and_slice, Allocator& allocator) const;

 private:
  explicit CheckpointReader(std::string prefix) : prefix_(std::move(prefix)) {}
  Status add(Result<std::unique_ptr<CheckpointPart>> part);
  Status missing(const std::string& tensor) const;

  std::string prefix_;
  std::vector<std::unique_ptr<CheckpointPart>> parts_;
};

}  // namespace troupe::cpu
