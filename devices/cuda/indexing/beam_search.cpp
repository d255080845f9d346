#include "troupe/devices/cuda/indexing/beam_search.hpp"

#include <cstring>

#include "troupe/devices/cpu/nn/beam_search.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/answer.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

Status status_of(const Tensor& on_host, int64_t beams) {
  BeamFault fault;
  std::memcpy(&fault, on_host.raw(), sizeof(fault));
  if (fault.place < 0) return {};
  return cpu::invalid_parent(
      fault.place / beams, fault.invalid.time, fault.place % beams, fault.invalid.parent);
}

void start_gather_tree(Launch& launch, const Kernel::Done& done) {
  if (auto status = cpu::check_beam_tree(launch); !status.ok()) return done(status);
  const auto shape = launch.input(0).shape();
  auto beams = launch.allocate(DType::int32, shape);
  if (!beams) return done(beams.status());
  if (beams->elements() == 0) {
    launch.set(0, *std::move(beams));
    return done({});
  }
  auto fault = launch.allocate(DType::int64, {sizeof(BeamFault) / sizeof(int64_t)});
  if (!fault) return done(fault.status());
  auto error = cudaMemsetAsync(fault->mutable_raw(), 0xff, fault->bytes(), stream_of(launch));
  if (auto status = to_status(error, "a fill"); !status.ok()) return done(status);
  launch_gather_tree(
      {.tree =
           {.times = shape[0],
            .batch = shape[1],
            .beams = shape[2],
            .ids = in<int32_t>(launch, 0),
            .parents = in<int32_t>(launch, 1),
            .lengths = in<int32_t>(launch, 2)},
       .end = in<int32_t>(launch, 3),
       .out = out<int32_t>(*beams),
       .fault = static_cast<BeamFault*>(fault->mutable_raw()),
       .stream = stream_of(launch)});
  if (auto status = launched("a beam search"); !status.ok()) return done(status);
  when_known(launch, *fault, done, [&launch, beams = *beams](const Tensor& found) {
    auto status = status_of(found, beams.shape()[2]);
    if (status.ok()) launch.set(0, beams);
    return status;
  });
}

Result<Kernel> make_gather_tree(const Node&) {
  return Kernel{.start = start_gather_tree, .awaits = "whether all beams have parents"};
}

}  // namespace

void add_beam_search_kernels(KernelCatalog& catalog) {
  catalog.add("GatherTree", make_gather_tree);
}

}  // namespace troupe::cuda
