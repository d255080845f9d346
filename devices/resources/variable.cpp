#include "troupe/devices/resources/variable.hpp"

#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

std::string describe(DType dtype, const Shape& shape) {
  return to_string(dtype) + shape.to_string();
}

Status check_variable(const Resource& resource, const Node& handle) {
  const auto& variable = static_cast<const VariableResource&>(resource);
  auto dtype = handle.attr<DType>("dtype");
  const auto& shape = handle.attr<Shape>("shape");
  if (variable.dtype() == dtype && variable.shape().is_compatible_with(shape)) return {};
  return invalid_argument(
      "is " + describe(variable.dtype(), variable.shape()) + ", but the graph declares it as " +
      describe(dtype, shape));
}

}  // namespace

void add_variable_kind(ResourceKindCatalog& catalog) {
  catalog.add(
      {.name = VariableResource::kind_name,
       .handle_op = "VarHandleOp",
       .creating_ops = {"AssignVariableOp"},
       .make = [](const Node& handle) -> Result<std::shared_ptr<Resource>> {
         return std::shared_ptr<Resource>(std::make_shared<VariableResource>(
             handle.attr<DType>("dtype"), handle.attr<Shape>("shape")));
       },
       .check = check_variable});
}

}  // namespace troupe
