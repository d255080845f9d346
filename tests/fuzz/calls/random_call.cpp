#include "troupe/tests/fuzz/calls/random_call.hpp"

#include <algorithm>

#include "troupe/graph/ops/transfer.hpp"
#include "troupe/tests/fuzz/calls/random_tensor.hpp"
#include "troupe/tests/fuzz/calls/written_call.hpp"

namespace troupe::fuzz {
namespace {

Call::Input variable(const Tensor& value, bool is_reference) {
  Attrs attrs = {{"dtype", value.dtype()}, {"shape", value.shape()}};
  return {value, {Call{is_reference ? "VariableV2" : "VarHandleOp", std::move(attrs)}}};
}

/// A recorded call of an op on handles also as one of its sibling on references.
Call seed_of(const testing::RecordedCall& recorded, const std::string& op, bool is_reference) {
  Call call{.op = op, .attrs = recorded.attrs};
  for (const auto& value : recorded.variables) call.inputs.push_back(variable(value, is_reference));
  for (const auto& value : recorded.inputs) call.inputs.push_back({value});
  auto dtype = is_reference ? call.attrs.extract("dtype") : Attrs::node_type();
  if (dtype) call.attrs.emplace("T", dtype.mapped());
  return call;
}

template <class T, class F>
std::vector<T> draw_list(Draw& draw, F element) {
  std::vector<T> list(draw.one_in(20) ? 20 : draw.below(5));
  std::ranges::generate(list, element);
  return list;
}

DType draw_allowed(Draw& draw, const AttrRule& rule) {
  if (rule.allowed_dtypes.empty() || draw.one_in(30)) return draw_dtype(draw);
  return draw.pick(rule.allowed_dtypes);
}

/// As an attribute gives it: with unknown sizes, or without a rank.
Shape draw_partial_shape(Draw& draw) {
  auto shape = draw_shape(draw);
  if (draw.one_in(6)) return Shape::unknown_rank();
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (draw.one_in(4)) shape.set(axis, Shape::unknown);
  return shape;
}

std::string draw_allowed_text(Draw& draw, const AttrRule& rule) {
  auto is_allowed = !rule.allowed_strings.empty() && !draw.one_in(10);
  return is_allowed ? draw.pick(rule.allowed_strings) : draw_text(draw);
}

/// A size that some tensor has becomes another, in all shapes and among all sizes that are given.
void change_size(Draw& draw, Call& call) {
  std::vector<int64_t> sizes;
  for (const auto& input : call.inputs)
    if (input.value.is_set())
      std::ranges::copy(input.value.shape().sizes(), std::back_inserter(sizes));
  if (sizes.empty()) return;
  constexpr int64_t others[] = {0, 0, 1, 1, 2, 3, 5, 8, 17, 33, 100, 1000, int64_t{1} << 40};
  auto from = draw.pick(sizes), to = draw.pick(others);
  auto changes_values = draw.one_in(2);
  for (auto& input : call.inputs) {
    if (!input.value.is_set()) continue;
    auto shape = input.value.shape();
    for (int axis = 0; axis < shape.rank(); ++axis)
      if (shape[axis] == from) shape.set(axis, to);
    auto value = resized(input.value, shape);
    input.value = changes_values ? with_size_replaced(value, from, to) : value;
    for (auto& maker : input.maker)
      if (maker.attrs.contains("shape")) maker.attrs["shape"] = input.value.shape();
  }
}

/// A type attribute becomes another, and with it the inputs that have that dtype by definition.
void change_dtype(Draw& draw, const Op& op, Call& call) {
  std::vector<const AttrRule*> rules;
  for (const auto& rule : op.attrs())
    if (rule.type == AttrType::dtype) rules.push_back(&rule);
  if (rules.empty()) return;
  const auto& rule = *draw.pick(rules);
  auto dtype = draw_allowed(draw, rule);
  if (call.attrs.contains(rule.name) || !rule.fallback)
    call.attrs.insert_or_assign(rule.name, dtype);
  // Lists make the positions of inputs and arguments differ; then more inputs change than need to.
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const auto& argument = op.inputs()[std::min(i, op.inputs().size() - 1)];
    auto& input = call.inputs[i];
    if (argument.dtype_attr != rule.name || !input.value.is_set()) continue;
    input.value = converted(draw, input.value, dtype);
    for (auto& maker : input.maker) maker.attrs.insert_or_assign("dtype", dtype);
  }
}

void change_attr(Draw& draw, const Op& op, Call& call) {
  if (op.attrs().empty()) return;
  const auto& rule = draw.pick(op.attrs());
  if (draw.one_in(10)) call.attrs.erase(rule.name);
  else call.attrs.insert_or_assign(rule.name, draw_attr(draw, rule));
}

/// An input of another shape or dtype, or with other elements.
void change_input(Draw& draw, Call& call) {
  if (call.inputs.empty()) return;
  auto& value = call.inputs[draw.below(call.inputs.size())].value;
  if (!value.is_set()) return;
  switch (draw.below(8)) {
    case 0: value = draw_tensor(draw, value.dtype(), draw_shape(draw)); break;
    case 1: value = converted(draw, value, draw_dtype(draw)); break;
    case 2: value = draw_tensor(draw, value.dtype(), value.shape()); break;
    case 3:
    case 4: value = resized(value, draw_shape(draw)); break;
    default: value = disturbed(draw, value);
  }
}

/// There is one more or less, in another order, or another call's, or a handle for a tensor.
void change_inputs(Draw& draw, const std::vector<Call>& others, Call& call) {
  auto& inputs = call.inputs;
  if (inputs.empty()) return;
  auto at = [&] { return draw.below(inputs.size()); };
  switch (draw.below(5)) {
    case 0: inputs.erase(inputs.begin() + static_cast<int64_t>(at())); break;
    case 1: inputs.push_back(inputs[at()]); break;
    case 2: std::swap(inputs[at()], inputs[at()]); break;
    case 3: {
      auto& input = inputs[at()];
      if (input.value.is_set()) input = variable(input.value, draw.one_in(2));
      break;
    }
    default: {
      if (others.empty()) break;
      const auto& other = draw.pick(others);
      auto i = at();
      if (i < other.inputs.size()) inputs[i] = other.inputs[i];
    }
  }
}

/// What the drawn inputs of one call have in common, so that many of them fit each other.
struct Common {
  std::map<std::string, DType> dtypes;  // of type attributes
  std::map<std::string, size_t> counts;
  Shape shape;
};

Shape draw_related_shape(Draw& draw, const Shape& shape) {
  if (draw.one_in(2)) return shape;
  if (draw.one_in(4)) return Shape();
  if (draw.one_in(3)) return draw_shape(draw);
  // A broadcast form: the last dimensions, some of them 1.
  auto sizes = shape.sizes();
  auto related = Shape(sizes.subspan(draw.below(sizes.size() + 1)));
  for (int axis = 0; axis < related.rank(); ++axis)
    if (draw.one_in(4)) related.set(axis, 1);
  return related;
}

void draw_common(Draw& draw, const Op& op, Call& call, Common& common) {
  common.shape = draw_shape(draw);
  std::map<std::string, bool> implied;
  for (const auto& argument : op.inputs()) {
    implied[argument.dtype_attr] = implied[argument.dtypes_attr] = true;
    if (implied.emplace(argument.count_attr, true).second)
      common.counts[argument.count_attr] = draw.one_in(10) ? 0 : 1 + draw.below(3);
  }
  for (const auto& rule : op.attrs()) {
    if (rule.type == AttrType::dtype) common.dtypes[rule.name] = draw_allowed(draw, rule);
    if (implied.contains(rule.name)) continue;
    if (rule.type == AttrType::dtype && (!rule.fallback || draw.one_in(2)))
      call.attrs[rule.name] = common.dtypes[rule.name];
    else if (!rule.fallback || draw.one_in(3)) call.attrs[rule.name] = draw_attr(draw, rule);
  }
}

/// Without what would lead a file's name out of the folder that the calls run in.
void confine(Call& call) {
  for (auto& [value, makers] : call.inputs) {
    for (auto& maker : makers) confine(maker);
    if (!value.is_set() || value.dtype() != DType::string) continue;
    value = resized(value, value.shape());
    auto* texts = value.mutable_data<std::string>();
    for (int64_t i = 0; i < value.elements(); ++i) std::ranges::replace(texts[i], '/', '_');
  }
}

/// Whether its strings may name files.
bool has_files(const Op& op) {
  return op.family() == "parsing/files" || op.family() == "state/checkpoint";
}

}  // namespace

