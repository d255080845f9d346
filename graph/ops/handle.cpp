#include "troupe/graph/ops/handle.hpp"

namespace troupe {

std::optional<ResourceName> resource_of(const Node& node) {
  if (node.op->name() != "VarHandleOp") return {};
  const auto& shared_name = node.attr<std::string>("shared_name");
  return ResourceName{
      node.attr<std::string>("container"), shared_name.empty() ? node.name : shared_name};
}

}  // namespace troupe
