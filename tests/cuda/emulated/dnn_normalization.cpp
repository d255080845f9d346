// Batch normalization by cuDNN for emulated cards: sums over all elements of a channel, in double.
#include <cmath>
#include <limits>

#include "troupe/tests/cuda/emulated/dnn_state.hpp"

namespace troupe::emulated {

/// Images as [batch, channels, positions], however they lie.
struct DnnTensor {
  Floating type = Floating::float32;
  int64_t batch = 0, channels = 0, positions = 0;
  bool channels_first = false;

  int64_t each() const { return batch * positions; }
  int64_t at(int64_t i, int64_t channel) const {
    auto image = i / positions, position = i % positions;
    if (channels_first) return (image * channels + channel) * positions + position;
    return (image * positions + position) * channels + channel;
  }
};

namespace {

/// What one call normalizes by given statistics.
constexpr int64_t images_max = 65535;

/// Only results that replace what was there are emulated.
bool replaces(const DnnTensor& images, const void* alpha, const void* beta) {
  auto type = images.type == Floating::float64 ? Floating::float64 : Floating::float32;
  return read(alpha, type, 0) == 1 && read(beta, type, 0) == 0;
}

/// What there is for each channel.
struct PerChannel {
  Floating type;

  double at(const void* from, int64_t channel) const { return read(from, type, channel); }
  void set(void* to, int64_t channel, double value) const { write(to, type, channel, value); }
};

template <class F>
double sum(int64_t count, const F& term) {
  double total = 0;
  for (int64_t i = 0; i < count; ++i) total += term(i);
  return total;
}

}  // namespace
}  // namespace troupe::emulated

using namespace troupe::emulated;

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS: return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
    default: return "CUDNN_STATUS_NOT_SUPPORTED";
  }
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  *handle = new DnnHandle;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* tensor) {
  *tensor = new DnnTensor;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) {
  delete tensor;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensor4dDescriptor(
    cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format, cudnnDataType_t type, int batch,
    int channels, int height, int width) {
  if (batch < 1 || channels < 1 || height < 1 || width < 1) return CUDNN_STATUS_BAD_PARAM;
  *tensor = {
      .type = floating_of(type),
      .batch = batch,
      .channels = channels,
      .positions = int64_t{height} * width,
      .channels_first = format == CUDNN_TENSOR_NCHW};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDeriveBNTensorDescriptor(
    cudnnTensorDescriptor_t derived, cudnnTensorDescriptor_t images, cudnnBatchNormMode_t) {
  auto type = images->type == Floating::float64 ? Floating::float64 : Floating::float32;
  *derived = {.type = type, .batch = 1, .channels = images->channels, .positions = 1};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBatchNormalizationForwardTraining(
    cudnnHandle_t handle, cudnnBatchNormMode_t, const void* alpha, const void* beta,
    cudnnTensorDescriptor_t of_x, const void* x, cudnnTensorDescriptor_t, void* y,
    cudnnTensorDescriptor_t of_channels, const void* scale, const void* offset, double factor,
    void* running_mean, void* running_variance, double epsilon, void* mean, void* deviations) {
  if (!replaces(*of_x, alpha, beta) || factor != 1) return CUDNN_STATUS_NOT_SUPPORTED;
  handle->stream->put([=, images = *of_x, channels = PerChannel{of_channels->type}] {
    auto each = images.each();
    for (int64_t c = 0; c < images.channels; ++c) {
      auto at = [&](int64_t i) { return read(x, images.type, images.at(i, c)); };
      auto of_batch = sum(each, at) / double(each);
      auto squares = sum(each, [&](int64_t i) { return std::pow(at(i) - of_batch, 2); });
      auto deviation = 1 / std::sqrt(squares / double(each) + epsilon);
      for (int64_t i = 0; i < each; ++i)
        write(
            y, images.type, images.at(i, c),
            (at(i) - of_batch) * deviation * channels.at(scale, c) + channels.at(offset, c));
      channels.set(mean, c, of_batch);
      auto add = [&](void* to, double found) {
        channels.set(to, c, channels.at(to, c) * (1 - factor) + found * factor);
      };
      add(running_mean, of_batch);
      add(running_variance, squares / double(each - 1));
      channels.set(deviations, c, deviation);
    }
  });
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle, cudnnBatchNormMode_t, const void* alpha, const void* beta,
    cudnnTensorDescriptor_t of_x, const void* x, cudnnTensorDescriptor_t, void* y,
    cudnnTensorDescriptor_t of_channels, const void* scale, const void* offset, const void* mean,
    const void* variance, double epsilon) {
  if (!replaces(*of_x, alpha, beta) || of_x->batch > images_max) return CUDNN_STATUS_NOT_SUPPORTED;
  handle->stream->put([=, images = *of_x, channels = PerChannel{of_channels->type}] {
    for (int64_t c = 0; c < images.channels; ++c) {
      auto factor = channels.at(scale, c) / std::sqrt(channels.at(variance, c) + epsilon);
      for (int64_t i = 0; i < images.each(); ++i) {
        auto at = images.at(i, c);
        write(
            y, images.type, at,
            (read(x, images.type, at) - channels.at(mean, c)) * factor + channels.at(offset, c));
      }
    }
  });
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBatchNormalizationBackward(
    cudnnHandle_t handle, cudnnBatchNormMode_t, const void* alpha, const void* beta,
    const void* alpha_of_parameters, const void* beta_of_parameters, cudnnTensorDescriptor_t of_x,
    const void* x, cudnnTensorDescriptor_t, const void* dy, cudnnTensorDescriptor_t, void* dx,
    cudnnTensorDescriptor_t of_channels, const void* scale, void* d_scale, void* d_offset, double,
    const void* mean, const void* deviations) {
  if (!replaces(*of_x, alpha, beta) || !replaces(*of_x, alpha_of_parameters, beta_of_parameters))
    return CUDNN_STATUS_NOT_SUPPORTED;
  handle->stream->put([=, images = *of_x, channels = PerChannel{of_channels->type}] {
    auto each = images.each();
    for (int64_t c = 0; c < images.channels; ++c) {
      auto deviation = channels.at(deviations, c), of_batch = channels.at(mean, c);
      auto slope = [&](int64_t i) { return read(dy, images.type, images.at(i, c)); };
      auto normal = [&](int64_t i) {
        return (read(x, images.type, images.at(i, c)) - of_batch) * deviation;
      };
      auto slopes = sum(each, slope);
      auto products = sum(each, [&](int64_t i) { return slope(i) * normal(i); });
      auto factor = channels.at(scale, c) * deviation;
      for (int64_t i = 0; i < each; ++i)
        write(
            dx, images.type, images.at(i, c),
            factor * (slope(i) - slopes / double(each) - normal(i) * products / double(each)));
      channels.set(d_scale, c, products);
      channels.set(d_offset, c, slopes);
    }
  });
  return CUDNN_STATUS_SUCCESS;
}
