#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data_flow/staged_tensors.hpp"
#include "troupe/devices/resources/data_flow/staging_area.hpp"

namespace troupe::cpu {
namespace {

using StagingUse = LaunchedUse<StagingArea>;

// The handle of a staging area is the input after those of the node.
constexpr int staging_handle = -1;

StagingArea::Taken set_tuple(Launch& launch, Kernel::Done done) {
  return [&launch, done = std::move(done)](Result<Tensors> tuple) {
    if (!tuple) return done(tuple.status());
    set_outputs(launch, 0, *std::move(tuple));
    done({});
  };
}

Result<Kernel> make_stage(const Node&) {
  auto begin = [](Launch& launch, StagingUse use) {
    auto tuple = take_inputs(launch, 0, launch.input_count() - 1);
    put_kept(launch, std::move(tuple), use, [&launch, use](Tensors kept) {
      use.wait(launch, use.resource.put(std::move(kept), use.done));
    });
  };
  return waiting_kernel<StagingArea>(
      staging_handle, "room in a staging area", "Stage operation was cancelled",
      changing<StagingArea>(begin));
}

Result<Kernel> make_unstage(const Node& node) {
  auto begin = [dtypes = node.output_dtypes](Launch& launch, StagingUse use) {
    use.wait(launch, use.resource.take(dtypes, set_tuple(launch, use.done)));
  };
  return waiting_kernel<StagingArea>(
      staging_handle, "a tuple of a staging area", "Unstage operation was cancelled", begin);
}

Result<Kernel> make_stage_peek(const Node& node) {
  auto begin = [dtypes = node.output_dtypes](Launch& launch, StagingUse use) {
    const auto& index = launch.input(0);
    if (index.elements() != 1)
      return use.done(invalid_argument("index must be a scalar, not " + index.shape().to_string()));
    auto at = index.value<int32_t>();
    use.wait(launch, use.resource.peek(at, dtypes, set_tuple(launch, use.done)));
  };
  return waiting_kernel<StagingArea>(
      staging_handle, "a tuple of a staging area", "StagePeek operation was cancelled", begin);
}

}  // namespace

void add_staging_kernels(KernelCatalog& catalog) {
  catalog.add("Stage", make_stage);
  catalog.add("Unstage", make_unstage);
  catalog.add("StagePeek", make_stage_peek);
  catalog.add("StageSize", [](const Node&) -> Result<Kernel> {
    return counting_kernel(staging_handle, &StagingArea::size);
  });
  catalog.add("StageClear", [](const Node&) -> Result<Kernel> {
    return resource_kernel<StagingArea>(
        staging_handle, [](Launch&, StagingArea& area) { return area.remove_all(); });
  });
}

}  // namespace troupe::cpu
