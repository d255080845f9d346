#include "troupe/graph/graph.hpp"

#include <algorithm>
#include <charconv>

namespace troupe {
namespace {

bool is_valid_name(std::string_view name) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.'; };
  if (name.empty() || !(is_word(name[0]) || name[0] == '_')) return false;
  return std::ranges::all_of(
      name, [&](char c) { return is_word(c) || c == '_' || c == '-' || c == '/' || c == '\\'; });
}

/// Checks one given attribute against its declaration.
Status check_attr(const AttrRule& rule, const AttrValue& value) {
  auto wrong = [&](const std::string& wanted) {
    return invalid_argument(
        "attribute '" + rule.name + "' must be " + wanted + ", not " + value.to_string());
  };
  if (value.type() != rule.type) return wrong(std::string("of type ") + to_string(rule.type));
  auto check_dtype = [&](DType dtype) {
    if (rule.allowed_dtypes.empty() || std::ranges::count(rule.allowed_dtypes, dtype))
      return Status();
    std::string names;
    for (auto allowed : rule.allowed_dtypes)
      names += (names.empty() ? "" : ", ") + std::string(to_string(allowed));
    return wrong("one of " + names);
  };
  if (auto* dtype = value.get<DType>()) return check_dtype(*dtype);
  if (auto* dtypes = value.get<DTypes>()) {
    for (auto dtype : *dtypes)
      if (auto status = check_dtype(dtype); !status.ok()) return status;
    if (static_cast<int64_t>(dtypes->size()) < rule.minimum)
      return wrong("at least " + std::to_string(rule.minimum) + " long");
  }
  if (auto* number = value.get<int64_t>(); number && *number < rule.minimum)
    return wrong("at least " + std::to_string(rule.minimum));
  auto* text = value.get<std::string>();
  if (text && !rule.allowed_strings.empty() && !std::ranges::count(rule.allowed_strings, *text)) {
    std::string names;
    for (const auto& allowed : rule.allowed_strings)
      names += (names.empty() ? "'" : ", '") + allowed + "'";
    return wrong("one of " + names);
  }
  return {};
}

/// Fits the dtypes of a node's inputs to its op's declaration, and completes its attributes.
class Signature {
 public:
  Signature(const Op& op, Attrs& attrs, const DTypes& given)
      : op_(op), attrs_(attrs), given_(given) {}

  Status complete() {
    for (const auto& [name, value] : attrs_) {
      if (name.starts_with('_')) continue;  // ours or a tool's: carried along, not checked
      auto* rule = op_.find_attr(name);
      if (!rule) return invalid_argument("op " + op_.name() + " has no attribute '" + name + "'");
      if (auto status = check_attr(*rule, value); !status.ok()) return status;
    }
    for (const auto& argument : op_.inputs())
      if (auto status = take(argument); !status.ok()) return status;
    if (next_ != given_.size()) return wrong_count();
    return fill_defaults();
  }

  /// The dtypes of the outputs, once complete.
  Result<DTypes> output_dtypes() const {
    DTypes dtypes;
    for (const auto& argument : op_.outputs()) {
      if (!argument.dtypes_attr.empty()) {
        const auto& list = *attrs_.at(argument.dtypes_attr).template get<DTypes>();
        dtypes.insert(dtypes.end(), list.begin(), list.end());
        continue;
      }
      int64_t count =
          argument.count_attr.empty() ? 1 : *attrs_.at(argument.count_attr).template get<int64_t>();
      if (count > 100000)
        return invalid_argument("an op cannot have " + std::to_string(count) + " outputs");
      auto dtype = argument.dtype_attr.empty()
                       ? argument.dtype
                       : *attrs_.at(argument.dtype_attr).template get<DType>();
      dtypes.insert(dtypes.end(), static_cast<size_t>(count), dtype);
    }
    return dtypes;
  }

 private:
  Status wrong_count() const {
    std::string names;
    for (const auto& argument : op_.inputs()) names += (names.empty() ? "" : ", ") + argument.name;
    return invalid_argument(
        "op " + op_.name() + " takes the inputs (" + names + "), but " +
        std::to_string(given_.size()) + " were given");
  }

  size_t count_of(const Argument& argument) const {
    const auto& attr = argument.count_attr.empty() ? argument.dtypes_attr : argument.count_attr;
    if (attr.empty()) return 1;
    if (auto found = attrs_.find(attr); found != attrs_.end()) {
      if (auto* count = found->second.get<int64_t>())
        return static_cast<size_t>(std::max<int64_t>(0, *count));
      return found->second.get<DTypes>()->size();
    }
    auto rest = op_.inputs().size() - 1;  // implied: whatever the other arguments leave
    return given_.size() < rest ? 0 : given_.size() - rest;
  }

  Status take(const Argument& argument) {
    auto count = count_of(argument);
    if (count > given_.size() - next_) return wrong_count();
    if (!argument.dtypes_attr.empty()) {
      DTypes list(given_.begin() + next_, given_.begin() + next_ + count);
      next_ += count;
      return imply(argument.dtypes_attr, list);
    }
    if (!argument.count_attr.empty())
      if (auto status = imply(argument.count_attr, static_cast<int64_t>(count)); !status.ok())
        return status;
    for (size_t i = 0; i < count; ++i)
      if (auto status = take_one(argument, given_[next_++]); !status.ok()) return status;
    return {};
  }

