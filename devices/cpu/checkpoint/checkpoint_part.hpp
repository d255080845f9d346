#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/proto/bundle_messages.hpp"
#include "troupe/graph/types/allocator.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

/// Tensors, or slices of them, that one index or one file of a checkpoint has.
class CheckpointPart {
 public:
  struct Listed {
    std::string name;
    DType dtype;
    Shape shape;  // of the whole tensor
  };

  struct Piece {
    SliceExtents extents;
    /// May be called by several threads at once, while the part is there.
    std::function<Result<Tensor>(Allocator&)> read;
  };

  struct Found {
    Listed tensor;
    std::vector<Piece> pieces;
  };

  virtual ~CheckpointPart() = default;

  /// All tensors, in the order of their names.
  virtual Result<std::vector<Listed>> list() const = 0;

  /// Opens the files that a tensor is in; nothing where the part does not have it. DataLoss says
  /// what is damaged.
  virtual Result<std::optional<Found>> find(const std::string& name) = 0;
};

/// The index of a tensor bundle, and its data files. NotFound where there is none of that prefix.
Result<std::unique_ptr<CheckpointPart>> open_bundle(const std::string& prefix);

/// A file of format V1, which has everything itself. NotFound where there is no such file, DataLoss
/// where it is another one.
Result<std::unique_ptr<CheckpointPart>> open_slices(const std::filesystem::path& path);

}  // namespace troupe::cpu
