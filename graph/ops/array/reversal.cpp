#include <algorithm>
#include <utility>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status infer_reversal(ShapeInference& s) {
  const auto& x = s.input(0);
  s.set(0, x);
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  auto given = s.constant_ints(1);
  if (!given || !x.has_rank()) return {};
  std::vector<bool> is_reversed(static_cast<size_t>(x.rank()));
  for (auto each : *given) {
    auto axis = find_axis(each, x.rank());
    if (!axis) return axis.status();
    if (is_reversed[static_cast<size_t>(*axis)])
      return invalid_argument("axis " + std::to_string(*axis) + " is given twice");
    is_reversed[static_cast<size_t>(*axis)] = true;
  }
  return {};
}

/// The axes must be two of the input's, and the lengths fit them.
Status infer_reverse_sequence(ShapeInference& s) {
  auto x = s.input(0);
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  auto seq_dim = s.attr<int64_t>("seq_dim"), batch_dim = s.attr<int64_t>("batch_dim");
  if (seq_dim == batch_dim)
    return invalid_argument(
        "'seq_dim' and 'batch_dim' must differ, but both are " + std::to_string(seq_dim));
  auto most = x.has_rank() ? x.rank() : Shape::max_rank;
  for (auto axis : {seq_dim, batch_dim})
    if (axis < 0 || axis >= most)
      return invalid_argument(
          "'seq_dim' and 'batch_dim' must be axes of " + x.to_string() + ", but one is " +
          std::to_string(axis));
  s.set(0, x);
  if (!x.has_rank()) return {};
  auto batch = static_cast<int>(batch_dim);
  if (!Shape{x[batch]}.is_compatible_with(s.input(1)))
    return invalid_argument(
        "'seq_lengths' must have a length for each of the " + std::to_string(x[batch]) +
        " sequences, but have shape " + s.input(1).to_string());
  if (s.input(1).has_rank() && x[batch] == Shape::unknown) x.set(batch, s.input(1)[0]);
  s.set(0, x);
  auto size = x[static_cast<int>(seq_dim)];
  auto lengths = s.constant_ints(1).value_or(std::vector<int64_t>());
  for (auto length : lengths)
    if (length < 0 || (size >= 0 && length > size))
      return invalid_argument(
          "'seq_lengths' must lie in [0, " + std::to_string(size) + "], but one is " +
          std::to_string(length));
  return {};
}

}  // namespace

void add_reversal_ops(OpCatalog& catalog) {
  catalog.add(Op("ReverseV2")
      .doc("The tensor with the order of its elements turned round along each given axis.")
      .input("tensor", "T")
      .input("axis", "Tidx")
      .output("output", "T")
      .attr("Tidx", indexing(), DType::int32)
      .attr("T", all_dtypes())
      .infer_shape(infer_reversal)
      .gradient([](Gradient& g) { g.to_input(0, g.op("ReverseV2", {g.dy(), g.in(1)})); }));
  catalog.add(Op("ReverseSequence")
      .doc("The tensor with the first seq_lengths[i] elements along axis `seq_dim` turned round, "
           "for each i along axis `batch_dim`; the others stay.")
      .input("input", "T")
      .input("seq_lengths", "Tlen")
      .output("output", "T")
      .attr("seq_dim", AttrType::integer)
      .attr("batch_dim", 0)
      .attr("T", all_dtypes())
      .attr("Tlen", indexing(), DType::int64)
      .infer_shape(infer_reverse_sequence)
      .gradient([](Gradient& g) {
        Attrs attrs = {
            {"seq_dim", g.node().attr<int64_t>("seq_dim")},
            {"batch_dim", g.node().attr<int64_t>("batch_dim")}};
        g.to_input(0, g.op("ReverseSequence", {g.dy(), g.in(1)}, attrs));
      }));
}

}  // namespace troupe
