#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/nn/cell_arguments.hpp"

namespace troupe {

using namespace ops;

namespace {

// Outputs of both forward ops, in order i, cs, f, o, ci, co, h. Derivatives go through the memory
// and the output alone, as in TensorFlow: the others are there for the gradient.
constexpr int cs_output = 1, h_output = 6;

Values with_results(Gradient& g, Values inputs, int results) {
  for (int i = 0; i < results; ++i) inputs.push_back(g.out(i));
  inputs.push_back(g.dy(cs_output));
  inputs.push_back(g.dy(h_output));
  return inputs;
}

Values inputs_of(const Gradient& g) {
  Values inputs;
  for (int i = 0; i < g.input_count(); ++i) inputs.push_back(g.in(i));
  return inputs;
}

Attrs peephole_attr(const Gradient& g) {
  return {{"use_peephole", g.node().attr<bool>("use_peephole")}};
}

/// The op makes the derivatives of the gates; those of what the gates are made of are products.
void cell_gradient(Gradient& g) {
  auto parts = g.op("LSTMBlockCellGrad", with_results(g, inputs_of(g), 6), peephole_attr(g));
  if (!parts.is_valid()) return;
  const auto &x = g.in(0), &h_prev = g.in(2), &w = g.in(3);
  auto gates = parts.output(1);
  if (g.wants(0) || g.wants(2)) {
    auto both = g.matmul(gates, w, {.transpose_b = true});
    auto sizes = Values{g.shape_of(x), g.shape_of(h_prev)};
    auto begins = g.op("ConcatOffset", {g.constant<int32_t>(1), sizes[0], sizes[1]});
    g.to_input(0, g.op("Slice", {both, begins, sizes[0]}));
    g.to_input(2, g.op("Slice", {both, begins.output(1), sizes[1]}));
  }
  if (g.wants(3)) {
    auto both = g.op("ConcatV2", {x, h_prev, g.constant<int32_t>(1)});
    g.to_input(3, g.matmul(both, gates, {.transpose_a = true}));
  }
  g.to_input(1, parts);
  for (int i = 0; i < 3; ++i) g.to_input(4 + i, parts.output(2 + i));
  if (g.wants(7)) g.to_input(7, g.op("BiasAddGrad", {gates}));
}

Op::MakeGradient block_gradient(const std::string& op) {
  return [op](Gradient& g) {
    auto parts = g.op(op, with_results(g, inputs_of(g), 7), peephole_attr(g));
    for (int i = 1; parts.is_valid() && i < g.input_count(); ++i)
      g.to_input(i, parts.output(i - 1));
  };
}

Op with_lstm_attrs(Op op, const CellArguments& arguments, float cell_clip) {
  return with_arguments(std::move(op), arguments)
      .attr("cell_clip", cell_clip)
      .attr("use_peephole", false);
}

const char* const gates_doc =
    "The input gate i, the memory cs, the forget gate f, the output gate o, the new memory ci, "
    "tanh(cs) and the output h of a long short-term memory: i = sigmoid([x, h_prev] w + b + wci "
    "cs_prev), f likewise with wcf and forget_bias, ci = tanh(...), cs = ci i + cs_prev f, within "
    "+-cell_clip where that is positive, o = sigmoid(... + wco cs), h = o tanh(cs). The columns of "
    "w and b are those of ";

const char* const peephole_doc = "; wci, wcf and wco count where use_peephole is true.";

void add_block(OpCatalog& catalog, const std::string& version, const std::string& order) {
  auto is_first = version.empty();
  auto op = with_lstm_attrs(Op("BlockLSTM" + version), block_lstm(), is_first ? 3.0f : 0.0f);
  if (is_first) std::move(op).attr("forget_bias", 1.0f);
  catalog.add(std::move(op)
      .doc(gates_doc + order + peephole_doc +
           " Of all times of sequences, x [times, batch, inputs], up to seq_len_max; behind it all "
           "is 0. Derivatives pass through cs and h.")
      .gradient(block_gradient("BlockLSTMGrad" + version)));
  catalog.add(with_arguments(Op("BlockLSTMGrad" + version), block_lstm_grad())
      .doc("The derivatives of BlockLSTM" + version + ", from those of cs and h. Clipping counts "
           "as if it were none.")
      .attr("use_peephole", AttrType::boolean));
}

}  // namespace

void add_lstm_ops(OpCatalog& catalog) {
  catalog.add(with_lstm_attrs(Op("LSTMBlockCell"), lstm_cell(), 3.0f)
      .attr("forget_bias", 1.0f)
      .doc(gates_doc + std::string("i, ci, f, o") + peephole_doc +
           " Of one time, x [batch, inputs]. Derivatives pass through cs and h.")
      .gradient(cell_gradient));
  catalog.add(with_arguments(Op("LSTMBlockCellGrad"), lstm_cell_grad())
      .doc("The derivatives of LSTMBlockCell with respect to cs_prev, the sums that go into i, ci, "
           "f and o, and wci, wcf, wco; from those of cs and h. Clipping counts as if it were "
           "none.")
      .attr("use_peephole", AttrType::boolean));
  add_block(catalog, "", "i, ci, f, o");
  add_block(catalog, "V2", "i, f, ci, o");
}

}  // namespace troupe
