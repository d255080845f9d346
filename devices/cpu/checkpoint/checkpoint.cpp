#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/checkpoint/checkpoint_files.hpp"
#include "troupe/devices/cpu/checkpoint/checkpoint_reader.hpp"
#include "troupe/devices/cpu/checkpoint/file_kernel.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/step_resources.hpp"

namespace troupe::cpu {
namespace {

using Strings = std::vector<std::string>;

Result<Strings> strings_input(const Launch& launch, int index) {
  const auto& tensor = launch.input(index);
  if (tensor.shape().rank() != 1)
    return invalid_argument(
        "input " + std::to_string(index) + " must be a vector of strings, not of shape " +
        tensor.shape().to_string());
  auto values = tensor.values<std::string>();
  return Strings(values.begin(), values.end());
}

struct TensorNames {
  Strings names;
  Strings slices;
};

/// The names, and the slices if the op is told any.
Result<TensorNames> names_input(const Launch& launch, size_t count, bool has_slices = true) {
  auto names = strings_input(launch, 1);
  if (!names) return names.status();
  auto slices = has_slices ? strings_input(launch, 2) : Result<Strings>(Strings(count));
  if (!slices) return slices.status();
  TensorNames named{*std::move(names), *std::move(slices)};
  if (named.names.size() == count && named.slices.size() == count) return named;
  return invalid_argument(
      std::to_string(named.names.size()) + " names and " + std::to_string(named.slices.size()) +
      " slices were given for " + std::to_string(count) + " tensors");
}

/// The inputs behind the name of the checkpoint, the names and the slices.
Result<std::vector<SavedTensor>> tensors_input(Launch& launch, bool has_slices = true) {
  auto first = has_slices ? 3 : 2;
  auto named = names_input(launch, static_cast<size_t>(launch.input_count() - first), has_slices);
  if (!named) return named.status();
  std::vector<SavedTensor> tensors;
  for (size_t i = 0; i < named->names.size(); ++i)
    tensors.push_back(
        {named->names[i], named->slices[i], launch.take_input(static_cast<int>(i) + first)});
  return tensors;
}

Status save(Launch& launch) {
  auto prefix = string_input(launch, 0);
  if (!prefix) return prefix.status();
  auto tensors = tensors_input(launch);
  return tensors ? save_checkpoint(*prefix, *std::move(tensors)) : tensors.status();
}

Status save_v1(Launch& launch, bool has_slices) {
  auto path = string_input(launch, 0);
  if (!path) return path.status();
  auto tensors = tensors_input(launch, has_slices);
  return tensors ? save_slices(*path, *tensors) : tensors.status();
}

/// Where the tensors are that a node asks for. InvalidArgument names all of another dtype.
Result<std::vector<CheckpointReader::Source>> find_tensors(
    CheckpointReader& reader, const Strings& names, const DTypes& dtypes) {
  std::vector<CheckpointReader::Source> sources;
  std::string mismatched;
  for (size_t i = 0; i < names.size(); ++i) {
    auto source = reader.find(names[i]);
    if (!source) return source.status();
    auto dtype = source->tensor.dtype;
    if (dtype != dtypes[i])
      mismatched += (mismatched.empty() ? "" : "\n") + ("tensor_name = " + names[i]) +
                    "; expected dtype " + to_string(dtypes[i]) + " does not equal original dtype " +
                    to_string(dtype);
    sources.push_back(*std::move(source));
  }
  if (!mismatched.empty()) return invalid_argument(mismatched);
  return sources;
}

/// The checkpoint that the nodes of a step restore from: savers have a node for each variable, and
/// what one of them reads of the index is not read again.
struct StepReader {
  std::mutex mutex;
  std::optional<CheckpointReader> reader;
};

Status restore_named(Launch& launch, const TensorNames& named, const DTypes& dtypes) {
  auto prefix = string_input(launch, 0);
  if (!prefix) return prefix.status();
  auto shared = launch.step_resources().shared<StepReader>("checkpoint " + *prefix);
  auto& reader = shared->reader;
  std::unique_lock lock(shared->mutex);
  if (!reader) {
    auto opened = CheckpointReader::open(*prefix);
    if (!opened) return opened.status();
    reader = *std::move(opened);
  }
  auto sources = find_tensors(*reader, named.names, dtypes);
  if (!sources) return sources.status();
  lock.unlock();
  std::vector<Tensor> values(dtypes.size());
  std::vector<Status> statuses(dtypes.size());
  split_ranges(static_cast<int64_t>(dtypes.size()), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      auto value = reader->read((*sources)[i], named.slices[i], launch.device().allocator());
      if (value) values[i] = *std::move(value);
      else statuses[i] = value.status();
    }
  });
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (!statuses[i].ok()) return statuses[i];
    launch.set(static_cast<int>(i), std::move(values[i]));
  }
  return {};
}

