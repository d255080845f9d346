#include "troupe/devices/cpu/reduction/reduction.hpp"

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/reduction/reduction.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::cuda {

Result<Tensor> fold(
    const Launch& launch, LaunchFold function, const Tensor& in, const Shape& kept,
    const Shape& result, const FoldEnd& end) {
  bool is_folded[Shape::max_rank]{};
  for (int axis = 0; axis < kept.rank(); ++axis) is_folded[axis] = kept[axis] != in.shape()[axis];
  auto geometry = FoldGeometry::of(kept.rank(), in.shape().sizes(), is_folded);
  return fold_as(launch, function, in, geometry, result, end);
}

Result<Tensor> fold_as(
    const Launch& launch, LaunchFold function, const Tensor& in, const FoldGeometry& geometry,
    const Shape& result, const FoldEnd& end) {
  auto folded = launch.allocate(in.dtype(), result);
  if (!folded || folded->elements() == 0) return folded;
  FoldCall call{
      .out = folded->mutable_raw(),
      .from = in.raw(),
      .partial = nullptr,
      .geometry = geometry,
      .finish = end.finish,
      .count = end.count,
      .stream = stream_of(launch)};
  Tensor partial;
  if (call.geometry.parts > 1) {
    auto width = std::max<size_t>(4, size_of(in.dtype()));
    auto memory =
        scratch(launch, static_cast<size_t>(call.geometry.parts * call.geometry.outs()) * width);
    if (!memory) return memory;
    partial = *std::move(memory);
    call.partial = partial.mutable_raw();
  }
  function(call);
  auto status = launched("a reduction");
  if (!status.ok()) return status;
  return folded;
}

namespace {

Status compute_reduction(Launch& launch, LaunchFold function, Finish finish, bool keep_dims) {
  const auto& in = launch.input(0);
  auto plan = cpu::plan_reduction(in.shape(), launch.input(1), keep_dims);
  if (!plan) return plan.status();
  if (plan->kept == in.shape() && finish != Finish::root) {
    launch.set(0, launch.take_input(0).reshaped(plan->result));
    return {};
  }
  auto count = in.elements() / std::max<int64_t>(1, plan->kept.elements());
  auto out = fold(launch, function, in, plan->kept, plan->result, {finish, count});
  if (!out) return out.status();
  launch.set(0, *std::move(out));
  return {};
}

KernelCatalog::Make reduction(const char* function_name, Finish finish) {
  return [=](const Node& node) -> Result<Kernel> {
    auto dtype = node.attrs.contains("T") ? node.attr<DType>("T") : DType::boolean;
    auto function = find_fold(function_name, element_of(dtype));
    if (!function) return no_kernel(dtype);
    return Kernel{.compute = [=, keep_dims = node.attr<bool>("keep_dims")](Launch& launch) {
      return compute_reduction(launch, function, finish, keep_dims);
    }};
  };
}

struct ExtremeOp {
  LaunchExtreme function;
  DType places;
  bool is_least;
};

Status compute_extreme(Launch& launch, const ExtremeOp& op) {
  const auto& in = launch.input(0);
  auto given = cpu::scalar_input(launch.input(1), "the axis");
  if (!given) return given.status();
  auto axis = find_axis(*given, in.shape().rank());
  if (!axis) return axis.status();
  ExtremeCall call{
      .out = nullptr,
      .from = in.raw(),
      .outer = 1,
      .size = in.shape()[*axis],
      .inner = 1,
      .is_least = op.is_least,
      .is_long = op.places == DType::int64,
      .stream = stream_of(launch)};
  if (call.size == 0)
    return invalid_argument(
        "axis " + std::to_string(*axis) + " of " + in.shape().to_string() + " is empty");
  std::vector<int64_t> kept;
  for (int i = 0; i < in.shape().rank(); ++i) {
    if (i == *axis) continue;
    kept.push_back(in.shape()[i]);
    (i < *axis ? call.outer : call.inner) *= in.shape()[i];
  }
  auto result = launch.allocate(op.places, Shape(kept));
  if (!result) return result.status();
  call.out = result->mutable_raw();
  if (result->elements() > 0) op.function(call);
  return set_launched(launch, 0, *std::move(result), "a search for extremes");
}

KernelCatalog::Make extreme(bool is_least) {
  return [is_least](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    ExtremeOp op{find_extreme(element_of(dtype)), node.attr<DType>("output_type"), is_least};
    if (!op.function) return no_kernel(dtype);
    return Kernel{.compute = [op](Launch& launch) { return compute_extreme(launch, op); }};
  };
}

Result<Kernel> make_l2_loss(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto function = find_fold("SquareSum", element_of(dtype));
  if (!function) return no_kernel(dtype);
  return Kernel{.compute = [function](Launch& launch) -> Status {
    const auto& in = launch.input(0);
    auto flat = in.reshaped({in.elements()});
    auto out = fold(launch, function, flat, {1}, {}, {Finish::divide, 2});
    if (!out) return out.status();
    launch.set(0, *std::move(out));
    return {};
  }};
}

}  // namespace

void add_reduction_kernels(KernelCatalog& catalog) {
  for (const auto* op : {"Sum", "Prod", "Max", "Min", "All", "Any"})
    catalog.add(op, reduction(op, Finish::nothing));
  catalog.add("Mean", reduction("Sum", Finish::divide));
  catalog.add("EuclideanNorm", reduction("SquareSum", Finish::root));
  catalog.add("ArgMax", extreme(/*is_least=*/false));
  catalog.add("ArgMin", extreme(/*is_least=*/true));
  catalog.add("L2Loss", make_l2_loss);
}

}  // namespace troupe::cuda