  Status take_one(const Argument& argument, DType given) {
    auto wanted = argument.dtype;
    if (!argument.dtype_attr.empty()) {
      auto found = attrs_.find(argument.dtype_attr);
      if (found == attrs_.end()) return imply(argument.dtype_attr, given);
      wanted = *found->second.get<DType>();
    }
    if (wanted == given) return {};
    return invalid_argument(
        "input '" + argument.name + "' must be " + to_string(wanted) + ", not " + to_string(given));
  }

  Status imply(const std::string& name, AttrValue value) {
    if (attrs_.contains(name)) return {};
    auto status = check_attr(*op_.find_attr(name), value);
    attrs_.emplace(name, std::move(value));
    return status;
  }

  Status fill_defaults() {
    for (const auto& rule : op_.attrs()) {
      if (attrs_.contains(rule.name)) continue;
      if (!rule.fallback)
        return invalid_argument("op " + op_.name() + " needs the attribute '" + rule.name + "'");
      attrs_.emplace(rule.name, *rule.fallback);
    }
    return {};
  }

  const Op& op_;
  Attrs& attrs_;
  const DTypes& given_;
  size_t next_ = 0;
};

}  // namespace

Result<NodeId> Graph::add(NodeDef def) {
  Where where{.node = def.name, .op = def.op};
  if (!is_valid_name(def.name))
    return invalid_argument(
               "'" + def.name + "' is no name for a node: letters, digits and _ . - / are allowed")
        .at(where);
  if (contains(def.name))
    return invalid_argument("the graph has a node '" + def.name + "' already").at(where);
  auto op = catalog_->find(def.op);
  if (!op) return op.status().at(where);

  Node node{
      .id = size(),
      .name = std::move(def.name),
      .op = *op,
      .device = std::move(def.device),
      .attrs = std::move(def.attrs),
      .inputs = {},
      .control_inputs = {},
      .output_dtypes = {},
      .output_shapes = {}};
  DTypes dtypes;
  for (const auto& input : def.inputs) {
    if (input.starts_with('^')) {
      auto id = find(std::string_view(input).substr(1));
      if (!id) return id.status().at(where);
      node.control_inputs.push_back(*id);
      continue;
    }
    if (!node.control_inputs.empty())
      return invalid_argument("input '" + input + "' comes after a control input").at(where);
    auto output = find_output(input);
    if (!output) return output.status().at(where);
    node.inputs.push_back(*output);
    dtypes.push_back(dtype_of(*output));
  }

  Signature signature(*node.op, node.attrs, dtypes);
  if (auto status = signature.complete(); !status.ok()) return status.at(where);
  auto output_dtypes = signature.output_dtypes();
  if (!output_dtypes) return output_dtypes.status().at(where);
  node.output_dtypes = *std::move(output_dtypes);

  Shapes shapes, spelled;
  std::vector<std::optional<Tensor>> constants;
  for (auto input : node.inputs) {
    shapes.push_back(shape_of(input));
    constants.push_back(constant_value(input));
    spelled.push_back(spelled_shape(input));
  }
  ShapeInference inference(
      node.attrs, std::move(shapes), std::move(dtypes), std::move(constants), std::move(spelled),
      node.output_dtypes.size(),
      node.inputs.empty() ? nullptr : &this->node(node.inputs[0].node).attrs);
  if (auto status = node.op->infer_shape()(inference); !status.ok()) return status.at(where);
  node.output_shapes = inference.outputs();

  ids_.emplace(node.name, node.id);
  nodes_.push_back(std::move(node));
  return nodes_.back().id;
}

void Graph::shrink_to(int size) {
  for (auto id = static_cast<size_t>(size); id < nodes_.size(); ++id) ids_.erase(nodes_[id].name);
  nodes_.erase(nodes_.begin() + size, nodes_.end());
}

Result<NodeId> Graph::find(std::string_view name) const {
  if (auto found = ids_.find(std::string(name)); found != ids_.end()) return found->second;
  std::vector<std::string> known;
  if (nodes_.size() <= 10000)
    for (const auto& node : nodes_) known.push_back(node.name);
  auto nearest = nearest_name(name, known);
  return not_found(
      "the graph has no node '" + std::string(name) + "'" +
      (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

Result<Output> Graph::find_output(std::string_view name) const {
  Output output;
  auto node_name = name;
  if (auto colon = name.rfind(':'); colon != std::string_view::npos) {
    node_name = name.substr(0, colon);
    auto digits = name.substr(colon + 1);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), output.index);
    if (error != std::errc() || end != digits.data() + digits.size() || output.index < 0)
      return invalid_argument("'" + std::string(name) + "' is not of the form 'node:0'");
  }
  auto id = find(node_name);
  if (!id) return id.status();
  output.node = *id;
  auto count = node(*id).output_dtypes.size();
  if (static_cast<size_t>(output.index) >= count)
    return invalid_argument(
        "there is no output '" + std::string(name) + "': node '" + std::string(node_name) + "' (" +
        node(*id).op->name() + ") has " + std::to_string(count) + " outputs");
  return output;
}

std::string Graph::name_of(Output output) const {
  return node(output.node).name + ":" + std::to_string(output.index);
}

NodeDef Graph::def_of(NodeId id) const {
  const auto& from = node(id);
  NodeDef def{
      .name = from.name,
      .op = from.op->name(),
      .device = from.device,
      .inputs = {},
      .attrs = from.attrs};
  for (auto input : from.inputs) def.inputs.push_back(name_of(input));
  for (auto input : from.control_inputs) def.inputs.push_back("^" + node(input).name);
  return def;
}

}  // namespace troupe
