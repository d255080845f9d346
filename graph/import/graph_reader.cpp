#include "troupe/graph/import/graph_reader.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "troupe/graph/import/attr_proto.hpp"
#include "troupe/graph/import/function_outputs.hpp"
#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/passes/sort_nodes.hpp"
#include "troupe/graph/proto/tensor_proto.hpp"

namespace troupe {
namespace {

/// The tensors of one graph take at most that much: short messages may describe large ones.
constexpr size_t max_tensor_bytes_of_graph = size_t{1} << 33;

/// The last version in which a Placeholder of no known shape looked like that of a scalar.
constexpr int placeholder_version = 21;

/// Attributes that ops got after 1.15 and that say nothing of what a node computes: which operand a
/// gradient is of, and names for people.
constexpr std::array<std::string_view, 5> later_hints = {
    "debug_name", "grad_a", "grad_b", "grad_x", "grad_y"};

/// Whether that is what the op does anyway, by an attribute that it got after 1.15: its default,
/// which is not zero, or the shapes of a variable and its value, which are always compared.
bool is_later_default(
    const std::string& op, const std::string& attr, const proto::AttrValue& value) {
  if (op.starts_with("FusedBatchNorm") && attr == "exponential_avg_factor") return value.f() == 1;
  if (op == "TopKV2" && (attr == "Tk" || attr == "index_type"))
    return value.type() == proto::DT_INT32;
  if (op == "AssignVariableOp" && attr == "validate_shape") return true;
  if (attr == "Tsegmentids") return value.type() == proto::DT_INT32;
  return false;
}

/// Our op for one that came after 1.15 and does the same.
const std::string& op_of(const proto::NodeDef& node) {
  static const std::string branches = "Case";
  return node.op() == "StatelessCase" ? branches : node.op();
}

Where where_of(const proto::NodeDef& node) { return {.node = node.name(), .op = node.op()}; }

Status in_attr(const std::string& name, const Status& status) {
  return Status(status.code(), "attribute '" + name + "' is wrong: " + status.message());
}

/// Calls f with the name of each function that the value names. (Its depth is bounded: protobuf
/// parses no message of more than 100 levels.)
template <class F>
void each_function_name(const proto::AttrValue& value, const F& f) {
  auto each = [&](const proto::NameAttrList& function) {
    f(function.name());
    for (const auto& [name, inner] : function.attr()) each_function_name(inner, f);
  };
  if (value.has_func()) each(value.func());
  for (const auto& function : value.list().func()) each(function);
}

}  // namespace

GraphReader::GraphReader(
    const OpCatalog& catalog, const proto::GraphDef& graph, const proto::OpList& producer_ops)
    : catalog_(catalog), graph_(graph), bytes_left_(max_tensor_bytes_of_graph) {
  for (const auto& op : producer_ops.op()) producer_ops_.emplace(op.name(), &op);
  for (const auto& function : graph.library().function())
    functions_.emplace(function.signature().name(), &function);
  for (const auto& gradient : graph.library().gradient())
    if (functions_.contains(gradient.gradient_func()))
      gradients_.emplace(gradient.function_name(), gradient.gradient_func());
}

Result<GraphContent> GraphReader::read() {
  if (auto status = check_versions(); !status.ok()) return status;
  if (auto status = find_needed_functions(); !status.ok()) return status;
  if (auto status = check_ops(); !status.ok()) return status;
  GraphContent content;
  content.nodes.reserve(static_cast<size_t>(graph_.node_size()));
  for (const auto& message : graph_.node()) {
    auto node = read_node(message);
    if (!node) return node.status().at(where_of(message));
    content.nodes.push_back(*std::move(node));
  }
  sort_inputs_first(content.nodes);
  for (const auto& [name, message] : needed_) {
    current_ = name;
    auto function = read_function(*message);
    if (!function) {
      auto status = function.status();
      return Status(
          status.code(), "in function '" + name + "': " + status.message(), status.where());
    }
    content.functions.push_back(*std::move(function));
  }
  return content;
}

Status GraphReader::check_versions() const {
  const auto& versions = graph_.versions();
  auto range = "; this one reads version " + std::to_string(graph_def_version);
  if (versions.min_consumer() > graph_def_version)
    return invalid_argument(
        "the graph is for programs that read GraphDefs of version " +
        std::to_string(versions.min_consumer()) + range);
  if (std::ranges::count(versions.bad_consumers(), graph_def_version))
    return invalid_argument("the graph is not for programs of just this version" + range);
  return {};
}

void GraphReader::note_functions(
    const proto::NodeDef& node, std::vector<std::string>& unseen) const {
  auto note = [&](const std::string& name) {
    if (functions_.contains(name) && !needed_.contains(name)) unseen.push_back(name);
  };
  note(node.op());
  for (const auto& [name, value] : node.attr()) each_function_name(value, note);
}

Status GraphReader::find_needed_functions() {
  std::vector<std::string> unseen;
  for (const auto& node : graph_.node()) note_functions(node, unseen);
  while (!unseen.empty()) {
    auto name = std::move(unseen.back());
    unseen.pop_back();
    const auto* message = functions_.at(name);
    if (!needed_.emplace(name, message).second) continue;
    if (auto gradient = gradients_.find(name); gradient != gradients_.end())
      unseen.push_back(gradient->second);
    for (const auto& node : message->node_def()) note_functions(node, unseen);
  }
  return {};
}

/// All that are missing at once, so that a program learns what it needs in one go.
Status GraphReader::check_ops() const {
  std::map<std::string, int64_t> missing;
  auto check = [&](const auto& nodes) {
    for (const auto& node : nodes) {
      // Names that begin with _ are those of ops that only a runtime adds.
      bool is_known = !node.op().starts_with('_') && catalog_.find(op_of(node)).ok();
      if (!is_known && !functions_.contains(node.op())) ++missing[node.op()];
    }
  };
  check(graph_.node());
  for (const auto& [name, function] : needed_) check(function->node_def());
  if (missing.empty()) return {};
  std::string names;
  for (const auto& [name, count] : missing)
    names += (names.empty() ? "" : ", ") + name + " (" + std::to_string(count) + ")";
  return not_found(
      "the graph has ops that do not exist here, with the numbers of their nodes: " + names);
}

bool GraphReader::is_stateful(const proto::FunctionDef& function, int depth) {
  const auto& name = function.signature().name();
  if (function.signature().is_stateful()) return true;
  if (auto known = stateful_.find(name); known != stateful_.end()) return known->second;
  if (depth > function_depth_max) return false;  // an error when the function is added
  stateful_[name] = false;                       // also while one that calls itself is looked at
  bool found = false;
  auto look_at = [&](const std::string& called) {
    auto inner = functions_.find(called);
    found = found || (inner != functions_.end() && is_stateful(*inner->second, depth + 1));
  };
  for (const auto& node : function.node_def()) {
    auto op = catalog_.find(op_of(node));
    found = found || (op && (*op)->is_stateful());
    look_at(node.op());
    for (const auto& [attr, value] : node.attr()) each_function_name(value, look_at);
  }
  return stateful_[name] = found;
}

bool GraphReader::is_default(
    const std::string& op, const std::string& attr, const proto::AttrValue& value) const {
  if (std::ranges::count(later_hints, attr) > 0 || is_later_default(op, attr, value)) return true;
  auto producer = producer_ops_.find(op);
  if (producer == producer_ops_.end()) return is_zero(value);
  for (const auto& rule : producer->second->attr())
    if (rule.name() == attr)
      return rule.default_value().SerializeAsString() == value.SerializeAsString();
  return is_zero(value);
}

Status GraphReader::read_attrs(const proto::NodeDef& message, const Op* op, NodeDef& node) {
  for (const auto& [name, value] : message.attr()) {
    if (is_internal_attr(name)) continue;
    const auto* rule = op ? op->find_attr(name) : nullptr;
    bool is_hint = name.starts_with('_');
    if (op && !rule && !is_hint && is_default(message.op(), name, value)) continue;
    auto attr = attr_from_proto(value, rule, bytes_left_);
    if (!attr && is_hint) continue;  // hints of other runtimes may be of any kind
    if (!attr) return in_attr(name, attr.status());
    node.attrs.emplace(name, *std::move(attr));
  }
  return {};
}

Result<NodeDef> GraphReader::read_node(const proto::NodeDef& message) {
  NodeDef node{
      .name = message.name(),
      .op = op_of(message),
      .device = message.device(),
      .inputs = {message.input().begin(), message.input().end()},
      .attrs = {}};
  auto called = functions_.find(message.op());
  auto op = catalog_.find(node.op);
  bool is_call = called != functions_.end();
  if (auto status = read_attrs(message, op && !is_call ? *op : nullptr, node); !status.ok())
    return status;
  if (is_call) return read_call(std::move(node), *called->second);
  if (functional::is_call(node.op) || node.op == functional::symbolic_gradient) set_gradient(node);
  if (node.op == "Placeholder" && graph_.versions().producer() <= placeholder_version)
    if (auto shape = node.attrs.find("shape"); shape != node.attrs.end())
      if (auto* given = shape->second.get<Shape>(); given && given->is_scalar())
        shape->second = Shape::unknown_rank();
  return node;
}

/// The node of a function's name as a node that calls the function.
Result<NodeDef> GraphReader::read_call(NodeDef node, const proto::FunctionDef& function) {
  Attrs attrs;
  for (const auto& [name, value] : node.attrs)
    if (name.starts_with('_')) attrs.emplace(name, value);
  auto dtypes_of = [](const auto& arguments) -> Result<AttrValue> {
    DTypes dtypes;
    for (const auto& argument : arguments) {
      auto dtype = dtype_from_proto(argument.type());
      if (!dtype) return dtype.status();
      dtypes.push_back(*dtype);
    }
    return AttrValue(dtypes);
  };
  auto in = dtypes_of(function.signature().input_arg());
  auto out = dtypes_of(function.signature().output_arg());
  if (!in) return in.status();
  if (!out) return out.status();
  attrs.insert_or_assign("Tin", *in);
  attrs.insert_or_assign("Tout", *out);
  attrs.insert_or_assign("f", FunctionRef(node.op));
  node.op = is_stateful(function) ? functional::stateful_call : functional::call;
  node.attrs = std::move(attrs);
  set_gradient(node);
  return node;
}

/// A call of a function that has a gradient function names it; where TensorFlow's gradient of such
/// a function was asked for, that is called. Not in what the gradient function itself is made of:
/// there it would lead back to itself.
void GraphReader::set_gradient(NodeDef& node) {
  auto attr = node.attrs.find("f");
  const auto* called = attr == node.attrs.end() ? nullptr : attr->second.get<FunctionRef>();
  auto gradient = called ? gradients_.find(called->name()) : gradients_.end();
  if (gradient == gradients_.end() || reached_from(gradient->second).contains(current_)) return;
  if (node.op != functional::symbolic_gradient) {
    node.attrs.insert_or_assign(functional::gradient_function_attr, FunctionRef(gradient->second));
    return;
  }
  auto is_stateful_gradient = is_stateful(*functions_.at(gradient->second));
  node.op = is_stateful_gradient ? functional::stateful_call : functional::call;
  attr->second = FunctionRef(gradient->second);
}

/// The function, and all that it calls or that gives gradients of what it calls.
const std::set<std::string>& GraphReader::reached_from(const std::string& function) {
  auto [known, is_new] = reached_.try_emplace(function);
  auto& reached = known->second;
  if (!is_new) return reached;
  std::vector<std::string> unseen = {function};
  auto note = [&](const std::string& name) {
    if (functions_.contains(name) && !reached.contains(name)) unseen.push_back(name);
  };
  while (!unseen.empty()) {
    auto name = std::move(unseen.back());
    unseen.pop_back();
    if (!reached.insert(name).second) continue;
    if (auto gradient = gradients_.find(name); gradient != gradients_.end()) note(gradient->second);
    for (const auto& node : functions_.at(name)->node_def()) {
      note(node.op());
      for (const auto& [attr, value] : node.attr()) each_function_name(value, note);
    }
  }
  return reached;
}

Status GraphReader::read_arguments(const proto::FunctionDef& message, FunctionDef& function) {
  uint32_t index = 0;
  for (const auto& argument : message.signature().input_arg()) {
    auto dtype = dtype_from_proto(argument.type());
    if (!dtype) return dtype.status();
    FunctionArgument read{.name = argument.name(), .dtype = *dtype};
    auto given = message.arg_attr().find(index++);
    const auto* shapes = *dtype == DType::resource ? "_handle_shapes" : "_output_shapes";
    if (given != message.arg_attr().end())
      if (auto attr = given->second.attr().find(shapes);
          attr != given->second.attr().end() && attr->second.list().shape_size() == 1) {
        auto shape = shape_from_proto(attr->second.list().shape(0));
        if (!shape) return shape.status();
        read.shape = *shape;
      }
    function.arguments.push_back(std::move(read));
  }
  return {};
}

Result<FunctionDef> GraphReader::read_function(const proto::FunctionDef& message) {
  FunctionDef function{.name = message.signature().name(), .arguments = {}, .results = {}};
  if (auto status = read_arguments(message, function); !status.ok()) return status;
  for (const auto& node : message.node_def()) {
    auto read = read_node(node);
    if (!read) return read.status().at(where_of(node));
    function.nodes.push_back(*std::move(read));
  }
  FunctionInputNames names(catalog_, message, functions_);
  std::map<std::string, const NodeDef*> nodes;
  for (const auto& node : function.nodes) nodes.emplace(node.name, &node);
  for (auto& node : function.nodes)
    for (auto& input : node.inputs) {
      auto name = names.translate(input, nodes);
      if (!name) return name.status().at({.node = node.name, .op = node.op});
      input = *std::move(name);
    }
  for (const auto& result : message.signature().output_arg()) {
    auto given = message.ret().find(result.name());
    if (given == message.ret().end())
      return invalid_argument("the result '" + result.name() + "' has no value");
    auto name = names.translate(given->second, nodes);
    if (!name) return name.status();
    auto dtype = dtype_from_proto(result.type());
    if (!dtype) return dtype.status();
    function.results.push_back({result.name(), *name, *dtype});
  }
  sort_inputs_first(function.nodes);
  return function;
}

}  // namespace troupe
