#include <algorithm>

#include "troupe/devices/cpu/nn/cells.hpp"
#include "troupe/devices/cpu/nn/nn.hpp"
#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu {
namespace {

/// The work of a unit, in elements of a cheap operation.
constexpr int64_t gru_unit_work = 30;

template <class T>
struct GruInputs {
  ops::CellSizes sizes;
  const T *x, *h_prev, *w_ru, *w_c, *b_ru, *b_c;

  static Result<GruInputs> of(const Launch& launch, const ops::CellArguments& arguments) {
    auto sizes = cell_sizes(launch, arguments);
    if (!sizes) return sizes.status();
    auto input = [&](int index) { return launch.input(index).data<T>(); };
    return GruInputs{*sizes, input(0), input(1), input(2), input(3), input(4), input(5)};
  }

  CellMatrix<T> inputs() const { return {x, sizes.batch, sizes.inputs}; }
  CellMatrix<T> of_units(const T* elements) const { return {elements, sizes.batch, sizes.units}; }
  CellMatrix<T> of_gates(const T* elements) const {
    return {elements, sizes.batch, 2 * sizes.units};
  }
  /// The rows of a kernel that inputs, and that a state, are multiplied by.
  CellMatrix<T> input_rows(const T* kernel, int64_t columns) const {
    return {kernel, sizes.inputs, columns};
  }
  CellMatrix<T> state_rows(const T* kernel, int64_t columns) const {
    return {kernel + sizes.inputs * columns, sizes.units, columns};
  }

  /// Calls f(unit, its place among cells, among those of r in [r, u]) for all sequences.
  template <class F>
  void each_cell(const F& f) const {
    auto units = sizes.units;
    if (units == 0) return;  // of any number of sequences
    parallel_ranges(sizes.batch, units * gru_unit_work, [&](int64_t begin, int64_t end) {
      for (auto row = begin; row < end; ++row)
        for (int64_t k = 0; k < units; ++k) f(k, row * units + k, row * 2 * units + k);
    });
  }
};

/// Memory for intermediate results of a launch.
template <class T>
struct GruScratch {
  std::vector<Tensor> tensors;

  /// Null where there is none; `status` then says why.
  T* allocate(const Launch& launch, std::initializer_list<int64_t> sizes) {
    auto tensor = allocate_cells(launch, dtype_of<T>(), sizes);
    if (!tensor) {
      status = tensor.status();
      return nullptr;
    }
    tensors.push_back(*std::move(tensor));
    return tensors.back().mutable_data<T>();
  }

