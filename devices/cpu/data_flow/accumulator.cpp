#include "troupe/devices/resources/data_flow/accumulator.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data_flow/waiting_kernel.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

using AccumulatorUse = LaunchedUse<AccumulatorResource>;

/// What is done with more bytes takes longer than handing it to another thread.
constexpr size_t gradient_task_bytes = 64 << 10;

size_t bytes_of_gradient(const Tensors& gradient) {
  size_t bytes = 0;
  for (const auto& tensor : gradient)
    if (tensor.is_set()) bytes += tensor.bytes();
  return bytes;
}

AccumulatorResource::Run run_for(Device& device, size_t bytes) {
  if (bytes < gradient_task_bytes) return [](const std::function<void()>& work) { work(); };
  return [&device](std::function<void()> work) { device.enqueue(std::move(work)); };
}

Status need_scalar(const Launch& launch, const char* argument) {
  const auto& shape = launch.input(1).shape();
  if (shape.is_scalar()) return {};
  return invalid_argument(
      std::string("Argument ") + argument + " must be scalar, but had bad shape " +
      shape.to_string());
}

/// Fails unless the accumulator is of the op's form and dtype.
Status check_form(const AccumulatorResource& accumulator, bool is_sparse, DType dtype) {
  const auto& options = accumulator.options();
  if (options.is_sparse != is_sparse)
    return invalid_argument(
        options.is_sparse ? "the accumulator is sparse" : "the accumulator is not sparse");
  if (options.dtype == dtype) return {};
  return invalid_argument(
      std::string("the gradients of the accumulator are ") + to_string(options.dtype) + ", not " +
      to_string(dtype));
}

// -- applying

void apply_gradient(Launch& launch, AccumulatorUse use, Tensors gradient, bool is_sparse) {
  auto status = need_scalar(launch, "local_step");
  auto dtype = gradient[is_sparse ? 1 : 0].dtype();
  if (status.ok()) status = check_form(use.resource, is_sparse, dtype);
  if (!status.ok()) return use.done(status);
  auto local_step = launch.input(1).value<int64_t>();
  auto& device = launch.device();
  auto run = run_for(device, bytes_of_gradient(gradient));
  use.resource.apply(
      local_step, std::move(gradient), device.allocator(), std::move(use.done), run,
      std::move(use.owner));
}

Kernel applying_kernel(bool is_sparse, bool has_known_shape) {
  auto begin = [is_sparse, has_known_shape](Launch& launch, AccumulatorUse use) {
    auto gradient = take_inputs(launch, 2, launch.input_count());
    if (is_sparse && !has_known_shape) gradient[2] = Tensor();
    apply_gradient(launch, std::move(use), std::move(gradient), is_sparse);
  };
  return waiting_kernel<AccumulatorResource>(
      0, "other gradients to be added", "ApplyGrad operation was cancelled",
      changing<AccumulatorResource>(begin));
}

Result<Kernel> make_apply(const Node&) { return applying_kernel(false, false); }

Result<Kernel> make_sparse_apply(const Node& node) {
  return applying_kernel(true, node.attr<bool>("has_known_shape"));
}

// -- taking

/// Computes what was taken, and ends the launch with it.
void finish_take(Launch& launch, GradientSum& taken, const Kernel::Done& done) {
  auto tensors = taken.result(launch.device().allocator());
  if (!tensors) return done(tensors.status());
  set_outputs(launch, 0, *std::move(tensors));
  done({});
}

void take_gradient(Launch& launch, AccumulatorUse use, bool is_sparse, DType dtype) {
  auto status = need_scalar(launch, "num_required");
  if (status.ok()) status = check_form(use.resource, is_sparse, dtype);
  auto required = status.ok() ? launch.input(1).value<int32_t>() : 0;
  if (status.ok() && required <= 0)
    status = invalid_argument(
        "Argument num_required must be positive, but was " + std::to_string(required));
  if (!status.ok()) return use.done(status);
  auto taken = [&launch, done = use.done](Result<std::shared_ptr<GradientSum>> sum) {
    if (!sum) return done(sum.status());
    auto run = run_for(launch.device(), (*sum)->bytes());
    run([&launch, sum = *sum, done] { finish_take(launch, *sum, done); });
  };
  use.wait(launch, use.resource.take(required, std::move(taken)));
}

Result<Kernel> make_take(const Node& node, bool is_sparse) {
  auto begin = [is_sparse, dtype = node.attr<DType>("dtype")](Launch& launch, AccumulatorUse use) {
    take_gradient(launch, std::move(use), is_sparse, dtype);
  };
  return waiting_kernel<AccumulatorResource>(
      0, "gradients of an accumulator", "TakeGrad operation was cancelled", begin);
}

// -- the rest

Status set_global_step(Launch& launch, AccumulatorResource& accumulator) {
  auto status = need_scalar(launch, "new_global_step");
  return status.ok() ? accumulator.set_step(launch.input(1).value<int64_t>()) : status;
}

}  // namespace

void add_accumulator_kernels(KernelCatalog& catalog) {
  for (const std::string form : {"", "Resource"}) {
    catalog.add(form + "AccumulatorApplyGradient", make_apply);
    catalog.add(form + "AccumulatorTakeGradient", [](const Node& node) {
      return make_take(node, /*is_sparse=*/false);
    });
    catalog.add(form + "AccumulatorSetGlobalStep", [](const Node&) -> Result<Kernel> {
      return resource_kernel<AccumulatorResource>(0, set_global_step);
    });
    catalog.add(form + "AccumulatorNumAccumulated", [](const Node&) -> Result<Kernel> {
      return counting_kernel(0, &AccumulatorResource::count);
    });
  }
  catalog.add("SparseAccumulatorApplyGradient", make_sparse_apply);
  catalog.add("SparseAccumulatorTakeGradient", [](const Node& node) {
    return make_take(node, /*is_sparse=*/true);
  });
}

}  // namespace troupe::cpu
