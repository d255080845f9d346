#include "troupe/devices/cpu/nn/lstm.hpp"

#include <algorithm>

#include "troupe/devices/cpu/nn/nn.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu {

LstmNode LstmNode::of(const Node& node) {
  auto number = [&](const char* name) {
    auto found = node.attrs.find(name);
    return found == node.attrs.end() ? 0.0f : *found->second.get<float>();
  };
  LstmNode lstm{
      .is_block = node.op->name().starts_with("Block"),
      .has_peepholes = node.attr<bool>("use_peephole"),
      .forget_bias = number("forget_bias"),
      .cell_clip = number("cell_clip")};
  if (node.op->name().ends_with("V2")) std::swap(lstm.cell, lstm.forget);
  return lstm;
}

Result<LstmSizes> LstmSizes::of(
    const Launch& launch, const LstmNode& node, const ops::CellArguments& arguments) {
  auto sizes = cell_sizes(launch, arguments);
  if (!sizes) return sizes.status();
  LstmSizes lstm{.sizes = *sizes};
  if (!node.is_block) {
    lstm.sizes.times = 1;
    return lstm;
  }
  lstm.steps = launch.input(0).value<int64_t>();
  if (lstm.steps >= 0 && lstm.steps <= sizes->times) return lstm;
  return invalid_argument(
      "'seq_len_max' must be in [0, " + std::to_string(sizes->times) + "], but is " +
      std::to_string(lstm.steps));
}

template <class T>
Result<LstmInputs<T>> LstmInputs<T>::of(
    const Launch& launch, const LstmNode& node, const ops::CellArguments& arguments) {
  auto sizes = LstmSizes::of(launch, node, arguments);
  if (!sizes) return sizes.status();
  auto first = node.first();
  auto input = [&](int index) { return launch.input(first + index).template data<T>(); };
  return LstmInputs{*sizes,   input(0), input(1), input(2), input(3),
                    input(4), input(5), input(6), input(7)};
}

template struct LstmInputs<float>;
template struct LstmInputs<double>;

namespace {

/// The outputs, and the steps that fill them in.
template <class T>
struct LstmSteps {
  const LstmNode& node;
  const LstmInputs<T>& in;
  T *i, *cs, *f, *o, *ci, *co, *h;
  vector::UnaryLoop sigmoid = vector::function_loop(vector::Function::sigmoid, dtype_of<T>());
  vector::UnaryLoop tanh = vector::function_loop(vector::Function::tanh, dtype_of<T>());

  const T* h_before(int64_t time) const {
    return time == 0 ? in.h_prev : h + (time - 1) * in.cells();
  }

  /// One sequence at one time, from the products of its input and of its last output.
  void advance(int64_t time, int64_t sequence, const T* of_input, const T* of_state) const {
    auto units = in.sizes.units, at = time * in.cells() + sequence * units;
    const auto* before = time == 0 ? in.cs_prev + sequence * units : cs + at - in.cells();
    auto sum = [&](T* out, int64_t gate, T bias) {
      auto first = gate * units;
      for (auto k = first; k < first + units; ++k)
        out[k - first] = of_input[k] + of_state[k] + in.b[k] + bias;
    };
    auto peep = [&](T* out, const T* weights, const T* memory) {
      for (int64_t k = 0; node.has_peepholes && k < units; ++k) out[k] += weights[k] * memory[k];
    };
    sum(i + at, node.input, 0);
    sum(ci + at, node.cell, 0);
    sum(f + at, node.forget, static_cast<T>(node.forget_bias));
    sum(o + at, node.output, 0);
    peep(i + at, in.wci, before);
    peep(f + at, in.wcf, before);
    sigmoid(i + at, i + at, units);
    sigmoid(f + at, f + at, units);
    tanh(ci + at, ci + at, units);
    remember(at, before);
    peep(o + at, in.wco, cs + at);
    sigmoid(o + at, o + at, units);
    tanh(co + at, cs + at, units);
    for (auto k = at; k < at + units; ++k) h[k] = o[k] * co[k];
  }

 private:
  void remember(int64_t at, const T* before) const {
    auto clip = static_cast<T>(node.cell_clip);
    for (auto k = at; k < at + in.sizes.units; ++k) cs[k] = ci[k] * i[k] + f[k] * before[k - at];
    if (!(clip > 0)) return;
    for (auto k = at; k < at + in.sizes.units; ++k) cs[k] = std::clamp(cs[k], -clip, clip);
  }
};

template <class T>
Status run_lstm_steps(Launch& launch, const LstmSteps<T>& steps) {
  const auto& in = steps.in;
  auto batch = in.sizes.batch;
  if (in.cells() == 0) return {};  // there may be any number of sequences or times
  // The inputs of all times are there at once, so they need one product.
  auto of_inputs = allocate_cells(launch, dtype_of<T>(), {in.steps, batch, in.gates()});
  if (!of_inputs) return of_inputs.status();
  auto of_state = allocate_cells(launch, dtype_of<T>(), {batch, in.gates()});
  if (!of_state) return of_state.status();
  auto* inputs = of_inputs->template mutable_data<T>();
  auto* state = of_state->template mutable_data<T>();
  auto status = multiply_cells(in.inputs_of_steps(), in.input_weights(), inputs);
  for (int64_t time = 0; status.ok() && time < in.steps; ++time) {
    CellMatrix<T> before{steps.h_before(time), batch, in.sizes.units};
    status = multiply_cells(before, in.state_weights(), state);
    parallel_ranges(batch, in.sizes.units * lstm_unit_work, [&](int64_t begin, int64_t end) {
      for (auto sequence = begin; sequence < end; ++sequence)
        steps.advance(
            time, sequence, inputs + (time * batch + sequence) * in.gates(),
            state + sequence * in.gates());
    });
  }
  return status;
}

template <class T>
Status compute_lstm(Launch& launch, const LstmNode& node) {
  const auto& arguments = node.is_block ? ops::block_lstm() : ops::lstm_cell();
  auto in = LstmInputs<T>::of(launch, node, arguments);
  if (!in) return in.status();
  std::array<T*, 7> outputs{};
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto output = static_cast<int>(i);
    auto status = set_cells(launch, output, in->sizes, arguments.outputs[i], dtype_of<T>());
    if (!status.ok()) return status;
    outputs[i] = launch.outputs()[i].template mutable_data<T>();
    std::fill(
        outputs[i] + in->steps * in->cells(), outputs[i] + in->sizes.times * in->cells(), T(0));
  }
  auto [i, cs, f, o, ci, co, h] = outputs;
  return run_lstm_steps(launch, LstmSteps<T>{node, *in, i, cs, f, o, ci, co, h});
}

KernelCatalog::Make lstm_kernel(int x) {
  return cell_kernel(x, {x + 3}, [](const Node& node) {
    return [lstm = LstmNode::of(node)](Launch& launch, auto zero) {
      return compute_lstm<decltype(zero)>(launch, lstm);
    };
  });
}

}  // namespace

void add_lstm_kernels(KernelCatalog& catalog) {
  catalog.add("LSTMBlockCell", lstm_kernel(0));
  catalog.add("BlockLSTM", lstm_kernel(1));
  catalog.add("BlockLSTMV2", lstm_kernel(1));
  add_lstm_gradient_kernels(catalog);
}

}  // namespace troupe::cpu