std::string Call::to_string() const {
  std::string text = op + "(";
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& [value, maker] = inputs[i];
    text += i ? ", " : "";
    for (const auto& call : maker) text += call.to_string() + " = ";
    text += value.is_set() ? value.to_string(/*most=*/40) : "nothing";
  }
  for (const auto& [name, value] : attrs) text += "; " + name + "=" + value.to_string();
  return text + ")";
}

AttrValue draw_attr(Draw& draw, const AttrRule& rule) {
  auto type = draw.one_in(40) ? static_cast<AttrType>(draw.below(14)) : rule.type;
  switch (type) {
    case AttrType::integer: return draw_int(draw);
    case AttrType::real: return draw_float(draw);
    case AttrType::boolean: return draw.one_in(2);
    case AttrType::string: return draw_allowed_text(draw, rule);
    case AttrType::dtype: return draw_allowed(draw, rule);
    case AttrType::shape: return draw_partial_shape(draw);
    case AttrType::tensor: return draw_tensor(draw, draw_dtype(draw), draw_shape(draw));
    case AttrType::integers: return draw_list<int64_t>(draw, [&] { return draw_int(draw); });
    case AttrType::reals: return draw_list<float>(draw, [&] { return draw_float(draw); });
    case AttrType::strings:
      return draw_list<std::string>(draw, [&] { return draw_allowed_text(draw, rule); });
    case AttrType::dtypes: return draw_list<DType>(draw, [&] { return draw_allowed(draw, rule); });
    case AttrType::shapes: return draw_list<Shape>(draw, [&] { return draw_partial_shape(draw); });
    case AttrType::function: return FunctionRef(draw_text(draw));
    case AttrType::functions:
      return draw_list<FunctionRef>(draw, [&] { return FunctionRef(draw_text(draw)); });
  }
  return draw_int(draw);
}

