#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/nn/cell_arguments.hpp"

namespace troupe {

using namespace ops;

namespace {

/// Derivatives go through h alone, as in TensorFlow: r, u and c are there for the gradient.
void gru_gradient(Gradient& g) {
  Values inputs;
  for (int i = 0; i < g.input_count(); ++i) inputs.push_back(g.in(i));
  for (int i = 0; i < 3; ++i) inputs.push_back(g.out(i));
  inputs.push_back(g.dy(3));
  auto parts = g.op("GRUBlockCellGrad", inputs);
  if (!parts.is_valid()) return;
  const auto &x = g.in(0), &h_prev = g.in(1);
  auto candidate = parts.output(2), gates = parts.output(3);
  auto kernel_gradient = [&](const Value& state, const Value& sums) {
    auto both = g.op("ConcatV2", {x, state, g.constant<int32_t>(1)});
    return g.matmul(both, sums, {.transpose_a = true});
  };
  g.to_input(0, parts);
  g.to_input(1, parts.output(1));
  if (g.wants(2)) g.to_input(2, kernel_gradient(h_prev, gates));
  if (g.wants(3)) g.to_input(3, kernel_gradient(g.mul(h_prev, g.out(0)), candidate));
  if (g.wants(4)) g.to_input(4, g.op("BiasAddGrad", {gates}));
  if (g.wants(5)) g.to_input(5, g.op("BiasAddGrad", {candidate}));
}

}  // namespace

void add_gru_ops(OpCatalog& catalog) {
  catalog.add(with_arguments(Op("GRUBlockCell"), gru_cell())
      .doc("The reset gate r, the update gate u, the candidate c and the output h of a gated "
           "recurrent unit: [r, u] = sigmoid([x, h_prev] w_ru + b_ru), c = tanh([x, r h_prev] w_c "
           "+ b_c), h = u h_prev + (1 - u) c. Derivatives pass through h.")
      .gradient(gru_gradient));
  catalog.add(with_arguments(Op("GRUBlockCellGrad"), gru_cell_grad())
      .doc("The derivatives of GRUBlockCell with respect to x, h_prev, and the sums that go into c "
           "and into r and u; from that of h."));
}

}  // namespace troupe
