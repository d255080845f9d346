#include "troupe/devices/cuda/nn/gru.hpp"

#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/nn/recurrent.hpp"

namespace troupe::cuda {
namespace {

struct GruOp {
  DType dtype;
  GruLaunches launches;
};

/// The inputs of one launch, where they lie in the card's memory.
struct GruArguments {
  const Launch& launch;
  DType dtype;
  ops::CellSizes sizes;

  const void* input(int index) const { return launch.input(index).raw(); }
  RecurrentMatrix inputs() const { return {input(0), sizes.batch, sizes.inputs}; }
  RecurrentMatrix of_units(const void* elements) const {
    return {elements, sizes.batch, sizes.units};
  }
  /// The rows of weights that inputs, and that a state, are multiplied by.
  RecurrentMatrix input_rows(int weights, int64_t columns) const {
    return {input(weights), sizes.inputs, columns};
  }
  RecurrentMatrix state_rows(int weights, int64_t columns) const {
    auto bytes = static_cast<size_t>(sizes.inputs * columns) * size_of(dtype);
    return {static_cast<const char*>(input(weights)) + bytes, sizes.units, columns};
  }
  GruSizes of_cells() const { return {sizes.batch, sizes.units, sizes.inputs}; }
};

// The inputs that are weights: of the gates, and of the candidate.
constexpr int w_ru = 2, w_c = 3;

Status run_gru(const GruArguments& in, const GruLaunches& launches, Tensors& outputs) {
  auto batch = in.sizes.batch, units = in.sizes.units;
  RecurrentScratch scratch(in.launch);
  auto wide = wide_dtype(in.dtype);
  auto* of_input = scratch.allocate(wide, {batch, 2 * units});
  auto* of_state = scratch.allocate(wide, {batch, 2 * units});
  auto* reset_state = scratch.allocate(in.dtype, {batch, units});
  auto status = scratch.status();
  if (!status.ok() || batch == 0 || units == 0) return status;
  GruStepCall call{
      .sizes = in.of_cells(),
      .h_prev = in.input(1),
      .b_ru = in.input(4),
      .b_c = in.input(5),
      .of_input = of_input,
      .of_state = of_state,
      .reset_state = reset_state,
      .r = outputs[0].mutable_raw(),
      .u = outputs[1].mutable_raw(),
      .c = outputs[2].mutable_raw(),
      .h = outputs[3].mutable_raw(),
      .stream = stream_of(in.launch)};
  RecurrentProducts products(in.launch, in.dtype);
  auto multiply = [&](int weights, int64_t columns, const void* state) {
    auto made = products.multiply(
        in.inputs(), in.input_rows(weights, columns), of_input, ProductResult::wide);
    if (!made.ok()) return made;
    return products.multiply(
        in.of_units(state), in.state_rows(weights, columns), of_state, ProductResult::wide);
  };
  status = multiply(w_ru, 2 * units, in.input(1));
  if (!status.ok()) return status;
  launches.gates(call);
  status = multiply(w_c, units, reset_state);
  if (status.ok()) launches.candidates(call);
  return status;
}

Status run_gru_back(const GruArguments& in, const GruLaunches& launches, Tensors& outputs) {
  auto batch = in.sizes.batch, units = in.sizes.units, inputs = in.sizes.inputs;
  RecurrentScratch scratch(in.launch);
  auto wide = wide_dtype(in.dtype);
  auto* d_reset_state = scratch.allocate(wide, {batch, units});
  auto* by_candidate = scratch.allocate(wide, {batch, inputs});
  auto* to_inputs = scratch.allocate(wide, {batch, inputs});
  auto* to_state = scratch.allocate(wide, {batch, units});
  auto status = scratch.status();
  if (!status.ok() || batch == 0) return status;
  GruBackCall call{
      .sizes = in.of_cells(),
      .h_prev = in.input(1),
      .r = in.input(6),
      .u = in.input(7),
      .c = in.input(8),
      .d_h = in.input(9),
      .d_reset_state = d_reset_state,
      .by_candidate = by_candidate,
      .by_gates_to_state = to_state,
      .by_gates_to_inputs = to_inputs,
      .d_x = outputs[0].mutable_raw(),
      .d_h_prev = outputs[1].mutable_raw(),
      .d_c = outputs[2].mutable_raw(),
      .d_gates = outputs[3].mutable_raw(),
      .stream = stream_of(in.launch)};
  RecurrentProducts products(in.launch, in.dtype);
  auto multiply_back = [&](const RecurrentMatrix& by, int weights, void* state, void* input) {
    auto made =
        products.multiply_back(by, in.state_rows(weights, by.columns), state, ProductResult::wide);
    if (!made.ok()) return made;
    return products.multiply_back(
        by, in.input_rows(weights, by.columns), input, ProductResult::wide);
  };
  launches.back_to_candidates(call);
  status = multiply_back(in.of_units(call.d_c), w_c, d_reset_state, by_candidate);
  if (!status.ok()) return status;
  launches.back_to_gates(call);
  status = multiply_back({call.d_gates, batch, 2 * units}, w_ru, to_state, to_inputs);
  if (status.ok()) launches.back_to_state(call);
  return status;
}

using RunGru = Status (*)(const GruArguments&, const GruLaunches&, Tensors& outputs);

KernelCatalog::Make gru_kernel(const ops::CellArguments& arguments, RunGru run) {
  return [&arguments, run](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    GruOp op{dtype, find_gru(element_of(dtype))};
    if (!op.launches.gates) return no_kernel(dtype);
    return Kernel{.compute = [&arguments, run, op](Launch& launch) -> Status {
      auto sizes = cpu::cell_sizes(launch, arguments);
      if (!sizes) return sizes.status();
      auto outputs = allocate_recurrent(launch, op.dtype, *sizes, arguments.outputs);
      if (!outputs) return outputs.status();
      auto status = run({launch, op.dtype, *sizes}, op.launches, *outputs);
      if (!status.ok()) return status;
      return set_recurrent(launch, *std::move(outputs), "a gated unit");
    }};
  };
}

}  // namespace

void add_gru_kernels(KernelCatalog& catalog) {
  catalog.add("GRUBlockCell", gru_kernel(ops::gru_cell(), run_gru));
  catalog.add("GRUBlockCellGrad", gru_kernel(ops::gru_cell_grad(), run_gru_back));
}

}  // namespace troupe::cuda