void mutate(Draw& draw, const Op& op, const std::vector<Call>& others, Call& call) {
  switch (draw.below(8)) {
    case 0:
    case 1: return change_size(draw, call);
    case 2: return change_dtype(draw, op, call);
    case 3:
    case 4: return change_attr(draw, op, call);
    case 5: return draw.one_in(3) ? change_inputs(draw, others, call) : change_input(draw, call);
    default: return change_input(draw, call);
  }
}

namespace {

/// Whether a call takes what only another step can bring: alone, it would wait for ever.
bool waits_for_another_step(const Op& op) {
  for (auto* waiting : {"QueueEnqueue", "QueueDequeue", "ReaderRead", "UnbatchGrad"})
    if (op.name().starts_with(waiting)) return true;
  if (!op.family().starts_with("data_flow/")) return false;
  auto ends = [&](std::string_view end) { return op.name().ends_with(end); };
  return ends("Unstage") || ends("UnstageNoKey") || ends("Peek") || ends("TakeGradient") ||
         ends("TakeMany");
}

}  // namespace

CallSource::CallSource(const OpCatalog& catalog, const std::string& only) {
  // What partitioning adds is in no graph of a user's.
  const std::vector<std::string> added = {
      transfer::arg, transfer::retval, transfer::send, transfer::recv, transfer::read};
  for (const auto& [name, op] : catalog.all()) {
    if (std::ranges::count(added, name)) continue;
    if (only.empty() && waits_for_another_step(op)) continue;
    if (only.empty() || only == name) ops_.push_back(&op);
    const auto& outputs = op.outputs();
    if (outputs.size() == 1 && outputs[0].dtype == DType::resource) handle_ops_.push_back(&op);
  }
  for (const auto& call : testing::recorded_calls()) {
    recorded_[call.op].push_back(seed_of(call, call.op, /*is_reference=*/false));
    auto form = call.op.starts_with("Resource") ? call.op.substr(8) : "";
    if (catalog.all().contains(form))
      recorded_[form].push_back(seed_of(call, form, /*is_reference=*/true));
  }
  for (auto& call : written_calls()) recorded_[call.op].push_back(std::move(call));
}

Call CallSource::draw(uint64_t seed) const {
  Draw draw(seed);
  const auto& op = *draw.pick(ops_);
  auto found = recorded_.find(op.name());
  auto has_seeds = found != recorded_.end();
  static const Seeds none;
  const auto& seeds = has_seeds ? found->second : none;
  auto is_recorded = has_seeds && !draw.one_in(5);
  auto call = is_recorded ? draw.pick(seeds) : of_definition(draw, op);
  for (auto changes = draw.below(is_recorded ? 5 : 3); changes > 0; --changes)
    mutate(draw, op, seeds, call);
  if (has_files(op)) confine(call);
  return call;
}

Call CallSource::of_definition(Draw& draw, const Op& op) const {
  Call call{.op = op.name()};
  Common common;
  draw_common(draw, op, call, common);
  for (const auto& argument : op.inputs()) {
    auto is_list = !argument.dtypes_attr.empty();
    auto count = is_list                        ? draw.below(4)
                 : !argument.count_attr.empty() ? common.counts[argument.count_attr]
                                                : size_t{1};
    for (size_t i = 0; i < count; ++i) {
      auto dtype = is_list                       ? draw_dtype(draw)
                   : argument.dtype_attr.empty() ? argument.dtype
                                                 : common.dtypes[argument.dtype_attr];
      if (dtype == DType::resource || argument.is_ref) {
        auto held = common.dtypes.empty() ? draw_dtype(draw) : common.dtypes.begin()->second;
        call.inputs.push_back(handle_for(draw, argument.is_ref ? dtype : held, argument.is_ref));
      } else {
        call.inputs.push_back({draw_tensor(draw, dtype, draw_related_shape(draw, common.shape))});
      }
    }
  }
  return call;
}

Call::Input CallSource::handle_for(Draw& draw, DType dtype, bool is_reference) const {
  auto value = draw_tensor(draw, dtype, draw_shape(draw));
  if (is_reference || !draw.one_in(3)) {
    auto input = variable(value, is_reference);
    if (draw.one_in(10)) input.value = Tensor();
    return input;
  }
  return {Tensor(), {of_definition(draw, *draw.pick(handle_ops_))}};
}

}  // namespace troupe::fuzz
