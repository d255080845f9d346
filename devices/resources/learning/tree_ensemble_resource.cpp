#include "troupe/devices/resources/learning/tree_ensemble_resource.hpp"

#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {

void TreeEnsembleResource::drop() {
  std::unique_lock lock(mutex_);
  state_.reset();
  is_dropped_ = true;
}

bool TreeEnsembleResource::is_dropped() const {
  std::shared_lock lock(mutex_);
  return is_dropped_;
}

Resource::Description TreeEnsembleResource::describe() const {
  std::shared_lock lock(mutex_);
  uint64_t bytes = 0;
  if (state_)
    for (const auto& tree : state_->ensemble.trees) bytes += tree.nodes.size() * sizeof(TreeNode);
  return {.dtype = DType::resource, .bytes = bytes};
}

bool TreeEnsembleResource::is_created() const {
  std::shared_lock lock(mutex_);
  return state_.has_value();
}

void TreeEnsembleResource::create(Stamped state) {
  std::unique_lock lock(mutex_);
  if (!state_ && !is_dropped_) state_ = std::move(state);
}

Status TreeEnsembleResource::none() {
  return not_found("the tree ensemble was not created yet, or its container was reset");
}

void add_tree_ensemble_kind(ResourceKindCatalog& catalog) {
  catalog.add(
      {.name = TreeEnsembleResource::kind_name,
       .handle_op = "BoostedTreesEnsembleResourceHandleOp",
       .make = [](const Node&) -> Result<std::shared_ptr<Resource>> {
         return std::shared_ptr<Resource>(std::make_shared<TreeEnsembleResource>());
       },
       .check = [](const Resource&, const Node&) { return Status(); }});
}

}  // namespace troupe
