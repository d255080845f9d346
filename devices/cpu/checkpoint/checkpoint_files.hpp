#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

// A checkpoint is TensorFlow's tensor bundle. It is named by a prefix, a path without extension; on
// disk it is
//
//     PREFIX.data-00000-of-00002 ...       the elements of all tensors (bundle_value.hpp)
//     PREFIX.index                         where each tensor is, a sorted table
//
// The index is removed before any file changes and written when all files are on disk: a checkpoint
// with an index is complete. A relative prefix counts from the folder in which the node was
// started.
//
// The parts of a checkpoint that several tasks write are checkpoints of their own
// (PREFIX-00000-of-00002.index) until they are merged.

//
// Format V1, that of TensorFlow's first versions, has a file with the prefix as its name, a sorted
// table of what tensors there are and of the elements of each slice; or several of them, whose
// prefix is a pattern, PREFIX-?????-of-00002.

/// "model-00001-of-00004".
std::string sharded_filename(const std::string& basename, int shard, int num_shards);
/// "model-?????-of-00004".
std::string sharded_filespec(const std::string& basename, int num_shards);
std::filesystem::path index_file(const std::string& prefix);
std::filesystem::path data_file(const std::string& prefix, int number, int count);
/// The prefixes of the parts whose indices are on this file system, in order.
std::vector<std::string> parts_of(const std::string& prefix);

/// InvalidArgument where the prefix is empty. It may be a directory's name: "models/" has its files
/// in it, "models" beside it, as with TensorFlow.
Status check_prefix(const std::string& prefix);
/// InvalidArgument where a file of that name would be a directory.
Status check_file(const std::string& path);

struct SavedTensor {
  std::string name;
  std::string shape_and_slice;  // "": the whole tensor
  Tensor value;
};

/// Writes one data file and the index. Until both are written, files of the same name stay as they
/// are.
Status save_checkpoint(const std::string& prefix, std::vector<SavedTensor> tensors);

/// Writes a checkpoint of format V1 as one file. Unimplemented for dtypes that the format does not
/// have. A file of the same name stays as it is until this one is written.
Status save_slices(const std::string& path, const std::vector<SavedTensor>& tensors);

struct MergeOptions {
  bool delete_old_dirs = true;       // folders of the parts, if empty afterwards
  bool allow_missing_files = false;  // skip parts that this file system lacks, if it has any
};

/// Makes one checkpoint of parts, whose files it renames and which are none any more.
Status merge_checkpoints(
    const std::vector<std::string>& parts, const std::string& prefix, MergeOptions options);

/// Deletes the files of a checkpoint; succeeds if there are none.
Status remove_checkpoint(const std::string& prefix);

}  // namespace troupe::cpu
