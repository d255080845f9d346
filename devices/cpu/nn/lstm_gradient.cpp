#include <algorithm>

#include "troupe/devices/cpu/nn/lstm.hpp"

namespace troupe::cpu {
namespace {

/// The results of the forward steps, the derivatives of cs and h, and those to compute.
template <class T>
struct LstmGradient {
  const LstmNode& node;
  const LstmInputs<T>& in;
  const T *i = nullptr, *cs = nullptr, *f = nullptr, *o = nullptr, *ci = nullptr, *co = nullptr;
  const T *h = nullptr, *cs_grad = nullptr, *h_grad = nullptr;
  /// Of the sums that go into the gates, for each time and sequence.
  T* gates = nullptr;
  /// Of the time that was last gone through, and at the end of cs_prev and h_prev; that of h_prev
  /// is null where the op does not compute it.
  T *cs_prev_grad = nullptr, *h_prev_grad = nullptr;

  const T* cs_before(int64_t time) const {
    return time == 0 ? in.cs_prev : cs + (time - 1) * in.cells();
  }

  /// Goes back through one sequence at one time.
  void go_back(int64_t time, int64_t sequence) const {
    auto units = in.sizes.units, row = sequence * units, at = time * in.cells() + row;
    const auto* before = cs_before(time) + row;
    auto* gate = gates + (time * in.sizes.batch + sequence) * in.gates();
    for (int64_t k = 0; k < units; ++k) {
      auto c = at + k;
      auto dh = h_grad[c] + (h_prev_grad ? h_prev_grad[row + k] : T(0));
      auto d_output = o[c] * (1 - o[c]) * dh * co[c];
      auto d_memory = (1 - co[c] * co[c]) * dh * o[c] + cs_grad[c] + cs_prev_grad[row + k];
      if (node.has_peepholes) d_memory += d_output * in.wco[k];
      auto d_cell = (1 - ci[c] * ci[c]) * d_memory * i[c];
      auto d_forget = f[c] * (1 - f[c]) * d_memory * before[k];
      auto d_input = i[c] * (1 - i[c]) * d_memory * ci[c];
      auto d_before = d_memory * f[c];
      if (node.has_peepholes) d_before += d_input * in.wci[k] + d_forget * in.wcf[k];
      cs_prev_grad[row + k] = d_before;
      gate[node.input * units + k] = d_input;
      gate[node.cell * units + k] = d_cell;
      gate[node.forget * units + k] = d_forget;
      gate[node.output * units + k] = d_output;
    }
  }

  /// There may be any number of times, or sequences, if there are no cells.
  Status go_back() const {
    if (in.cells() == 0) return {};
    std::fill_n(cs_prev_grad, in.cells(), T(0));
    if (h_prev_grad) std::fill_n(h_prev_grad, in.cells(), T(0));
    auto batch = in.sizes.batch;
    for (auto time = in.steps - 1; time >= 0; --time) {
      parallel_ranges(batch, in.sizes.units * lstm_unit_work, [&](int64_t begin, int64_t end) {
        for (auto sequence = begin; sequence < end; ++sequence) go_back(time, sequence);
      });
      if (!h_prev_grad) continue;
      CellMatrix<T> of_time{gates + time * batch * in.gates(), batch, in.gates()};
      auto status = multiply_back(of_time, in.state_weights(), h_prev_grad);
      if (!status.ok()) return status;
    }
    return {};
  }

  /// Sums over all times and sequences; `factor(time)` are the cells that a gate's derivatives are
  /// multiplied by.
  template <class F>
  void sum_peepholes(T* sums, int64_t gate, const F& factor) const {
    auto units = in.sizes.units;
    std::fill_n(sums, units, T(0));
    if (!node.has_peepholes || in.cells() == 0) return;
    for (int64_t time = 0; time < in.steps; ++time)
      for (int64_t sequence = 0; sequence < in.sizes.batch; ++sequence) {
        const auto* cells = factor(time) + sequence * units;
        const auto* row = gates + (time * in.sizes.batch + sequence) * in.gates() + gate * units;
        for (int64_t k = 0; k < units; ++k) sums[k] += row[k] * cells[k];
      }
  }

