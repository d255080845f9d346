#if TROUPE_CUDNN  // else the ops are computed on the CPU
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "troupe/devices/cpu/nn/normalization.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/nn/dnn_library.hpp"
#include "troupe/devices/cuda/nn/variance.hpp"

namespace troupe::cuda {
namespace {

using cpu::BatchNormNode;

constexpr auto mode = CUDNN_BATCHNORM_SPATIAL;
/// More images are not normalized by given statistics in one call.
constexpr int64_t images_max = 65535;

/// The library's descriptions of images and of what there is for each channel.
struct BatchNormShapes {
  DnnTensor images, channels;
  cudnnStatus_t status;

  BatchNormShapes(const BatchNormNode& op, const Shape& shape)
      : status(cudnnSetTensor4dDescriptor(
            images, op.channels_first ? CUDNN_TENSOR_NCHW : CUDNN_TENSOR_NHWC, dnn_type(op.dtype),
            static_cast<int>(shape[0]), static_cast<int>(shape[op.channels_first ? 1 : 3]),
            static_cast<int>(shape[op.channels_first ? 2 : 1]),
            static_cast<int>(shape[op.channels_first ? 3 : 2]))) {
    if (status == CUDNN_STATUS_SUCCESS)
      status = cudnnDeriveBNTensorDescriptor(channels, images, mode);
  }
};

/// What the library has no kernels for.
Status check_images(const Tensor& images) {
  if (images.elements() == 0)
    return unimplemented("there is no CUDA kernel that normalizes empty images");
  if (images.elements() > std::numeric_limits<int32_t>::max())
    return unimplemented("cuDNN normalizes less than 2^31 elements");
  return {};
}

Status convert_variance(
    const Launch& launch, const BatchNormNode& op, Tensor& to, const Tensor& from,
    bool to_variance) {
  launch_variance(
      {.out = to.mutable_raw(),
       .from = from.raw(),
       .to_variance = to_variance,
       .element = element_of(op.statistics),
       .epsilon = op.epsilon,
       .count = from.elements(),
       .stream = stream_of(launch)});
  return launched("a conversion of variances");
}

/// Sets the outputs that say the statistics: those of a larger population, and those of this batch.
Status set_statistics(
    Launch& launch, const BatchNormNode& op, const std::array<Tensor, 4>& statistics) {
  for (int i = 0; i < 4; ++i) launch.set(i + 1, statistics[static_cast<size_t>(i)]);
  if (!op.has_reserve_3) return {};
  auto reserve = launch.allocate(op.statistics, {});
  if (!reserve) return reserve.status();
  auto status = set_zeros(launch, *reserve);
  if (status.ok()) launch.set(5, *std::move(reserve));
  return status;
}

Status normalize_batch(
    Launch& launch, const BatchNormNode& op, Tensor& y, std::array<Tensor, 4>& statistics) {
  const auto& x = launch.input(0);
  BatchNormShapes shapes(op, x.shape());
  if (shapes.status != CUDNN_STATUS_SUCCESS) return to_status(shapes.status, "describe images");
  auto deviations = launch.allocate(op.statistics, statistics[3].shape());
  if (!deviations) return deviations.status();
  // It multiplies what is there by 0 and adds it to the statistics of the batch, also where it is
  // NaN.
  for (size_t i : {0, 1})
    if (auto status = set_zeros(launch, statistics[i]); !status.ok()) return status;
  DnnFactors by(op.dtype);
  auto status = to_status(
      kept<DnnLibrary>(launch).use(
          launch,
          [&](cudnnHandle_t handle) {
            return cudnnBatchNormalizationForwardTraining(
                handle, mode, by.take_new(), by.drop_old(), shapes.images, x.raw(), shapes.images,
                y.mutable_raw(), shapes.channels, launch.input(1).raw(), launch.input(2).raw(),
                /*exponentialAverageFactor=*/1.0, statistics[0].mutable_raw(),
                statistics[1].mutable_raw(), op.epsilon, statistics[2].mutable_raw(),
                deviations->mutable_raw());
          }),
      "normalize a batch");
  // The gradient's op, which may run on another device, expects a variance.
  if (status.ok())
    status = convert_variance(launch, op, statistics[3], *deviations, /*to_variance=*/true);
  // The library divides by one less than the elements of a channel.
  auto is_of_one = x.elements() == statistics[3].elements();
  if (status.ok() && is_of_one) status = copy_all(launch, statistics[1], statistics[3]);
  return status;
}

/// Normalizes images by given statistics, from number `first` on.
Status normalize_part(
    Launch& launch, const BatchNormNode& op, Tensor& y, int64_t first, int64_t count) {
  const auto& x = launch.input(0);
  auto all = x.shape().sizes();
  std::vector<int64_t> sizes(all.begin(), all.end());
  auto offset = static_cast<size_t>(x.elements() / sizes[0] * first) * size_of(op.dtype);
  sizes[0] = count;
  BatchNormShapes shapes(op, Shape(sizes));
  if (shapes.status != CUDNN_STATUS_SUCCESS) return to_status(shapes.status, "describe images");
  DnnFactors by(op.dtype);
  return to_status(
      kept<DnnLibrary>(launch).use(
          launch,
          [&](cudnnHandle_t handle) {
            return cudnnBatchNormalizationForwardInference(
                handle, mode, by.take_new(), by.drop_old(), shapes.images,
                static_cast<const std::byte*>(x.raw()) + offset, shapes.images,
                static_cast<std::byte*>(y.mutable_raw()) + offset, shapes.channels,
                launch.input(1).raw(), launch.input(2).raw(), launch.input(3).raw(),
                launch.input(4).raw(), op.epsilon);
          }),
      "normalize images");
}

Status normalize(Launch& launch, const BatchNormNode& op, Tensor& y) {
  auto images = y.shape()[0];
  Status status;
  for (int64_t first = 0; status.ok() && first < images; first += images_max)
    status = normalize_part(launch, op, y, first, std::min(images - first, images_max));
  return status;
}

Status compute_batch_norm(Launch& launch, const BatchNormNode& op) {
  auto channels = op.channels_of_forward(launch);
  if (!channels) return channels.status();
  if (auto status = check_images(launch.input(0)); !status.ok()) return status;
  auto y = launch.allocate(op.dtype, launch.input(0).shape());
  if (!y) return y.status();
  std::array<Tensor, 4> statistics;
  if (!op.is_training) {
    statistics = {launch.input(3), launch.input(4), launch.input(3), launch.input(4)};
    if (auto status = normalize(launch, op, *y); !status.ok()) return status;
  } else {
    for (auto& tensor : statistics) {
      auto allocated = launch.allocate(op.statistics, {*channels});
      if (!allocated) return allocated.status();
      tensor = *std::move(allocated);
    }
    if (auto status = normalize_batch(launch, op, *y, statistics); !status.ok()) return status;
  }
  launch.set(0, *std::move(y));
  return set_statistics(launch, op, statistics);
}

/// Sets x_backprop and the gradients of scale and offset.
Status set_gradients(Launch& launch, const BatchNormNode& op, int64_t channels) {
  const auto &dy = launch.input(0), &x = launch.input(1);
  BatchNormShapes shapes(op, x.shape());
  if (shapes.status != CUDNN_STATUS_SUCCESS) return to_status(shapes.status, "describe images");
  auto dx = launch.allocate(op.dtype, x.shape());
  auto scale = launch.allocate(op.statistics, {channels}),
       offset = launch.allocate(op.statistics, {channels}),
       deviations = launch.allocate(op.statistics, {channels});
  for (const auto* tensor : {&dx, &scale, &offset, &deviations})
    if (!*tensor) return tensor->status();
  auto status = convert_variance(launch, op, *deviations, launch.input(4), /*to_variance=*/false);
  if (!status.ok()) return status;
  DnnFactors by(op.dtype);
  status = to_status(
      kept<DnnLibrary>(launch).use(
          launch,
          [&](cudnnHandle_t handle) {
            return cudnnBatchNormalizationBackward(
                handle, mode, by.take_new(), by.drop_old(), by.take_new(), by.drop_old(),
                shapes.images, x.raw(), shapes.images, dy.raw(), shapes.images, dx->mutable_raw(),
                shapes.channels, launch.input(2).raw(), scale->mutable_raw(), offset->mutable_raw(),
                op.epsilon, launch.input(3).raw(), deviations->raw());
          }),
      "compute the gradients of a normalization");
  if (!status.ok()) return status;
  launch.set(0, *std::move(dx));
  launch.set(1, *std::move(scale));
  launch.set(2, *std::move(offset));
  return {};
}

Status compute_batch_norm_grad(Launch& launch, const BatchNormNode& op) {
  auto channels = op.channels(launch, 1, {2, 3, 4});
  if (!channels) return channels.status();
  if (launch.input(0).shape() != launch.input(1).shape())
    return invalid_argument(
        "'y_backprop' must have the shape of 'x', " + launch.input(1).shape().to_string() +
        ", but has " + launch.input(0).shape().to_string());
  if (auto status = check_images(launch.input(0)); !status.ok()) return status;
  if (auto status = set_gradients(launch, op, *channels); !status.ok()) return status;
  for (int i : {3, 4}) {
    auto empty = launch.allocate(op.statistics, {0});
    if (!empty) return empty.status();
    launch.set(i, *std::move(empty));
  }
  return {};
}

KernelCatalog::Make batch_norm(Status (*compute)(Launch&, const BatchNormNode&), bool is_gradient) {
  return [=](const Node& node) -> Result<Kernel> {
    BatchNormNode op(node);
    if (!std::ranges::count(floating(), op.dtype)) return no_kernel(op.dtype);
    // The library's statistics of float64 are of float64, all others of float32.
    if ((op.dtype == DType::float64) != (op.statistics == DType::float64))
      return no_kernel(op.statistics);
    // It adds no other, and it gives deviations, which say no variance then.
    if (!std::isfinite(op.epsilon) || op.epsilon < 0)
      return unimplemented(
          "there is no CUDA kernel for the 'epsilon' " + std::to_string(op.epsilon));
    if (is_gradient && !op.is_training)
      return unimplemented(
          "there is no CUDA kernel for the gradient of a normalization by given statistics");
    return Kernel{.compute = [=](Launch& launch) { return compute(launch, op); }};
  };
}

}  // namespace

void add_batch_norm_kernels(KernelCatalog& catalog) {
  for (const std::string version : {"", "V2", "V3"}) {
    catalog.add("FusedBatchNorm" + version, batch_norm(compute_batch_norm, false));
    catalog.add("FusedBatchNormGrad" + version, batch_norm(compute_batch_norm_grad, true));
  }
}

}  // namespace troupe::cuda

#else

#include "troupe/devices/cuda/all_kernels.hpp"

namespace troupe::cuda {

void add_batch_norm_kernels(KernelCatalog&) {}

}  // namespace troupe::cuda

#endif
