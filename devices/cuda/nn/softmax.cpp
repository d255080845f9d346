#include "troupe/devices/cuda/nn/softmax.hpp"

#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

Status compute_softmax(Launch& launch, LaunchSoftmax function, bool is_log) {
  const auto& logits = launch.input(0);
  const auto shape = logits.shape();
  if (shape.rank() < 1) return invalid_argument("the logits must have at least one axis");
  SoftmaxCall call{
      .out = nullptr,
      .logits = logits.raw(),
      .rows = 0,
      .classes = shape[shape.rank() - 1],
      .is_log = is_log,
      .stream = stream_of(launch)};
  auto result = launch.reuse_or_allocate({0}, logits.dtype(), shape);
  if (!result) return result.status();
  call.out = result->mutable_raw();
  if (result->elements() > 0) {
    call.rows = result->elements() / call.classes;
    function(call);
  }
  return set_launched(launch, 0, *std::move(result), "a softmax");
}

KernelCatalog::Make make_softmax(bool is_log) {
  return [is_log](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    auto function = find_softmax(element_of(dtype));
    if (!function) return no_kernel(dtype);
    return Kernel{
        .compute = [=](Launch& launch) { return compute_softmax(launch, function, is_log); }};
  };
}

Status check_shapes(const Shape& logits, const Shape& labels, Labels kind) {
  if (logits.rank() != 2 || (logits[1] == 0 && logits[0] > 0))
    return invalid_argument(
        "the features must have the shape [batch, classes], with a class at least, but have " +
        logits.to_string());
  if (kind == Labels::dense && logits != labels)
    return invalid_argument(
        "features and labels must have one shape, but are " + logits.to_string() + " and " +
        labels.to_string());
  if (kind != Labels::dense && labels != Shape{logits[0]})
    return invalid_argument(
        "there must be a label for each of " + std::to_string(logits[0]) +
        " rows, but the labels have the shape " + labels.to_string());
  if (kind != Labels::dense && logits[1] == 0)
    return invalid_argument("there must be at least one class");
  return {};
}

Status compute_cross_entropy(Launch& launch, LaunchCrossEntropy function, Labels kind) {
  const auto shape = launch.input(0).shape();
  const auto dtype = launch.input(0).dtype();
  if (auto status = check_shapes(shape, launch.input(1).shape(), kind); !status.ok()) return status;
  CrossEntropyCall call{
      .losses = nullptr,
      .gradients = nullptr,
      .logits = launch.input(0).raw(),
      .labels = launch.input(1).raw(),
      .kind = kind,
      .rows = shape[0],
      .classes = shape[1],
      .stream = stream_of(launch)};
  auto losses = launch.allocate(dtype, {shape[0]});
  if (!losses) return losses.status();
  auto gradients = launch.reuse_or_allocate({0}, dtype, shape);
  if (!gradients) return gradients.status();
  call.losses = losses->mutable_raw();
  call.gradients = gradients->mutable_raw();
  if (call.rows > 0) function(call);
  launch.set(0, *std::move(losses));
  return set_launched(launch, 1, *std::move(gradients), "a cross entropy");
}

Result<Kernel> make_cross_entropy(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto function = find_cross_entropy(element_of(dtype));
  if (!function) return no_kernel(dtype);
  auto kind = !node.op->find_attr("Tlabels")                ? Labels::dense
              : node.attr<DType>("Tlabels") == DType::int64 ? Labels::int64
                                                            : Labels::int32;
  return Kernel{
      .compute = [=](Launch& launch) { return compute_cross_entropy(launch, function, kind); }};
}

}  // namespace

void add_softmax_kernels(KernelCatalog& catalog) {
  catalog.add("Softmax", make_softmax(/*is_log=*/false));
  catalog.add("LogSoftmax", make_softmax(/*is_log=*/true));
  catalog.add("SoftmaxCrossEntropyWithLogits", make_cross_entropy);
  catalog.add("SparseSoftmaxCrossEntropyWithLogits", make_cross_entropy);
}

}  // namespace troupe::cuda