Status restore(Launch& launch, const DTypes& dtypes) {
  auto named = names_input(launch, dtypes.size());
  return named ? restore_named(launch, *named, dtypes) : named.status();
}

/// One tensor, whose name is a scalar as its slice is.
Status restore_v1(Launch& launch, DType dtype, bool has_slice) {
  auto name = string_input(launch, 1);
  if (!name) return name.status();
  auto slice = has_slice ? string_input(launch, 2) : Result<std::string>("");
  if (!slice) return slice.status();
  return restore_named(launch, {{*name}, {*slice}}, {dtype});
}

Status merge(Launch& launch, MergeOptions options) {
  auto prefix = string_input(launch, 1);
  if (!prefix) return prefix.status();
  auto parts = strings_input(launch, 0);
  return parts ? merge_checkpoints(*std::move(parts), *prefix, options) : parts.status();
}

Status remove(Launch& launch) {
  auto prefix = string_input(launch, 0);
  return prefix ? remove_checkpoint(*prefix) : prefix.status();
}

Status name_shard(Launch& launch) {
  auto basename = string_input(launch, 0);
  if (!basename) return basename.status();
  for (int i : {1, 2})
    if (!launch.input(i).shape().is_scalar())
      return invalid_argument("shard and num_shards must be one number each");
  auto shard = launch.input(1).value<int32_t>(), count = launch.input(2).value<int32_t>();
  if (shard < 0 || shard >= count)
    return invalid_argument(
        "there is no shard " + std::to_string(shard) + " of " + std::to_string(count));
  launch.set(0, Tensor::string(sharded_filename(*basename, shard, count)));
  return {};
}

Status name_all_shards(Launch& launch) {
  auto basename = string_input(launch, 0);
  if (!basename) return basename.status();
  if (!launch.input(1).shape().is_scalar())
    return invalid_argument("num_shards must be one number");
  launch.set(0, Tensor::string(sharded_filespec(*basename, launch.input(1).value<int32_t>())));
  return {};
}

void add_v1_kernels(KernelCatalog& catalog) {
  for (bool has_slices : {false, true}) {
    catalog.add(has_slices ? "SaveSlices" : "Save", [=](const Node&) -> Result<Kernel> {
      return file_kernel([=](Launch& launch) { return save_v1(launch, has_slices); });
    });
    catalog.add(has_slices ? "RestoreSlice" : "Restore", [=](const Node& node) -> Result<Kernel> {
      auto dtype = node.attr<DType>("dt");
      return file_kernel([=](Launch& launch) { return restore_v1(launch, dtype, has_slices); });
    });
  }
}

}  // namespace

void add_checkpoint_kernels(KernelCatalog& catalog) {
  catalog.add("SaveV2", [](const Node&) -> Result<Kernel> { return file_kernel(save); });
  catalog.add("RestoreV2", [](const Node& node) -> Result<Kernel> {
    return file_kernel(
        [dtypes = node.attr<DTypes>("dtypes")](Launch& launch) { return restore(launch, dtypes); });
  });
  catalog.add("MergeV2Checkpoints", [](const Node& node) -> Result<Kernel> {
    MergeOptions options{
        .delete_old_dirs = node.attr<bool>("delete_old_dirs"),
        .allow_missing_files = node.attr<bool>("allow_missing_files")};
    return file_kernel([options](Launch& launch) { return merge(launch, options); });
  });
  catalog.add(
      "RemoveCheckpoint", [](const Node&) -> Result<Kernel> { return file_kernel(remove); });
  catalog.add_compute("ShardedFilename", name_shard);
  catalog.add_compute("ShardedFilespec", name_all_shards);
  add_v1_kernels(catalog);
}

}  // namespace troupe::cpu
