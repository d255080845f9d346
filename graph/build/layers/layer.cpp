#include "troupe/graph/build/layers/layer.hpp"

namespace troupe::layers {

LayerBuilder::LayerBuilder(const Builder& builder, const char* kind, const LayerScope& scope)
    : scope_(scope),
      nodes_(
          scope.name.empty() ? builder.scope(kind)
                             : builder.within(builder.prefix() + scope.name + "/")) {}

Variable LayerBuilder::add(const Weight& weight) {
  auto b = scope_.variables.value_or(nodes_).within(nodes_.prefix());
  auto name = nodes_.prefix() + weight.name;
  if (b.graph().contains(name + "/handle")) {
    b.fail(Status(Code::already_exists, "Variable " + name + " already exists"));
    return {};
  }
  auto variable = b.variable(weight.name, weight.initializer(b, weight.shape, weight.dtype));
  variables_.push_back(variable);
  return variable;
}

Value LayerBuilder::add_and_read(const Weight& weight) {
  auto value = add(weight).value();
  if (scope_.trainable && weight.trainable) return value;
  return value.is_valid() ? nodes_.op("StopGradient", {value}) : value;
}

Layer LayerBuilder::finish(const Value& output, Values updates) const {
  return {.output = output, .variables = variables_, .updates = std::move(updates)};
}

Layer LayerBuilder::fail(Status status) const {
  nodes_.fail(std::move(status));
  return {};
}

Value if_training(
    const Builder& b, const Operand& training, const std::function<Value()>& one,
    const std::function<Value()>& other) {
  if (auto known = training.number()) return *known != 0 ? one() : other();
  return b.op("SelectV2", {training.tensor(b, DType::boolean), one(), other()});
}

}  // namespace troupe::layers
