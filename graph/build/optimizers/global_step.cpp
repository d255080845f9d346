#include "troupe/graph/build/optimizers/global_step.hpp"

namespace troupe {

std::optional<Variable> get_global_step(const Builder& builder) {
  for (const auto& variable : builder.variables())
    if (variable.name == "global_step") return variable;
  return std::nullopt;
}

Variable create_global_step(const Builder& builder) {
  if (auto there = get_global_step(builder)) {
    builder.fail(Status(Code::already_exists, "the graph has a \"global_step\" already"));
    return *there;
  }
  auto b = builder.within("");
  return b.variable("global_step", b.constant<int64_t>(0));
}

Variable get_or_create_global_step(const Builder& builder) {
  auto there = get_global_step(builder);
  return there ? *there : create_global_step(builder);
}

}  // namespace troupe
