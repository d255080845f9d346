#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/check_gradient.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/reference/call_graph.hpp"

namespace troupe::testing {
namespace {

constexpr auto all_knowledge = {KnownShapes::constants, KnownShapes::ranks, KnownShapes::nothing};

/// The sizes of a cell, and its inputs with varied numbers, in the order of the ops.
struct CellOf {
  int64_t batch = 2, inputs = 3, units = 2;

  template <class T>
  Tensors lstm(int64_t times = 0) const {
    auto x = times ? Shape{times, batch, inputs} : Shape{batch, inputs};
    return {
        varied<T>(x),
        varied<T>({batch, units}),
        varied<T>({batch, units}),
        varied<T>({inputs + units, 4 * units}),
        varied<T>({units}),
        varied<T>({units}),
        varied<T>({units}),
        varied<T>({4 * units})};
  }
  template <class T>
  Tensors gru() const {
    auto rows = inputs + units;
    return {varied<T>({batch, inputs}), varied<T>({batch, units}), varied<T>({rows, 2 * units}),
            varied<T>({rows, units}),   varied<T>({2 * units}),    varied<T>({units})};
  }
};

/// The derivatives of those outputs of an op, through which they pass.
void check_outputs(
    const std::string& op, const Tensors& inputs, const Attrs& attrs,
    const std::vector<int>& outputs) {
  Builder b;
  std::vector<FunctionArgument> arguments;
  GradientCase c{.op = "PartitionedCall", .inputs = {}};
  for (const auto& input : inputs) {
    arguments.push_back({"x" + std::to_string(arguments.size()), input.dtype()});
    c.inputs.push_back({input, input.dtype() == DType::float64});
  }
  auto function = b.function("f", arguments, [&](const Builder& f, const Values& in) {
    auto cell = f.op(op, in, attrs);
    Values results;
    for (auto output : outputs) results.push_back(cell.output(output));
    return results;
  });
  BOOST_REQUIRE_MESSAGE(b.status().ok(), b.status().to_string());
  c.attrs = {{"f", function}, {"Tout", DTypes(outputs.size(), DType::float64)}};
  c.functions = b.graph().library().defs_from(0);
  BOOST_TEST_CONTEXT(op)
  for (auto known : all_knowledge) check_gradient(c, known);
}

Tensors with_length(int64_t length, Tensors inputs) {
  inputs.insert(inputs.begin(), Tensor::scalar<int64_t>(length));
  return inputs;
}

Tensors must(const Result<Tensors>& outputs) {
  BOOST_REQUIRE_MESSAGE(outputs.ok(), outputs.status().to_string());
  return *outputs;
}

/// Position `time` of the first axis.
Tensor at_time(const Tensor& tensor, int64_t time) {
  const auto& shape = tensor.shape();
  auto count = shape[1] * shape[2];
  auto elements =
      tensor.values<float>().subspan(static_cast<size_t>(time * count), static_cast<size_t>(count));
  return Tensor::of<float>({shape[1], shape[2]}, elements);
}

/// A block of three times against that many steps of a cell.
void check_block(const CellOf& cell, const Attrs& attrs) {
  auto inputs = cell.lstm<float>(3);
  auto block = must(run_op("BlockLSTM", with_length(3, inputs), attrs));
  auto of_step = inputs;
  for (int64_t time = 0; time < 3; ++time) {
    of_step[0] = at_time(inputs[0], time);
    auto step = must(run_op("LSTMBlockCell", of_step, attrs));
    for (size_t i = 0; i < step.size(); ++i)
      BOOST_TEST(difference(at_time(block[i], time), step[i], 1e-5) == "");
    of_step[1] = step[1];
    of_step[2] = step[6];
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cells)

BOOST_AUTO_TEST_CASE(derivatives_of_a_step_pass_through_memory_and_output) {
  for (bool has_peepholes : {false, true}) {
    Attrs attrs = {{"use_peephole", has_peepholes}, {"forget_bias", 0.5f}};
    check_outputs("LSTMBlockCell", CellOf().lstm<double>(), attrs, {1, 6});
    check_outputs("LSTMBlockCell", CellOf().lstm<double>(), attrs, {6});
  }
  check_outputs("GRUBlockCell", CellOf().gru<double>(), {}, {3});
}

BOOST_AUTO_TEST_CASE(derivatives_of_a_block_are_those_up_to_the_greatest_length) {
  for (auto length : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{3}})
    for (const auto* op : {"BlockLSTM", "BlockLSTMV2"})
      check_outputs(
          op, with_length(length, CellOf().lstm<double>(3)), {{"use_peephole", length != 2}},
          {1, 6});
}

BOOST_AUTO_TEST_CASE(only_what_is_asked_for_of_a_step_is_differentiated) {
  for (const auto* op : {"LSTMBlockCell", "GRUBlockCell"}) {
    Builder b;
    Values inputs;
    auto tensors = op[0] == 'L' ? CellOf().lstm<float>() : CellOf().gru<float>();
    for (const auto& tensor : tensors) inputs.push_back(b.constant(tensor));
    auto cell = b.op(op, inputs);
    auto before = b.graph().size();
    auto made = gradients(b, {cell.output(op[0] == 'L' ? 6 : 3)}, {inputs.back()});
    BOOST_TEST(made.ok());
    for (auto id = before; id < b.graph().size(); ++id)
      BOOST_TEST(b.graph().nodes()[id].op->name() != "MatMul");
  }
}

BOOST_AUTO_TEST_CASE(a_block_is_as_many_steps_of_a_cell) {
  for (bool has_peepholes : {false, true}) {
    Attrs attrs = {{"use_peephole", has_peepholes}, {"cell_clip", 0.25f}};
    check_block({}, attrs);
    check_block({.batch = 1, .inputs = 1, .units = 1}, attrs);
    // Several threads share the sequences.
    check_block({.batch = 300, .inputs = 5, .units = 40}, attrs);
  }
}

BOOST_AUTO_TEST_CASE(a_sequence_does_not_depend_on_the_others_of_a_large_batch) {
  CellOf large{.batch = 500, .inputs = 4, .units = 33};
  auto inputs = large.gru<float>();
  auto all = must(run_op("GRUBlockCell", inputs));
  for (int64_t row : {int64_t{0}, int64_t{257}, int64_t{499}}) {
    auto alone = inputs;
    for (size_t i : {0u, 1u}) {
      auto size = inputs[i].shape()[1];
      alone[i] = Tensor::of<float>(
          {1, size}, inputs[i].values<float>().subspan(
                         static_cast<size_t>(row * size), static_cast<size_t>(size)));
    }
    auto one = must(run_op("GRUBlockCell", alone));
    for (size_t i = 0; i < one.size(); ++i) {
      auto cells = all[i].values<float>().subspan(static_cast<size_t>(row * 33), 33);
      BOOST_TEST(difference(Tensor::of<float>({1, 33}, cells), one[i], 1e-5) == "");
    }
  }
}

BOOST_AUTO_TEST_CASE(any_number_of_sequences_and_times_without_units_is_computed_at_once) {
  CellOf wide{.batch = int64_t{1} << 40, .inputs = 0, .units = 0};
  must(run_op("LSTMBlockCell", wide.lstm<float>(), {{"use_peephole", true}}));
  must(run_op("GRUBlockCell", wide.gru<double>()));
  CellOf none{.batch = 1, .inputs = 0, .units = 0};
  auto times = int64_t{1} << 40;
  auto inputs = with_length(times, none.lstm<float>(times));
  auto results = must(run_op("BlockLSTM", inputs));
  inputs.insert(inputs.end(), results.begin(), results.end());
  inputs.insert(inputs.end(), {results[1], results[6]});
  must(run_op("BlockLSTMGrad", inputs, {{"use_peephole", true}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
