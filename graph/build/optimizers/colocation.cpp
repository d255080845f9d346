#include "troupe/graph/build/optimizers/colocation.hpp"

namespace troupe {

Builder colocate_with(const Variable& variable, const Builder& builder) {
  if (!variable.handle.is_valid()) return builder;
  const auto& handle = variable.handle.builder().graph().node(variable.handle.output().node);
  return builder.on(handle.device).container(handle.attr<std::string>("container"));
}

Value read_variable(const Builder& builder, const Variable& variable) {
  auto b = colocate_with(variable, builder);
  return b.op("ReadVariableOp", {variable.handle}, {{"dtype", variable.dtype}});
}

}  // namespace troupe
