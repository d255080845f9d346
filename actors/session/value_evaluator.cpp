#include "troupe/actors/session/value_evaluator.hpp"

#include <algorithm>
#include <cstring>

namespace troupe {
namespace {

// That making a kernel and starting it costs.
constexpr int64_t evaluation_ns = 1000;

int64_t estimated_ns(const Kernel& kernel, const Launch& launch) {
  if (kernel.cost_ns) return evaluation_ns + kernel.cost_ns(launch);
  int64_t elements = 0;
  for (int i = 0; i < launch.input_count(); ++i) elements += launch.input(i).elements();
  return evaluation_ns + elements;
}

/// The tensor in memory of no device; nothing where there is none.
std::optional<Tensor> in_heap(const Tensor& tensor) {
  if (!tensor.is_set() || is_opaque(tensor.dtype())) return std::nullopt;
  auto copy = Tensor::allocate(tensor.dtype(), tensor.shape());
  if (!copy) return std::nullopt;
  if (tensor.dtype() == DType::string)
    std::ranges::copy(tensor.values<std::string>(), copy->mutable_data<std::string>());
  else if (tensor.bytes() > 0) std::memcpy(copy->mutable_raw(), tensor.raw(), tensor.bytes());
  return *std::move(copy);
}

class ValueEvaluator {
 public:
  explicit ValueEvaluator(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  std::optional<Tensors> operator()(const Node& node, Tensors inputs) {
    if (device_->stream() || !device_->kernels().contains(node.op->name())) return std::nullopt;
    auto kernel = device_->kernels().make(node);
    if (!kernel || !kernel->compute || kernel->takes_dead || kernel->merges) return std::nullopt;
    Tensors outputs(node.output_dtypes.size());
    Launch launch(*device_, {}, inputs, outputs);
    auto cost = estimated_ns(*kernel, launch);
    if (cost > evaluated_node_ns_max || used_ns_ + cost > evaluated_ns_max) return std::nullopt;
    used_ns_ += cost;
    if (!kernel->compute(launch).ok()) return std::nullopt;
    for (auto& output : outputs) {
      auto value = in_heap(output);
      if (!value) return std::nullopt;
      output = *std::move(value);
    }
    return outputs;
  }

 private:
  std::shared_ptr<Device> device_;
  int64_t used_ns_ = 0;
};

}  // namespace

EvaluateNode make_value_evaluator(std::shared_ptr<Device> device) {
  return ValueEvaluator(std::move(device));
}

}  // namespace troupe
