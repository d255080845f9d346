#include <algorithm>
#include <string>

#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {
namespace {

/// Tensors of [time, batch, beams].
struct BeamTree {
  int64_t batch, beams;
  const int32_t *ids, *parents;

  int64_t at(int64_t time, int64_t row, int64_t beam) const {
    return (time * batch + row) * beams + beam;
  }
};

Status invalid_parent(int64_t row, int64_t time, int64_t beam, int32_t parent) {
  return invalid_argument(
      "Saw invalid parent id " + std::to_string(parent) + " at (batch, time, beam) == (" +
      std::to_string(row) + ", " + std::to_string(time) + ", " + std::to_string(beam) + ")");
}

/// Writes one beam from its end to its beginning, and `end` behind the first `end`.
Status follow(
    const BeamTree& tree, int64_t row, int64_t beam, int64_t length, int32_t end, int32_t* out) {
  auto parent = static_cast<int32_t>(beam);
  for (auto time = length - 1; time >= 0; --time) {
    auto at = tree.at(time, row, parent);
    out[tree.at(time, row, beam)] = tree.ids[at];
    if (time == 0) break;
    parent = tree.parents[at];
    if (parent < 0 || parent >= tree.beams) return invalid_parent(row, time - 1, beam, parent);
  }
  bool has_ended = false;
  for (int64_t time = 0; time < length; ++time) {
    auto& id = out[tree.at(time, row, beam)];
    if (has_ended) id = end;
    has_ended = has_ended || id == end;
  }
  return {};
}

Status check_tree(const Launch& launch) {
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

Status compute_gather_tree(Launch& launch) {
  if (auto status = check_tree(launch); !status.ok()) return status;
  const auto shape = launch.input(0).shape();
  BeamTree tree{
      .batch = shape[1],
      .beams = shape[2],
      .ids = launch.input(0).data<int32_t>(),
      .parents = launch.input(1).data<int32_t>()};
  const auto* lengths = launch.input(2).data<int32_t>();
  auto end = launch.input(3).value<int32_t>();
  auto beams = launch.allocate(DType::int32, shape);
  if (!beams) return beams.status();
  auto* out = beams->mutable_data<int32_t>();
  std::fill_n(out, beams->elements(), end);
  for (int64_t row = 0; row < tree.batch; ++row)
    for (int64_t beam = 0; beam < tree.beams; ++beam) {
      auto length = std::min(shape[0], int64_t{lengths[row]});
      if (auto status = follow(tree, row, beam, length, end, out); !status.ok()) return status;
    }
  launch.set(0, *std::move(beams));
  return {};
}

}  // namespace

void add_beam_search_kernels(KernelCatalog& catalog) {
  catalog.add_compute("GatherTree", compute_gather_tree);
}

}  // namespace troupe::cpu
