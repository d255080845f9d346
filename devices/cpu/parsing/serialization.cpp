#include "troupe/devices/cpu/parsing/serialization.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/parsing/features.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/graph/proto/serialized.hpp"

namespace troupe::cpu {
namespace {

Status parse_one_tensor(Launch& launch, DType dtype) {
  const auto& in = launch.input(0);
  if (!in.shape().is_scalar())
    return invalid_argument(
        "Expected `serialized` to be a scalar, got shape: " + in.shape().to_string());
  const auto& bytes = in.value<std::string>();
  auto tensor = parse_tensor(bytes);
  if (!tensor)
    return Status(
        tensor.status().code(), "Could not parse `serialized` as TensorProto: " + shown(bytes) +
                                    ": " + tensor.status().message());
  if (tensor->dtype() != dtype)
    return invalid_argument(
        std::string("Type mismatch between parsed tensor (") + type_word(tensor->dtype()) +
        ") and dtype (" + type_word(dtype) + ")");
  launch.set(0, *std::move(tensor));
  return {};
}

Status serialize_one_tensor(Launch& launch) {
  auto bytes = serialize_tensor(launch.input(0));
  if (!bytes) return bytes.status();
  auto out = launch.allocate(DType::string, {});
  if (!out) return out.status();
  *out->mutable_data<std::string>() = *std::move(bytes);
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_serialization_kernels(KernelCatalog& catalog) {
  catalog.add("ParseTensor", [](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("out_type");
    return string_kernel([dtype](Launch& launch) { return parse_one_tensor(launch, dtype); });
  });
  catalog.add_compute("SerializeTensor", serialize_one_tensor);
  add_sparse_serialization_kernels(catalog);
}

}  // namespace troupe::cpu
