#include "troupe/devices/cpu/nn/cells.hpp"

namespace troupe::cpu {

Result<ops::CellSizes> cell_sizes(const Launch& launch, const ops::CellArguments& arguments) {
  Shapes shapes;
  for (int i = 0; i < launch.input_count(); ++i) shapes.push_back(launch.input(i).shape());
  return ops::CellSizes::of(arguments.inputs, shapes);
}

Result<Tensor> allocate_cells(
    const Launch& launch, DType dtype, std::initializer_list<int64_t> sizes) {
  auto shape = Shape::make({sizes.begin(), sizes.size()});
  if (!shape) return shape.status();
  return launch.allocate(dtype, *shape);
}

Status set_cells(
    Launch& launch, int output, const ops::CellSizes& sizes, const ops::CellArgument& argument,
    DType dtype) {
  auto shape = sizes.shape_of(argument);
  if (!shape) return shape.status();
  auto cells = launch.allocate(dtype, *shape);
  if (!cells) return cells.status();
  launch.set(output, *std::move(cells));
  return {};
}

template <class T>
Status compute_by_floats(Launch& launch, const std::function<Status(Launch&)>& compute) {
  Tensors inputs(launch.inputs().begin(), launch.inputs().end());
  Tensors outputs(launch.outputs().size());
  for (auto& input : inputs) {
    if (input.dtype() != dtype_of<T>()) continue;
    auto wide = launch.allocate(DType::float32, input.shape());
    if (!wide) return wide.status();
    widen(wide->template mutable_data<float>(), input.data<T>(), input.elements());
    input = *std::move(wide);
  }
  Launch wide(launch.device(), launch.step(), inputs, outputs);
  if (auto status = compute(wide); !status.ok()) return status;
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto half = launch.allocate(dtype_of<T>(), outputs[i].shape());
    if (!half) return half.status();
    narrow(half->template mutable_data<T>(), outputs[i].data<float>(), outputs[i].elements());
    launch.set(static_cast<int>(i), *std::move(half));
  }
  return {};
}

template Status compute_by_floats<float16>(Launch&, const std::function<Status(Launch&)>&);
template Status compute_by_floats<bfloat16>(Launch&, const std::function<Status(Launch&)>&);

int64_t cell_cost_ns(const Launch& launch, int x, const std::vector<int>& weights) {
  const auto& shape = launch.input(x).shape();
  auto size = shape.rank() < 1 ? 1 : std::max<int64_t>(1, shape[shape.rank() - 1]);
  auto rows = launch.input(x).elements() / size;
  double flops = 0;
  for (auto input : weights) flops += 2.0 * double(rows) * double(launch.input(input).elements());
  return product_cost_ns(flops);
}

}  // namespace troupe::cpu
