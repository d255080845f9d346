#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The inputs are a scalar and then vectors; the op has no outputs.
Status check_ranks(ShapeInference& s, int vector_count) {
  auto status = s.need_rank(0, 0);
  for (int i = 1; i <= vector_count && status.ok(); ++i) status = s.need_rank(i, 1);
  return status;
}

/// As many names and slices as there are dtypes in that attribute.
Status check_names(ShapeInference& s, const char* dtypes, int vector_count) {
  auto status = check_ranks(s, vector_count);
  auto count = static_cast<int64_t>(s.attr<DTypes>(dtypes).size());
  for (int i = 1; i <= vector_count && status.ok(); ++i)
    if (!s.input(i).is_compatible_with({count}))
      status = invalid_argument(
          "input " + std::to_string(i) + " has shape " + s.input(i).to_string() + ", but there " +
          "are " + std::to_string(count) + " tensors");
  return status;
}

void add_shard_names(OpCatalog& catalog) {
  catalog.add(Op("ShardedFilename")
      .doc("\"basename-00001-of-00004\", for shard 1 of num_shards 4.")
      .input("basename", DType::string)
      .input("shard", DType::int32)
      .input("num_shards", DType::int32)
      .output("filename", DType::string)
      .infer_shape([](ShapeInference& s) {
        s.set(0, Shape());
        auto status = s.need_rank(0, 0);
        if (status.ok()) status = s.need_rank(1, 0);
        return status.ok() ? s.need_rank(2, 0) : status;
      }));

  catalog.add(Op("ShardedFilespec")
      .doc("\"basename-\?\?\?\?\?-of-00004\", for num_shards 4: the pattern of all shards' names.")
      .input("basename", DType::string)
      .input("num_shards", DType::int32)
      .output("filename", DType::string)
      .infer_shape([](ShapeInference& s) {
        s.set(0, Shape());
        auto status = s.need_rank(0, 0);
        return status.ok() ? s.need_rank(1, 0) : status;
      }));
}

/// The scalars that say what one tensor is restored from; it may have any shape.
Status check_scalars(ShapeInference& s, int count) {
  Status status;
  for (int i = 0; i < count && status.ok(); ++i) status = s.need_rank(i, 0);
  return status;
}

// Format V1, that of TensorFlow's first versions, has one file for each checkpoint, or shard.
void add_v1_ops(OpCatalog& catalog) {
  catalog.add(Op("Save")
      .doc("Writes the tensors as a checkpoint of format V1, which is one file.")
      .input("filename", DType::string)
      .input("tensor_names", DType::string)
      .inputs("data", "T")
      .attr("T", AttrType::dtypes)
      .attr_at_least("T", 1)
      .infer_shape([](ShapeInference& s) { return check_names(s, "T", /*vector_count=*/1); })
      .stateful());

  catalog.add(Op("SaveSlices")
      .doc("Writes the tensors as a checkpoint of format V1. A slice says which part of which "
           "shape a tensor is, \"4 10 0,2:-\", or \"\": the whole.")
      .input("filename", DType::string)
      .input("tensor_names", DType::string)
      .input("shapes_and_slices", DType::string)
      .inputs("data", "T")
      .attr("T", AttrType::dtypes)
      .attr_at_least("T", 1)
      .infer_shape([](ShapeInference& s) { return check_names(s, "T", /*vector_count=*/2); })
      .stateful());

  catalog.add(Op("Restore")
      .doc("A tensor of a checkpoint, of format V1 or V2. `preferred_shard` means nothing.")
      .input("file_pattern", DType::string)
      .input("tensor_name", DType::string)
      .output("tensor", "dt")
      .attr("dt", AttrType::dtype)
      .attr("preferred_shard", -1)
      .infer_shape([](ShapeInference& s) { return check_scalars(s, 2); })
      .stateful());

  catalog.add(Op("RestoreSlice")
      .doc("A tensor of a checkpoint, of format V1 or V2, or a slice of it. `preferred_shard` "
           "means nothing.")
      .input("file_pattern", DType::string)
      .input("tensor_name", DType::string)
      .input("shape_and_slice", DType::string)
      .output("tensor", "dt")
      .attr("dt", AttrType::dtype)
      .attr("preferred_shard", -1)
      .infer_shape([](ShapeInference& s) { return check_scalars(s, 3); })
      .stateful());
}

}  // namespace

// A checkpoint is a prefix of file names, on the file system of the task that runs the op. Its
// files are those of TensorFlow's tensor bundles (devices/cpu/checkpoint/checkpoint_files.hpp).
void add_checkpoint_ops(OpCatalog& catalog) {
  catalog.add(Op("SaveV2")
      .doc("Writes the tensors as the checkpoint `prefix`. A slice says which part of which shape "
           "a tensor is, \"4 10 0,2:-\", or \"\": the whole.")
      .input("prefix", DType::string)
      .input("tensor_names", DType::string)
      .input("shape_and_slices", DType::string)
      .inputs("tensors", "dtypes")
      .attr("dtypes", AttrType::dtypes)
      .attr_at_least("dtypes", 1)
      .infer_shape([](ShapeInference& s) { return check_names(s, "dtypes", /*vector_count=*/2); })
      .stateful());

  catalog.add(Op("RestoreV2")
      .doc("Tensors of the checkpoint `prefix`, or slices of them. NotFound names a tensor that is "
           "not in it, DataLoss one that is not as it was saved.")
      .input("prefix", DType::string)
      .input("tensor_names", DType::string)
      .input("shape_and_slices", DType::string)
      .outputs("tensors", "dtypes")
      .attr("dtypes", AttrType::dtypes)
      .attr_at_least("dtypes", 1)
      .infer_shape([](ShapeInference& s) { return check_names(s, "dtypes", /*vector_count=*/2); })
      .stateful());

  catalog.add(Op("MergeV2Checkpoints")
      .doc("Makes one checkpoint of several, whose files it renames and which are no checkpoints "
           "any more. `allow_missing_files`: those that are on other file systems stay there.")
      .input("checkpoint_prefixes", DType::string)
      .input("destination_prefix", DType::string)
      .attr("delete_old_dirs", true)
      .attr("allow_missing_files", false)
      .infer_shape([](ShapeInference& s) {
        auto status = s.need_rank(0, 1);
        return status.ok() ? s.need_rank(1, 0) : status;
      })
      .stateful());

  // In TensorFlow the client deletes the files; here they may be on another machine.
  catalog.add(Op("RemoveCheckpoint")
      .doc("Deletes what this file system has of the checkpoint `prefix`, its index first.")
      .input("prefix", DType::string)
      .infer_shape([](ShapeInference& s) { return s.need_rank(0, 0); })
      .stateful());

  add_shard_names(catalog);
  add_v1_ops(catalog);
}

}  // namespace troupe
