#pragma once

#include <array>
#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "troupe/devices/cpu/nn/convolution/convolution.hpp"
#include "troupe/devices/cuda/nn/dnn_graph.hpp"
#include "troupe/devices/cuda/nn/dnn_library.hpp"

namespace troupe::cuda {

/// A convolution of images or volumes as the library makes it: with as much padding before an axis
/// as behind. Of images, the first of three spatial axes has size 1 and is left out.
struct ConvolutionShape {
  using Sizes = std::array<int, 3>;

  cpu::ConvolutionPass pass;
  DType dtype;
  bool channels_first;
  int spatial;                         // axes: 2 or 3
  int batch, groups, inputs, outputs;  // channels of all groups
  Sizes in, out, kernel, strides, dilations, padding;
  int alignment = 16;  // of all memory in bytes: a power of 2, at most 16

  auto operator<=>(const ConvolutionShape&) const = default;
  double flops() const;
};

/// The operands; that of the pass is written.
struct ConvolutionMemory {
  const void* input;
  const void* filter;
  const void* output;
};

/// An engine of the library for a convolution, set up.
struct ConvolutionEngine {
  /// How it takes images and filters: [batch, channels, spatial...] and [outputs, inputs,
  /// spatial...], or channels last in both.
  bool channels_first = false;
  DnnPart plan{CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR};
  size_t workspace = 0;

  /// Puts the convolution on the launch's stream.
  Status put(const Launch& launch, const ConvolutionMemory& memory) const;
};

/// How the library makes a convolution. Thread-safe.
class ConvolutionPlan {
 public:
  using Engines = std::vector<std::shared_ptr<const ConvolutionEngine>>;
  /// Puts the convolution on a stream by an engine, with what brings the operands into its order.
  using Put = std::function<Status(const ConvolutionEngine&)>;

  explicit ConvolutionPlan(Engines engines) : engines_(std::move(engines)) {}

  /// Puts the convolution on the launch's stream. The first time, where there are several engines,
  /// each of them is measured, for which the thread waits, and the fastest one stays.
  Status run(const Launch& launch, const Put& put);

 private:
  std::shared_ptr<const ConvolutionEngine> choose(const Launch& launch, const Put& put);

  std::mutex mutex_;
  Engines engines_;  // at least one
};

/// The plans of a card, as they were made when a shape was first met. Thread-safe.
class ConvolutionPlans {
 public:
  explicit ConvolutionPlans(const Card& card);

  Result<std::shared_ptr<ConvolutionPlan>> plan(
      const Launch& launch, const ConvolutionShape& shape);

 private:
  const bool allows_tf32_;
  std::mutex mutex_;
  std::map<ConvolutionShape, std::shared_ptr<ConvolutionPlan>> plans_;
};

}  // namespace troupe::cuda
