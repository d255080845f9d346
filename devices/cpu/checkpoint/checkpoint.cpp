#include <string>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/checkpoint/checkpoint_files.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

using Strings = std::vector<std::string>;

/// A kernel that waits for the disk must not run on the thread that starts the step.
Kernel file_kernel(std::function<Status(Launch&)> compute) {
  constexpr int64_t disk_ns = 10'000'000;
  return {
      .compute = std::move(compute), .start = {}, .cost_ns = [](const Launch&) { return disk_ns; }};
}

Result<std::string> string_input(const Launch& launch, int index) {
  const auto& tensor = launch.input(index);
  if (tensor.shape().is_scalar()) return tensor.value<std::string>();
  return invalid_argument(
      "input " + std::to_string(index) + " must be one string, not of shape " +
      tensor.shape().to_string());
}

Strings strings_input(const Launch& launch, int index) {
  auto values = launch.input(index).values<std::string>();
  return {values.begin(), values.end()};
}

/// The names of as many whole tensors.
Result<Strings> names_input(const Launch& launch, size_t count) {
  auto names = strings_input(launch, 1), slices = strings_input(launch, 2);
  if (names.size() != count || slices.size() != count)
    return invalid_argument(
        std::to_string(names.size()) + " names and " + std::to_string(slices.size()) +
        " slices were given for " + std::to_string(count) + " tensors");
  for (size_t i = 0; i < count; ++i)
    if (!slices[i].empty())
      return unimplemented(
          "only whole tensors are saved and restored, but slice '" + slices[i] + "' of '" +
          names[i] + "' is asked for");
  return names;
}

Status save(Launch& launch) {
  auto prefix = string_input(launch, 0);
  if (!prefix) return prefix.status();
  auto names = names_input(launch, static_cast<size_t>(launch.input_count() - 3));
  if (!names) return names.status();
  std::vector<NamedTensor> tensors;
  for (size_t i = 0; i < names->size(); ++i)
    tensors.push_back({(*names)[i], launch.take_input(static_cast<int>(i) + 3)});
  return save_checkpoint(*prefix, std::move(tensors));
}

Status restore(Launch& launch, const DTypes& dtypes) {
  auto prefix = string_input(launch, 0);
  if (!prefix) return prefix.status();
  auto names = names_input(launch, dtypes.size());
  if (!names) return names.status();
  auto reader = CheckpointReader::open(*prefix);
  if (!reader) return reader.status();
  for (size_t i = 0; i < dtypes.size(); ++i) {
    auto value = reader->read((*names)[i], dtypes[i], launch.device().allocator());
    if (!value) return value.status();
    launch.set(static_cast<int>(i), *std::move(value));
  }
  return {};
}

Status merge(Launch& launch, MergeOptions options) {
  auto prefix = string_input(launch, 1);
  if (!prefix) return prefix.status();
  return merge_checkpoints(strings_input(launch, 0), *prefix, options);
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
}

}  // namespace troupe::cpu
