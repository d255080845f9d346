#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/devices/cpu/checkpoint/sorted_table.hpp"
#include "troupe/graph/proto/bundle_messages.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/graph/types/allocator.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

/// Reads a checkpoint: through its index; or, if that is on another file system, through the
/// indices of the parts on this one. Of an index it reads only where the tensors are that it is
/// asked for.
class CheckpointReader {
 public:
  /// Where a tensor is: whole in one file, or in slices.
  struct Source {
    struct Piece {
      SliceExtents extents;
      BundleEntry entry;
      const FileReader* file;
    };

    std::string name;
    DType dtype;
    Shape shape;
    std::vector<Piece> pieces;
  };

  /// A tensor without where it is.
  struct Listed {
    std::string name;
    DType dtype;
    Shape shape;
  };

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
  struct Part {
    std::string prefix;
    int32_t data_files;
    std::unique_ptr<SortedTable> index;
  };

  explicit CheckpointReader(std::string prefix) : prefix_(std::move(prefix)) {}
  Status add_part(const std::string& prefix);
  Result<const FileReader*> data_file(const Part& part, const BundleEntry& entry);
  Status add_slices(Source& source, const Part& part, const BundleEntry& entry);
  Status missing(const std::string& tensor) const;

  std::string prefix_;
  std::vector<Part> parts_;
  std::map<std::string, FileReader> files_;  // that are open, by name
};

}  // namespace troupe::cpu
