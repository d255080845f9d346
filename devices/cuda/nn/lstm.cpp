#include "troupe/devices/cuda/nn/lstm.hpp"

#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/nn/lstm_arguments.hpp"

namespace troupe::cuda {
namespace {

/// Sets the elements of times that do not count to 0.
Status clear_rest(const LstmArguments& in, Tensor& output) {
  auto begin = static_cast<size_t>(in.sizes.steps * in.sizes.cells()) * size_of(in.op.dtype);
  if (begin >= output.bytes()) return {};
  auto* rest = static_cast<char*>(output.mutable_raw()) + begin;
  return to_status(
      cudaMemsetAsync(rest, 0, output.bytes() - begin, stream_of(in.launch)), "a fill");
}

Status run_lstm_steps(const LstmArguments& in, Tensors& outputs) {
  const auto& sizes = in.sizes;
  if (sizes.cells() == 0) return {};  // there may be any number of sequences or times
  auto batch = sizes.sizes.batch, units = sizes.sizes.units;
  auto wide = wide_dtype(in.op.dtype);
  RecurrentScratch scratch(in.launch);
  // The inputs of all times are there at once, so they need one product.
  auto* of_inputs = static_cast<char*>(scratch.allocate(wide, {sizes.steps, batch, sizes.gates()}));
  auto* of_state = scratch.allocate(wide, {batch, sizes.gates()});
  auto* memory = wide == in.op.dtype ? nullptr : scratch.allocate(wide, {batch, units});
  if (!scratch.status().ok()) return scratch.status();
  RecurrentProducts products(in.launch, in.op.dtype);
  auto status =
      products.multiply(in.inputs_of_steps(), in.input_weights(), of_inputs, ProductResult::wide);
  for (int64_t time = 0; status.ok() && time < sizes.steps; ++time) {
    auto of_time = [&](int output) { return in.of_time(outputs[size_t(output)], time); };
    auto is_first = time == 0;
    const auto* h_before = is_first ? in.input(2) : in.of_time(outputs[6], time - 1);
    status = products.multiply(
        {h_before, batch, units}, in.state_weights(), of_state, ProductResult::wide);
    if (!status.ok()) return status;
    auto skipped = static_cast<size_t>(time * batch * sizes.gates()) * size_of(wide);
    in.op.launches.step(
        {.cell = in.cell(),
         .peepholes = in.peepholes(),
         .bias = in.input(7),
         .of_input = of_inputs + skipped,
         .of_state = of_state,
         .cs_before = is_first ? in.input(1) : in.of_time(outputs[1], time - 1),
         .memory = memory,
         .is_first = is_first,
         .i = of_time(0),
         .cs = of_time(1),
         .f = of_time(2),
         .o = of_time(3),
         .ci = of_time(4),
         .co = of_time(5),
         .h = of_time(6),
         .stream = stream_of(in.launch)});
  }
  return status;
}

Status compute_lstm(Launch& launch, const LstmOp& op) {
  const auto& arguments = op.node.is_block ? ops::block_lstm() : ops::lstm_cell();
  auto sizes = cpu::LstmSizes::of(launch, op.node, arguments);
  if (!sizes) return sizes.status();
  LstmArguments in{launch, op, *sizes};
  auto outputs = allocate_recurrent(launch, op.dtype, sizes->sizes, arguments.outputs);
  if (!outputs) return outputs.status();
  for (auto& output : *outputs)
    if (auto status = clear_rest(in, output); !status.ok()) return status;
  if (auto status = run_lstm_steps(in, *outputs); !status.ok()) return status;
  return set_recurrent(launch, *std::move(outputs), "a memory cell");
}

}  // namespace

void add_lstm_kernels(KernelCatalog& catalog) {
  for (const std::string op : {"LSTMBlockCell", "BlockLSTM", "BlockLSTMV2"})
    catalog.add(op, lstm_kernel(compute_lstm));
  for (const std::string op : {"LSTMBlockCellGrad", "BlockLSTMGrad", "BlockLSTMGradV2"})
    catalog.add(op, lstm_kernel(compute_lstm_gradient));
}

}  // namespace troupe::cuda
