#include "troupe/devices/transfer.hpp"

#include "troupe/devices/device.hpp"
#include "troupe/devices/step_port.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {
namespace {

using DoneStatus = std::function<void(Status)>;

/// A callback that makes the tensor it gets the launch's output.
auto set_output(Launch& launch, DoneStatus done) {
  return [&launch, done = std::move(done)](Result<Tensor> tensor) {
    if (tensor) launch.set(0, *std::move(tensor));
    done(tensor.status());
  };
}

/// Fails unless a tensor from outside is what the graph was checked with.
Status check(const Tensor& tensor, DType dtype, const Shape& shape) {
  if (tensor.dtype() != dtype)
    return invalid_argument(
        std::string("expected ") + to_string(dtype) + ", but was given " +
        to_string(tensor.dtype()));
  if (!tensor.shape().is_compatible_with(shape))
    return invalid_argument(
        "expected the shape " + shape.to_string() + ", but was given " +
        tensor.shape().to_string());
  return {};
}

Result<Kernel> make_arg(const Node& node) {
  auto index = static_cast<int>(node.attr<int64_t>("index"));
  auto dtype = node.attr<DType>("T");
  auto shape = node.attr<Shape>("shape");
  return Kernel{.start = [=](Launch& launch, DoneStatus done) {
    auto tensor = launch.port().feed(index);
    if (auto status = check(tensor, dtype, shape); !status.ok()) return done(status);
    launch.device().copy_from_host(std::move(tensor), set_output(launch, std::move(done)));
  }};
}

Result<Kernel> make_retval(const Node& node) {
  auto index = static_cast<int>(node.attr<int64_t>("index"));
  return Kernel{.start = [=](Launch& launch, DoneStatus done) {
    launch.device().copy_to_host(launch.take_input(0), [&launch, index, done](auto tensor) {
      if (tensor) launch.port().fetch(index, *std::move(tensor));
      done(tensor.status());
    });
  }};
}

Result<Kernel> make_send(const Node& node) {
  auto edge = node.attr<int64_t>("edge");
  return Kernel{.start = [=](Launch& launch, DoneStatus done) {
    launch.device().copy_to_host(launch.take_input(0), [&launch, edge, done](auto tensor) {
      done(tensor ? launch.port().send(edge, *std::move(tensor)) : tensor.status());
    });
  }};
}

Result<Kernel> make_recv(const Node& node) {
  auto edge = node.attr<int64_t>("edge");
  auto dtype = node.attr<DType>("tensor_type");
  return Kernel{.start = [=](Launch& launch, DoneStatus done) {
    launch.port().receive(edge, [&launch, dtype, done](Result<Tensor> tensor) {
      if (!tensor) return done(tensor.status());
      if (auto status = check(*tensor, dtype, Shape::unknown_rank()); !status.ok())
        return done(status);
      launch.device().copy_from_host(*std::move(tensor), set_output(launch, done));
    });
  }};
}

}  // namespace

void add_transfer_kernels(KernelCatalog& catalog) {
  catalog.add(transfer::arg, make_arg);
  catalog.add(transfer::retval, make_retval);
  catalog.add(transfer::send, make_send);
  catalog.add(transfer::recv, make_recv);
}

}  // namespace troupe
