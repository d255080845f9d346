#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/devices/cpu/checkpoint/checkpoint_index.hpp"
#include "troupe/devices/cpu/checkpoint/safetensors.hpp"

namespace troupe::cpu {

// A checkpoint is named by a prefix, a path without extension. On disk it is
//
//     PREFIX.safetensors                   or, in shards, PREFIX-00000-of-00002.safetensors ...
//     PREFIX.safetensors.index.json        which tensor is in which file
//
// The index is removed before any file changes and written when all files are on disk: a checkpoint
// with an index is complete. A relative prefix counts from the folder in which the node was
// started.

/// "model-00001-of-00004".
std::string sharded_filename(const std::string& basename, int shard, int num_shards);

/// Writes one file and its index.
Status save_checkpoint(const std::string& prefix, std::vector<NamedTensor> tensors);

struct MergeOptions {
  bool delete_old_dirs = true;       // folders of the parts, if empty afterwards
  bool allow_missing_files = false;  // skip parts that this file system lacks, if it has any
};

/// Makes one checkpoint of parts of one file each, whose files become its shards.
Status merge_checkpoints(
    const std::vector<std::string>& parts, const std::string& prefix, MergeOptions options);

/// Deletes the files of a checkpoint; succeeds if there are none.
Status remove_checkpoint(const std::string& prefix);

/// Reads a checkpoint: through its index; or, if that is on another file system, through the
/// indices of the shards on this one; or a single safetensors file, with or without its extension
/// in the prefix.
class CheckpointReader {
 public:
  /// NotFound if there is none of these.
  static Result<CheckpointReader> open(const std::string& prefix);

  /// NotFound names the tensor, the checkpoint and its tensors; InvalidArgument both dtypes;
  /// DataLoss the file and the damaged tensor.
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
