#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data_flow/staged_tensors.hpp"
#include "troupe/devices/resources/data_flow/staging_map.hpp"

namespace troupe::cpu {
namespace {

using MapUse = LaunchedUse<StagingMap>;

// The handle of a staging map is the input after those of the node.
constexpr int map_handle = -1;
constexpr const char* awaited_key = "a key of a staging area";

StagingMap::Selection selection(const Tensor& indices, const DTypes& dtypes) {
  auto values = indices.values<int32_t>();
  return {{values.begin(), values.end()}, dtypes};
}

Status check_key(const Tensor& key) {
  if (key.elements() == 0) return invalid_argument("key must not be empty");
  if (key.elements() == 1) return {};
  return invalid_argument(
      "key must be an int64 scalar, got tensor with shape: " + key.shape().to_string());
}

StagingMap::Taken set_staged(Launch& launch, Kernel::Done done) {
  return [&launch, done = std::move(done)](Result<StagingMap::Staged> staged) {
    if (!staged) return done(staged.status());
    set_outputs(launch, 0, std::move(staged->tensors));
    done({});
  };
}

Result<Kernel> make_map_stage(const Node& node) {
  auto begin = [dtypes = node.attr<DTypes>("dtypes")](Launch& launch, MapUse use) {
    auto status = check_key(launch.input(0));
    auto tensors = take_inputs(launch, 2, launch.input_count() - 1);
    const auto& indices = launch.input(1);
    if (status.ok() && static_cast<size_t>(indices.elements()) != tensors.size())
      status = invalid_argument(
          "there are " + std::to_string(indices.elements()) + " indices for " +
          std::to_string(tensors.size()) + " values");
    if (!status.ok()) return use.done(status);
    auto key = launch.input(0).value<int64_t>();
    auto put = [&launch, use, key, selected = selection(indices, dtypes)](Tensors kept) {
      use.wait(launch, use.resource.put(key, selected, std::move(kept), use.done));
    };
    put_kept(launch, std::move(tensors), use, put);
  };
  return waiting_kernel<StagingMap>(
      map_handle, "room in a staging area", "MapStage operation was cancelled",
      changing<StagingMap>(begin));
}

/// Of MapUnstage and MapPeek.
Kernel selecting_kernel(
    const Node& node,
    uint64_t (StagingMap::*select)(int64_t, StagingMap::Selection, StagingMap::Taken)) {
  auto begin = [select, dtypes = node.output_dtypes](Launch& launch, MapUse use) {
    if (auto status = check_key(launch.input(0)); !status.ok()) return use.done(status);
    auto key = launch.input(0).value<int64_t>();
    auto selected = selection(launch.input(1), dtypes);
    use.wait(
        launch, (use.resource.*select)(key, std::move(selected), set_staged(launch, use.done)));
  };
  return waiting_kernel<StagingMap>(
      map_handle, awaited_key, node.op->name() + " operation was cancelled", begin);
}

Result<Kernel> make_unstage_any(const Node& node) {
  DTypes dtypes(node.output_dtypes.begin() + 1, node.output_dtypes.end());
  auto begin = [dtypes](Launch& launch, MapUse use) {
    auto taken = [&launch, done = use.done](Result<StagingMap::Staged> staged) {
      if (!staged) return done(staged.status());
      launch.set(0, Tensor::scalar(staged->key));
      set_outputs(launch, 1, std::move(staged->tensors));
      done({});
    };
    auto selected = selection(launch.input(0), dtypes);
    use.wait(launch, use.resource.take_any(std::move(selected), std::move(taken)));
  };
  return waiting_kernel<StagingMap>(
      map_handle, awaited_key, node.op->name() + " operation was cancelled", begin);
}

}  // namespace

void add_map_staging_kernels(KernelCatalog& catalog) {
  for (const std::string form : {"", "Ordered"}) {
    catalog.add(form + "MapStage", make_map_stage);
    catalog.add(form + "MapUnstage", [](const Node& node) -> Result<Kernel> {
      return selecting_kernel(node, &StagingMap::take);
    });
    catalog.add(form + "MapPeek", [](const Node& node) -> Result<Kernel> {
      return selecting_kernel(node, &StagingMap::peek);
    });
    catalog.add(form + "MapUnstageNoKey", make_unstage_any);
    catalog.add(form + "MapSize", [](const Node&) -> Result<Kernel> {
      return counting_kernel(map_handle, &StagingMap::size);
    });
    catalog.add(form + "MapIncompleteSize", [](const Node&) -> Result<Kernel> {
      return counting_kernel(map_handle, &StagingMap::incomplete_size);
    });
    catalog.add(form + "MapClear", [](const Node&) -> Result<Kernel> {
      return resource_kernel<StagingMap>(
          map_handle, [](Launch&, StagingMap& map) { return map.remove_all(); });
    });
  }
}

}  // namespace troupe::cpu
