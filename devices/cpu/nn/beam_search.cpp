#include "troupe/devices/cpu/nn/beam_search.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/nn/beam_tree.hpp"

namespace troupe::cpu {
namespace {

Status compute_gather_tree(Launch& launch) {
  if (auto status = check_beam_tree(launch); !status.ok()) return status;
  const auto shape = launch.input(0).shape();
  BeamTree tree{
      .times = shape[0],
      .batch = shape[1],
      .beams = shape[2],
      .ids = launch.input(0).data<int32_t>(),
      .parents = launch.input(1).data<int32_t>(),
      .lengths = launch.input(2).data<int32_t>()};
  auto end = launch.input(3).value<int32_t>();
  auto beams = launch.allocate(DType::int32, shape);
  if (!beams) return beams.status();
  auto* out = beams->mutable_data<int32_t>();
  for (int64_t row = 0; row < tree.batch && tree.times > 0; ++row)
    for (int64_t beam = 0; beam < tree.beams; ++beam)
      if (auto invalid = tree.follow(row, beam, end, out); invalid.time >= 0)
        return invalid_parent(row, invalid.time, beam, invalid.parent);
  launch.set(0, *std::move(beams));
  return {};
}

}  // namespace

Status check_beam_tree(const Launch& launch) {
  const auto &ids = launch.input(0).shape(), &lengths = launch.input(2).shape();
  if (ids.rank() != 3)
    return invalid_argument("step_ids must be a 3-tensor, not " + ids.to_string());
  if (launch.input(1).shape() != ids)
    return invalid_argument(
        "parent_ids must have the shape of step_ids, " + ids.to_string() + ", not " +
        launch.input(1).shape().to_string());
  if (lengths != Shape{ids[1]})
    return invalid_argument(
        "max_sequence_lengths must have a length for each of " + std::to_string(ids[1]) +
        " rows, but has the shape " + lengths.to_string());
  if (!launch.input(3).shape().is_scalar())
    return invalid_argument(
        "end_token must be a scalar, not " + launch.input(3).shape().to_string());
  return {};
}

void add_beam_search_kernels(KernelCatalog& catalog) {
  catalog.add_compute("GatherTree", compute_gather_tree);
}

}  // namespace troupe::cpu