  Status status;
};

template <class T>
Status allocate_gru_outputs(
    Launch& launch, const ops::CellSizes& sizes, const ops::CellArguments& arguments) {
  Status status;
  for (size_t i = 0; status.ok() && i < arguments.outputs.size(); ++i)
    status = set_cells(launch, static_cast<int>(i), sizes, arguments.outputs[i], dtype_of<T>());
  return status;
}

/// Applies a function to elements of all sequences.
template <class T>
void apply_to_cells(vector::Function function, T* cells, int64_t batch, int64_t units) {
  auto loop = vector::function_loop(function, dtype_of<T>());
  parallel_ranges(batch, units * gru_unit_work, [&](int64_t begin, int64_t end) {
    loop(cells + begin * units, cells + begin * units, (end - begin) * units);
  });
}

template <class T>
Status compute_gru(Launch& launch) {
  auto in = GruInputs<T>::of(launch, ops::gru_cell());
  if (!in) return in.status();
  auto batch = in->sizes.batch, units = in->sizes.units;
  auto status = allocate_gru_outputs<T>(launch, in->sizes, ops::gru_cell());
  GruScratch<T> scratch;
  auto* of_inputs = scratch.allocate(launch, {batch, 2 * units});
  auto* of_state = scratch.allocate(launch, {batch, 2 * units});
  auto* reset_state = scratch.allocate(launch, {batch, units});
  if (status.ok()) status = scratch.status;
  if (!status.ok()) return status;
  auto output = [&](size_t i) { return launch.outputs()[i].template mutable_data<T>(); };
  auto *r = output(0), *u = output(1), *c = output(2), *h = output(3);

  status = multiply_cells(in->inputs(), in->input_rows(in->w_ru, 2 * units), of_inputs);
  if (status.ok())
    status =
        multiply_cells(in->of_units(in->h_prev), in->state_rows(in->w_ru, 2 * units), of_state);
  if (!status.ok()) return status;
  in->each_cell([&](int64_t k, int64_t cell, int64_t gate) {
    r[cell] = of_inputs[gate] + of_state[gate] + in->b_ru[k];
    u[cell] = of_inputs[gate + units] + of_state[gate + units] + in->b_ru[k + units];
  });
  apply_to_cells(vector::Function::sigmoid, r, batch, units);
  apply_to_cells(vector::Function::sigmoid, u, batch, units);

  in->each_cell(
      [&](int64_t, int64_t cell, int64_t) { reset_state[cell] = r[cell] * in->h_prev[cell]; });
  status = multiply_cells(in->inputs(), in->input_rows(in->w_c, units), of_inputs);
  if (status.ok())
    status = multiply_cells(in->of_units(reset_state), in->state_rows(in->w_c, units), of_state);
  if (!status.ok()) return status;
  in->each_cell([&](int64_t k, int64_t cell, int64_t) {
    c[cell] = of_inputs[cell] + of_state[cell] + in->b_c[k];
  });
  apply_to_cells(vector::Function::tanh, c, batch, units);
  in->each_cell([&](int64_t, int64_t cell, int64_t) {
    h[cell] = u[cell] * (in->h_prev[cell] - c[cell]) + c[cell];
  });
  return {};
}

template <class T>
Status compute_gru_gradient(Launch& launch) {
  auto in = GruInputs<T>::of(launch, ops::gru_cell_grad());
  if (!in) return in.status();
  auto batch = in->sizes.batch, units = in->sizes.units, inputs = in->sizes.inputs;
  auto status = allocate_gru_outputs<T>(launch, in->sizes, ops::gru_cell_grad());
  GruScratch<T> scratch;
  auto* d_reset_state = scratch.allocate(launch, {batch, units});
  auto* by_candidate = scratch.allocate(launch, {batch, inputs});
  if (status.ok()) status = scratch.status;
  if (!status.ok()) return status;
  auto input = [&](int i) { return launch.input(i).data<T>(); };
  const auto *r = input(6), *u = input(7), *c = input(8), *d_h = input(9);
  auto output = [&](size_t i) { return launch.outputs()[i].template mutable_data<T>(); };
  auto *d_x = output(0), *d_h_prev = output(1), *d_c = output(2), *d_gates = output(3);

  in->each_cell([&](int64_t, int64_t cell, int64_t gate) {
    d_c[cell] = d_h[cell] * (1 - u[cell]) * (1 - c[cell] * c[cell]);
    d_gates[gate + units] = d_h[cell] * (in->h_prev[cell] - c[cell]) * u[cell] * (1 - u[cell]);
  });
  auto candidates = in->of_units(d_c);
  status = multiply_back(candidates, in->state_rows(in->w_c, units), d_reset_state);
  if (status.ok()) status = multiply_back(candidates, in->input_rows(in->w_c, units), by_candidate);
  if (!status.ok()) return status;
  in->each_cell([&](int64_t, int64_t cell, int64_t gate) {
    d_gates[gate] = d_reset_state[cell] * in->h_prev[cell] * r[cell] * (1 - r[cell]);
  });
  auto gates = in->of_gates(d_gates);
  status = multiply_back(gates, in->input_rows(in->w_ru, 2 * units), d_x);
  if (status.ok()) status = multiply_back(gates, in->state_rows(in->w_ru, 2 * units), d_h_prev);
  if (!status.ok()) return status;
  for (int64_t i = 0; i < batch * inputs; ++i) d_x[i] += by_candidate[i];
  in->each_cell([&](int64_t, int64_t cell, int64_t) {
    d_h_prev[cell] += d_reset_state[cell] * r[cell] + d_h[cell] * u[cell];
  });
  return {};
}

}  // namespace

void add_gru_kernels(KernelCatalog& catalog) {
  auto weights = std::vector<int>{2, 3};
  catalog.add("GRUBlockCell", cell_kernel(0, weights, [](const Node&) {
                return
                    [](Launch& launch, auto zero) { return compute_gru<decltype(zero)>(launch); };
              }));
  catalog.add("GRUBlockCellGrad", cell_kernel(0, weights, [](const Node&) {
                return [](Launch& launch, auto zero) {
                  return compute_gru_gradient<decltype(zero)>(launch);
                };
              }));
}

}  // namespace troupe::cpu
