#include "troupe/devices/session_tensor_kernels.hpp"

#include <cstring>
#include <string>

#include "troupe/devices/resources/session_tensors.hpp"
#include "troupe/devices/step_port.hpp"
#include "troupe/graph/types/allocator.hpp"

namespace troupe {
namespace {

Result<SessionTensors*> tensors_of(const Launch& launch) {
  if (auto* tensors = launch.port().session_tensors()) return tensors;
  return failed_precondition("tensors can only be kept by the steps of a session");
}

Result<std::string> handle_input(const Launch& launch) {
  const auto& handle = launch.input(0);
  if (handle.shape().is_scalar()) return handle.value<std::string>();
  return invalid_argument(
      "the handle of a kept tensor must be a scalar, but has the shape " +
      handle.shape().to_string());
}

/// The value, or a copy of it if it lies in memory that is only lent: of another process, or of a
/// message of the client.
Result<Tensor> own(Launch& launch) {
  const auto& value = launch.input(0);
  auto is_lent = !value.allocator() || value.allocator() == &lent_memory();
  if (!is_plain(value.dtype()) || !is_lent) return value;
  auto copy = launch.allocate(value.dtype(), value.shape());
  if (copy) std::memcpy(copy->mutable_raw(), value.raw(), value.bytes());
  return copy;
}

Status keep_tensor(Launch& launch, const std::string& node) {
  auto tensors = tensors_of(launch);
  if (!tensors) return tensors.status();
  auto value = own(launch);
  if (!value) return value.status();
  launch.set(0, Tensor::scalar((*tensors)->add(node, *std::move(value))));
  launch.note_change();
  return {};
}

Status get_tensor(Launch& launch, DType dtype) {
  auto tensors = tensors_of(launch);
  if (!tensors) return tensors.status();
  auto handle = handle_input(launch);
  if (!handle) return handle.status();
  auto value = (*tensors)->find(*handle);
  if (!value) return value.status();
  if (value->dtype() != dtype)
    return invalid_argument(
        "the tensor with handle '" + *handle + "' is " + to_string(value->dtype()) + ", but " +
        to_string(dtype) + " is asked for");
  launch.set(0, *std::move(value));
  return {};
}

Status delete_tensor(Launch& launch) {
  auto tensors = tensors_of(launch);
  if (!tensors) return tensors.status();
  auto handle = handle_input(launch);
  if (!handle) return handle.status();
  launch.note_change();
  return (*tensors)->remove(*handle);
}

}  // namespace

void add_session_tensor_kernels(KernelCatalog& catalog) {
  catalog.add("GetSessionHandle", [](const Node& node) -> Result<Kernel> {
    return Kernel{
        .compute = [name = node.name](Launch& launch) { return keep_tensor(launch, name); }};
  });
  catalog.add("GetSessionTensor", [](const Node& node) -> Result<Kernel> {
    return Kernel{.compute = [dtype = node.attr<DType>("dtype")](Launch& launch) {
      return get_tensor(launch, dtype);
    }};
  });
  catalog.add_compute("DeleteSessionTensor", delete_tensor);
  catalog.on_host("GetSessionHandle", {}, {0});
  catalog.on_host("GetSessionTensor", {0});
  catalog.on_host("DeleteSessionTensor", {0});
}

}  // namespace troupe