  void sum_peepholes(T* wci_grad, T* wcf_grad, T* wco_grad) const {
    auto before = [&](int64_t time) { return cs_before(time); };
    sum_peepholes(wci_grad, node.input, before);
    sum_peepholes(wcf_grad, node.forget, before);
    sum_peepholes(wco_grad, node.output, [&](int64_t time) { return cs + time * in.cells(); });
  }
};

/// Sets all outputs to tensors of the arguments' shapes, to be written.
template <class T>
Status allocate_outputs(
    Launch& launch, const ops::CellSizes& sizes, const ops::CellArguments& arguments) {
  for (size_t i = 0; i < arguments.outputs.size(); ++i) {
    auto output = static_cast<int>(i);
    auto status = set_cells(launch, output, sizes, arguments.outputs[i], dtype_of<T>());
    if (!status.ok()) return status;
  }
  return {};
}

/// With no derivatives to compute yet.
template <class T>
LstmGradient<T> lstm_gradient(const Launch& launch, const LstmNode& node, const LstmInputs<T>& in) {
  auto input = [at = node.first() + 8, &launch]() mutable {
    return launch.input(at++).template data<T>();
  };
  LstmGradient<T> gradient{.node = node, .in = in};
  for (auto* to : {&gradient.i, &gradient.cs, &gradient.f, &gradient.o, &gradient.ci, &gradient.co})
    *to = input();
  if (node.is_block) gradient.h = input();
  gradient.cs_grad = input();
  gradient.h_grad = input();
  return gradient;
}

template <class T>
Status compute_lstm_cell_gradient(Launch& launch, const LstmNode& node) {
  auto in = LstmInputs<T>::of(launch, node, ops::lstm_cell_grad());
  if (!in) return in.status();
  auto status = allocate_outputs<T>(launch, in->sizes, ops::lstm_cell_grad());
  if (!status.ok()) return status;
  auto output = [&](size_t i) { return launch.outputs()[i].template mutable_data<T>(); };
  auto gradient = lstm_gradient(launch, node, *in);
  gradient.cs_prev_grad = output(0);
  gradient.gates = output(1);
  status = gradient.go_back();
  gradient.sum_peepholes(output(2), output(3), output(4));
  return status;
}

/// The output before each time and sequence, which the state's weights were multiplied by.
template <class T>
Result<Tensor> outputs_before(const Launch& launch, const LstmGradient<T>& gradient) {
  const auto& in = gradient.in;
  auto before = allocate_cells(launch, dtype_of<T>(), {in.steps, in.sizes.batch, in.sizes.units});
  if (!before || in.steps == 0) return before;
  auto* to = before->template mutable_data<T>();
  std::copy_n(in.h_prev, in.cells(), to);
  std::copy_n(gradient.h, (in.steps - 1) * in.cells(), to + in.cells());
  return before;
}

/// Those of x, w and b, which are products with, and sums of, the gates' of all times at once.
template <class T>
Status compute_outer_gradients(
    const Launch& launch, const LstmGradient<T>& gradient, T* x_grad, T* w_grad, T* b_grad) {
  const auto& in = gradient.in;
  auto rows = in.steps * in.sizes.batch;
  CellMatrix<T> gates{gradient.gates, rows, in.gates()};
  auto status = multiply_back(gates, in.input_weights(), x_grad);
  std::fill_n(
      x_grad + rows * in.sizes.inputs,
      (in.sizes.times - in.steps) * in.sizes.batch * in.sizes.inputs, T(0));
  if (status.ok()) status = multiply_for_weights(in.inputs_of_steps(), gates, w_grad);
  if (!status.ok()) return status;
  auto before = outputs_before(launch, gradient);
  if (!before) return before.status();
  CellMatrix<T> states{before->template data<T>(), rows, in.sizes.units};
  status = multiply_for_weights(states, gates, w_grad + in.sizes.inputs * in.gates());
  std::fill_n(b_grad, in.gates(), T(0));
  for (int64_t row = 0; in.cells() > 0 && row < rows; ++row)
    for (int64_t k = 0; k < in.gates(); ++k) b_grad[k] += gradient.gates[row * in.gates() + k];
  return status;
}

template <class T>
Status compute_block_lstm_gradient(Launch& launch, const LstmNode& node) {
  auto in = LstmInputs<T>::of(launch, node, ops::block_lstm_grad());
  if (!in) return in.status();
  auto status = allocate_outputs<T>(launch, in->sizes, ops::block_lstm_grad());
  if (!status.ok()) return status;
  auto output = [&](size_t i) { return launch.outputs()[i].template mutable_data<T>(); };
  auto gates = allocate_cells(launch, dtype_of<T>(), {in->steps, in->sizes.batch, in->gates()});
  if (!gates) return gates.status();
  auto gradient = lstm_gradient(launch, node, *in);
  gradient.gates = gates->template mutable_data<T>();
  gradient.cs_prev_grad = output(1);
  gradient.h_prev_grad = output(2);
  status = gradient.go_back();
  if (!status.ok()) return status;
  gradient.sum_peepholes(output(4), output(5), output(6));
  return compute_outer_gradients(launch, gradient, output(0), output(3), output(7));
}

/// By the op's position of x, which only that of all times has behind a length.
KernelCatalog::Make lstm_gradient_kernel(int x) {
  return cell_kernel(x, {x + 3, x + 3}, [](const Node& node) {
    return [lstm = LstmNode::of(node)](Launch& launch, auto zero) {
      using T = decltype(zero);
      if (lstm.is_block) return compute_block_lstm_gradient<T>(launch, lstm);
      return compute_lstm_cell_gradient<T>(launch, lstm);
    };
  });
}

}  // namespace

void add_lstm_gradient_kernels(KernelCatalog& catalog) {
  catalog.add("LSTMBlockCellGrad", lstm_gradient_kernel(0));
  catalog.add("BlockLSTMGrad", lstm_gradient_kernel(1));
  catalog.add("BlockLSTMGradV2", lstm_gradient_kernel(1));
}

}  // namespace troupe::cpu
