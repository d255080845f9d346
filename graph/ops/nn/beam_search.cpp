#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status infer_gather_tree(ShapeInference& s) {
  for (auto [input, rank] : {std::pair(0, 3), {1, 3}, {2, 1}, {3, 0}})
    if (auto status = s.need_rank(input, rank); !status.ok()) return status;
  auto ids = s.input(0).merge(s.input(1));
  if (!ids) return ids.status();
  s.set(0, *ids);
  const auto& lengths = s.input(2);
  if (!lengths.has_rank() || !ids->has_rank()) return {};
  return lengths.merge(Shape{(*ids)[1]}).status();
}

}  // namespace

// What decoders by beam search need.
void add_beam_search_ops(OpCatalog& catalog) {
  catalog.add(Op("GatherTree")
      .doc("Follows each beam from its end to its beginning: at each time it has the id of that "
           "beam of which `parent_ids` says that it was its parent. All are [time, batch, beams]. "
           "What comes after the first `end_token`, or after the batch's greatest length, is "
           "`end_token`. (TensorFlow: contrib.seq2seq.)")
      .input("step_ids", "T")
      .input("parent_ids", "T")
      .input("max_sequence_lengths", DType::int32)
      .input("end_token", "T")
      .output("beams", "T")
      .attr("T", DTypes{DType::int32})
      .infer_shape(infer_gather_tree)
      .gradient(not_differentiable));
}

}  // namespace troupe
