#include "troupe/graph/build/optimizers/update_rule.hpp"

#include "troupe/graph/build/initializers.hpp"

namespace troupe {

namespace {

/// A variable with another variable's device, container and scope.
Value make_slot(const Variable& variable, const UpdateRule::Slot& slot) {
  const auto& builder = variable.handle.builder();
  if (!variable.shape.is_known()) {
    builder.fail(invalid_argument(
                     "the optimizer's slot '" + slot.name + "' of a variable of shape " +
                     variable.shape.to_string() + " needs a known shape")
                     .at({.node = variable.name}));
    return {};
  }
  auto initial = constant_initializer(slot.initial)(builder, variable.shape, variable.dtype);
  return builder.variable(slot.name, initial).handle;
}

}  // namespace

UpdateRule::Arguments UpdateRule::arguments(const Update& u) const {
  Arguments given{{"var", u.variable.handle}};
  for (const auto& slot : form_.slots) given[slot.argument] = make_slot(u.variable, slot);
  for (const auto& [argument, number] : form_.numbers) {
    auto dtype = argument == "global_step" ? DType::int64 : u.variable.dtype;
    given[argument] = number.tensor(u.builder, dtype);
  }
  return given;
}

Value UpdateRule::add(
    const Update& u, const std::string& op_name, const Arguments& arguments) const {
  auto op = u.builder.graph().catalog().find(op_name);
  if (!op) {
    u.builder.fail(op.status());
    return {};
  }
  Values inputs;
  for (const auto& input : (*op)->inputs()) {
    auto found = arguments.find(input.name);
    CHECK(found != arguments.end());
    inputs.push_back(found->second);
  }
  return u.builder.op(op_name, inputs, form_.attrs);
}

Value UpdateRule::apply(const Update& u) const {
  auto given = arguments(u);
  given["grad"] = given["delta"] = u.gradient;
  return add(u, "ResourceApply" + form_.op, given);
}

Value UpdateRule::apply_rows(const Update& u) const {
  auto rows = sum_rows(u);
  auto given = arguments(u);
  given["grad"] = rows.values;
  given["indices"] = rows.indices;
  return add(u, "ResourceSparseApply" + form_.op, given);
}

IndexedSlices sum_rows(const Update& u) {
  auto distinct = u.builder.op("Unique", {u.rows->indices});
  if (!distinct.is_valid()) return {};
  auto count = u.builder.op("Size", {distinct});
  auto sums = u.builder.op("UnsortedSegmentSum", {u.gradient, distinct.output(1), count});
  return {.values = sums, .indices = distinct, .dense_shape = u.rows->dense_shape};
}

}  // namespace troupe
