#pragma once

#include <limits>

#include "troupe/devices/cpu/nn/lstm.hpp"
#include "troupe/devices/cuda/nn/lstm.hpp"
#include "troupe/devices/cuda/nn/recurrent.hpp"

namespace troupe::cuda {

/// What the kernels of memory cells know of their node.
struct LstmOp {
  cpu::LstmNode node;
  DType dtype;
  LstmLaunches launches;
};

/// The inputs of one launch, where they lie in the card's memory.
struct LstmArguments {
  const Launch& launch;
  const LstmOp& op;
  cpu::LstmSizes sizes;

  /// Those behind a length, where there is one: x, cs_prev, h_prev, w, wci, wcf, wco, b, and more.
  const void* input(int index) const { return launch.input(op.node.first() + index).raw(); }
  /// The cells of a time, in a tensor of all.
  void* of_time(Tensor& all, int64_t time) const {
    return static_cast<char*>(all.mutable_raw()) + cells_before(time);
  }
  /// As of_time(), in an input.
  const void* input_at(int index, int64_t time) const {
    return static_cast<const char*>(input(index)) + cells_before(time);
  }

  LstmCell cell() const {
    // A number nearer to 0 than normal ones is 0 to CPUs, and clips nothing.
    auto clips = op.node.cell_clip >= std::numeric_limits<float>::min();
    return {
        .batch = sizes.sizes.batch,
        .units = sizes.sizes.units,
        .input = op.node.input,
        .cell = op.node.cell,
        .forget = op.node.forget,
        .output = op.node.output,
        .has_peepholes = op.node.has_peepholes,
        .forget_bias = op.node.forget_bias,
        .clip = clips ? op.node.cell_clip : 0};
  }
  LstmPeepholes peepholes() const { return {input(4), input(5), input(6)}; }

  int64_t rows() const { return sizes.steps * sizes.sizes.batch; }
  RecurrentMatrix inputs_of_steps() const { return {input(0), rows(), sizes.sizes.inputs}; }
  RecurrentMatrix input_weights() const { return {input(3), sizes.sizes.inputs, sizes.gates()}; }
  RecurrentMatrix state_weights() const {
    auto bytes = static_cast<size_t>(sizes.sizes.inputs * sizes.gates()) * size_of(op.dtype);
    return {static_cast<const char*>(input(3)) + bytes, sizes.sizes.units, sizes.gates()};
  }

 private:
  int64_t cells_before(int64_t time) const {
    return time * sizes.cells() * static_cast<int64_t>(size_of(op.dtype));
  }
};

/// The kernel of a node that `compute` is called for.
inline KernelCatalog::Make lstm_kernel(Status (*compute)(Launch&, const LstmOp&)) {
  return [compute](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    LstmOp op{cpu::LstmNode::of(node), dtype, find_lstm(element_of(dtype))};
    if (!op.launches.step) return no_kernel(dtype);
    return Kernel{.compute = [compute, op](Launch& launch) { return compute(launch, op); }};
  };
}

/// Of LSTMBlockCellGrad and BlockLSTMGrad(V2).
Status compute_lstm_gradient(Launch& launch, const LstmOp& op);

}  // namespace troupe::cuda
