#pragma once

#include <memory>
#include <string>

#include "troupe/devices/resources/variable.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

/// Launches of single kernels, on a resource of the test's own.
struct KernelFixture {
  std::unique_ptr<Device> device = make_cpu_device();

  std::string launch(
      const char* op, const std::vector<std::shared_ptr<Resource>>& resources, Tensors inputs,
      DType dtype = DType::float32, Attrs attrs = {}) {
    Builder b;
    Values values;
    Tensors all;
    for (const auto& resource : resources) {
      values.push_back(b.op("VarHandleOp", {}, {{"dtype", dtype}}));
      all.push_back(Tensor::scalar(ResourceHandle{"", "w", resource}));
    }
    for (auto& input : inputs) {
      values.push_back(b.placeholder(input.dtype()));
      all.push_back(std::move(input));
    }
    if (op == std::string("ReadVariableOp")) attrs["dtype"] = dtype;
    auto node = b.op(op, values, attrs);
    if (!b.status().ok()) return b.status().to_string();
    auto kernel = device->kernels().make(b.graph().node(node.output().node));
    CHECK(kernel.ok());  // Boost's macros are for one thread, and some tests launch on several
    Tensors outputs(1);
    Launch launch(*device, {}, all, outputs);
    auto status = kernel->compute ? kernel->compute(launch) : kernel->try_now(launch).value();
    return status.ok() ? "Ok" : show(Result<Tensors>(status));
  }
};

inline std::shared_ptr<VariableResource> variable(
    Tensor value, Shape shape = Shape::unknown_rank()) {
  auto made = std::make_shared<VariableResource>(value.dtype(), shape);
  made->assign(std::move(value));
  return made;
}

}  // namespace troupe::testing
