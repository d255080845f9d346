#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/devices/cpu/checkpoint_index.hpp"
#include "troupe/devices/cpu/safetensors.hpp"

namespace troupe::cpu {

// A checkpoint is named by a prefix, a path without its end. On disk it is
//
//     PREFIX.safetensors                   or, in shards, PREFIX-00000-of-00002.safetensors ...
//     PREFIX.safetensors.index.json        which tensor is in which file
//
// The index is removed before any file changes and written when all are on the disk: a checkpoint
// that has one is whole. A relative prefix counts from the folder in which the node was started.

/// "model-00001-of-00004".
std::string sharded_filename(const std::string& basename, int shard, int num_shards);

/// Writes one file and its index.
Status save_checkpoint(const std::string& prefix, std::vector<NamedTensor> tensors);

struct MergeOptions {
  bool delete_old_dirs = true;       // folders of the parts, where nothing else is in them
  bool allow_missing_files = false;  // parts that this file system does not have, if it has some
};

/// Makes one checkpoint of parts of one file each, whose files become its shards.
Status merge_checkpoints(
    const std::vector<std::string>& parts, const std::string& prefix, MergeOptions options);

/// Deletes what there is of a checkpoint, be it nothing.
Status remove_checkpoint(const std::string& prefix);

/// A checkpoint to read from: by its index; or, where another task has that, by those of the shards
/// that are here; or a single safetensors file, with or without its end in the prefix.
class CheckpointReader {
 public:
  /// NotFound where there is none of them.
  static Result<CheckpointReader> open(const std::string& prefix);

  /// NotFound names the tensor, the checkpoint and what it has; InvalidArgument both dtypes;
  /// DataLoss the file and the tensor that is not as it was saved.
  Result<Tensor> read(const std::string& name, DType dtype, Allocator& allocator);

 private:
  CheckpointReader(std::string prefix, CheckpointIndex index)
      : prefix_(std::move(prefix)), index_(std::move(index)) {}
  Result<const SafetensorsFile*> file(const std::string& name);
  Status missing(const std::string& tensor) const;

  std::string prefix_;
  CheckpointIndex index_;
  std::map<std::string, SafetensorsFile> files_;  // that are open
};

}  // namespace troupe::cpu
