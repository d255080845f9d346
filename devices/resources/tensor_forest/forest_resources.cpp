#include "troupe/devices/resources/tensor_forest/forest_resources.hpp"

#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

template <class R>
void add_kind(ResourceKindCatalog& catalog, const char* handle_op) {
  catalog.add(
      {.name = R::kind_name,
       .handle_op = handle_op,
       .make = [](const Node&) -> Result<std::shared_ptr<Resource>> {
         return std::shared_ptr<Resource>(std::make_shared<R>());
       },
       .check = [](const Resource&, const Node&) { return Status(); }});
}

}  // namespace

Resource::Description DecisionTreeResource::describe() const {
  uint64_t bytes = 0;
  std::ignore = read([&](const forest::Tree& tree) {
    bytes = tree.size() * sizeof(forest::TreeNode);
    return Status();
  });
  return {.dtype = DType::resource, .bytes = bytes};
}

Resource::Description FertileStatsResource::describe() const {
  uint64_t bytes = 0;
  std::ignore = read([&](const forest::FertileSlots& slots) {
    bytes = slots.size() * sizeof(forest::FertileSlot);
    return Status();
  });
  return {.dtype = DType::resource, .bytes = bytes};
}

void add_tensor_forest_kinds(ResourceKindCatalog& catalog) {
  add_kind<DecisionTreeResource>(catalog, "DecisionTreeResourceHandleOp");
  add_kind<FertileStatsResource>(catalog, "FertileStatsResourceHandleOp");
}

}  // namespace troupe
