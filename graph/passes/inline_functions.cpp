#include "troupe/graph/passes/inline_functions.hpp"

#include <algorithm>
#include <set>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/ops/loops.hpp"
#include "troupe/graph/passes/find_frames.hpp"
#include "troupe/graph/passes/inline_scope.hpp"

namespace troupe {
namespace {

using functional::is_call;

class Inliner {
 public:
  Inliner(const Graph& graph, const StepSignature& signature, const PrunedStep& step)
      : source_(graph),
        signature_(signature),
        step_(step),
        graph_(std::make_shared<Graph>(graph.shared_catalog(), graph.shared_library())) {}

  Result<std::unique_ptr<InlinedStep>> run() {
    auto frames = find_frames(source_, step_.nodes);
    if (!frames) return frames.status();
    frames_ = *std::move(frames);
    StepSignature signature{.is_partial = step_.is_partial};
    for (auto feed : step_.feeds)
      if (auto status = add_absent_feed(feed); !status.ok()) return status;
    for (auto id : step_.nodes)
      if (auto status = add_source_node(id); !status.ok()) return status;
    for (auto feed : step_.feeds) signature.feeds.push_back(*top_.find(source_.name_of(feed)));
    for (auto fetch : step_.fetches) {
      auto name = add_fetch(fetch);
      if (!name) return name.status();
      signature.fetches.push_back(*std::move(name));
    }
    for (const auto& target : signature_.targets)
      if (auto call = top_.find_call(target.substr(0, target.rfind(':')))) {
        auto end = end_of(*call);
        if (!end) return end.status();
        targets_.push_back(*std::move(end));
      }
    signature.targets = std::move(targets_);
    if (auto status = graph_->check_loops(); !status.ok()) return status;
    auto pruned = prune(*graph_, signature);
    if (!pruned) return pruned.status();
    return std::make_unique<InlinedStep>(InlinedStep{graph_, *std::move(pruned)});
  }

 private:
  bool is_in_step(NodeId id) const { return std::ranges::binary_search(step_.nodes, id); }

  /// A fed output needs a node, which does not run: a placeholder, where its own node is not part
  /// of the step, or is a call.
  Status add_absent_feed(Output feed) {
    const auto& node = source_.node(feed.node);
    if (is_in_step(node.id) && !is_call(node.op->name())) return {};
    auto name = feed.index == 0 ? node.name : internal_name("_feed/", node.name, feed.index);
    top_.outputs[source_.name_of(feed)] = name + ":0";
    return graph_
        ->add(
            {.name = name,
             .op = "Placeholder",
             .device = "",
             .inputs = {},
             .attrs = {{"dtype", source_.dtype_of(feed)}, {"shape", source_.shape_of(feed)}}})
        .status();
  }

  Status add_source_node(NodeId id) {
    auto def = source_.def_of(id);
    std::erase_if(def.inputs, [&](const std::string& input) {
      return input.starts_with('^') && !is_in_step(*source_.find(input.substr(1)));
    });
    if (is_call(def.op)) return expand(top_, def, /*runs=*/true).status();
    targets_.push_back(def.name);
    return add_node(top_, std::move(def)).status();
  }

  /// The output that a fetch has here. A result may be a feed, whose value the caller would have to
  /// give itself: the fetch is then an output of its own.
  Result<std::string> add_fetch(Output fetch) {
    auto name = source_.name_of(fetch);
    auto output = top_.find(name);
    if (!output) return output.status();
    if (!is_call(source_.node(fetch.node).op->name()) || is_fed(name)) return output;
    for (auto feed : step_.feeds)
      if (*top_.find(source_.name_of(feed)) == *output)
        return add_identity(
            internal_name("_fetch/", source_.node(fetch.node).name, fetch.index), *output, "", {});
    return output;
  }

  bool is_fed(const std::string& output) const {
    return std::ranges::any_of(
        step_.feeds, [&](Output feed) { return source_.name_of(feed) == output; });
  }

  Result<std::string> add_identity(
      std::string name, const std::string& output, const std::string& device,
      const std::vector<std::string>& controls) {
    NodeDef def{.name = std::move(name), .op = "Identity", .device = device, .inputs = {output}};
    def.inputs.insert(def.inputs.end(), controls.begin(), controls.end());
    auto id = graph_->add(std::move(def));
    if (!id) return id.status();
    return graph_->name_of({*id, 0});
  }

  /// A node that only waits.
  Result<std::string> add_no_op(
      std::string name, const std::string& device, std::vector<std::string> controls) {
    auto id = graph_->add(
        {.name = std::move(name), .op = "NoOp", .device = device, .inputs = std::move(controls)});
    if (!id) return id.status();
    return graph_->node(*id).name;
  }

  /// Where a node in that scope runs: at its own constraint, with open fields from the call's.
  static Result<std::string> device_in(const InlineScope& scope, const NodeDef& def) {
    if (scope.device.empty() || def.device.empty())
      return def.device.empty() ? scope.device : def.device;
    auto own = DeviceName::parse(def.device), outer = DeviceName::parse(scope.device);
    if (!own) return own.status();
    if (!outer) return outer.status();
    return own->or_else(*outer).to_string();
  }

  /// The node's inputs in the new graph, with those that it gets from the call.
  Result<std::vector<std::string>> inputs_in(const InlineScope& scope, const NodeDef& def) {
    std::vector<std::string> inputs;
    bool waits_for_body = false, waits_for_node = false;
    for (const auto& input : def.inputs) {
      auto is_control = input.starts_with('^');
      auto name = is_control ? input.substr(1) : input;
      waits_for_body |= scope.is_inside(name);
      waits_for_node |= is_control;
      auto found = is_control ? control_in(scope, name) : scope.find(name);
      if (!found) return found.status();
      inputs.push_back(*std::move(found));
    }
    // A call in the body hands on to its own nodes what they wait for.
    if (!waits_for_body || (is_call(def.op) && !waits_for_node))
      inputs.insert(inputs.end(), scope.controls.begin(), scope.controls.end());
    return inputs;
  }

  /// "^node" for what a control input of that name waits for.
  Result<std::string> control_in(const InlineScope& scope, const std::string& name) {
    if (auto call = scope.find_call(name)) {
      auto end = end_of(*call);
      return end ? Result<std::string>("^" + *end) : end;
    }
    auto output = scope.find(name);
    if (!output) return output;
    return "^" + output->substr(0, output->rfind(':'));
  }

  /// The node at which a call has ended; added when something waits for it.
  Result<std::string> end_of(InlinedCall& call) {
    if (!call.end.empty()) return call.end;
    std::set<std::string> controls(call.body.controls.begin(), call.body.controls.end());
    for (const auto& result : call.results)
      controls.insert("^" + result.substr(0, result.rfind(':')));
    for (const auto& effect : call.effects) controls.insert("^" + effect);
    auto end = add_no_op("_end/" + call.name, call.body.device, {controls.begin(), controls.end()});
    if (end) call.end = *end;
    return end;
  }

  std::string free_name(const InlineScope& scope, const std::string& name) const {
    auto full = scope.prefix + name;
    if (scope.prefix.empty()) return full;
    while (source_.contains(full) || graph_->contains(full)) full += "_1";
    return full;
  }

  /// Adds a node that is no call; returns its name.
  Result<std::string> add_node(InlineScope& scope, NodeDef def) {
    auto known = scope.nodes.find(def.name);
    auto name = known == scope.nodes.end() ? free_name(scope, def.name) : known->second;
    Where where{.node = name, .op = def.op};
    auto inputs = inputs_in(scope, def);
    if (!inputs) return inputs.status().at(where);
    auto device = device_in(scope, def);
    if (!device) return device.status().at(where);
    adopt_names(scope, def);
    adopt_source(scope, def);
    scope.nodes.emplace(std::move(def.name), name);
    auto id = graph_->add(
        {.name = name,
         .op = std::move(def.op),
         .device = *std::move(device),
         .inputs = *std::move(inputs),
         .attrs = std::move(def.attrs)});
    if (!id) return id.status();
    return name;
  }

  /// Names in attributes: the frame of a loop, and the nodes that a node shares its device with.
  void adopt_names(const InlineScope& scope, NodeDef& def) const {
    if (loops::is_enter(def.op))
      if (auto* frame = def.attrs["frame_name"].get<std::string>())
        def.attrs["frame_name"] = scope.prefix + *frame;
    auto found = def.attrs.find("_class");
    auto* classes =
        found == def.attrs.end() ? nullptr : found->second.get<std::vector<std::string>>();
    if (!classes) return;
    std::vector<std::string> adopted;
    for (const auto& name : *classes) {
      auto other = name.starts_with("loc:@") ? name.substr(5) : "";
      if (scope.prefix.empty() && source_.contains(other)) {
        auto id = *source_.find(other);
        if (is_in_step(id) && !is_call(source_.node(id).op->name())) adopted.push_back(name);
      } else if (auto output = scope.find(other); !scope.prefix.empty() && output) {
        adopted.push_back("loc:@" + output->substr(0, output->rfind(':')));
      } else {
        adopted.push_back(source_.contains(other) ? name : "loc:@" + scope.prefix + other);
      }
    }
    found->second = adopted;
  }

  /// The source of a gradient array: calls of gradients() share the gradient function of a call,
  /// but no gradient array, so it becomes the scope of that which calls this function.
  static void adopt_source(const InlineScope& scope, NodeDef& def) {
    constexpr std::string_view gradients = "gradients";
    auto called = ("/" + scope.prefix).find("/gradients");
    if (called == std::string::npos) return;
    if (def.op != "TensorArrayGradV3" && def.op != "TensorArrayGradWithShape") return;
    auto& source = def.attrs.at("source");
    auto own = *source.get<std::string>();
    auto at = own.rfind(gradients);
    if (at == std::string::npos) return;
    auto caller = scope.prefix.substr(0, scope.prefix.find('/', called));
    source = caller + own.substr(at + gradients.size());
  }

  /// Adds the nodes of a call's function. `runs` is false for a forward call of which only some
  /// nodes are needed.
  Result<std::shared_ptr<InlinedCall>> expand(InlineScope& scope, const NodeDef& def, bool runs) {
    auto call = std::make_shared<InlinedCall>();
    call->name = free_name(scope, def.name);
    Where where{.node = call->name, .op = def.op};
    auto found = source_.library().find(def.attrs.at("f").get<FunctionRef>()->name());
    if (!found) return found.status().at(where);
    const auto& function = **found;
    // What the functions of this one have was counted with it.
    if (scope.prefix.empty() && (inlined_nodes_ += function.inlined_nodes) > inlined_nodes_max)
      return invalid_argument(
                 "the functions that the step calls have more than " +
                 std::to_string(inlined_nodes_max) + " nodes")
          .at(where);
    if (auto status = bind_inputs(scope, def, function.def, *call); !status.ok())
      return status.at(where);
    auto forward = forward_of(scope, def);
    if (!forward) return forward.status().at(where);
    for (const auto& node : function.def.nodes)  // a Merge may name it before it comes
      if (loops::is_next_iteration(node.op))
        call->body.nodes.emplace(node.name, free_name(call->body, node.name));
    for (const auto& node : function.def.nodes)
      if (auto status = add_body_node(*call, node, forward->get(), runs); !status.ok())
        return status.at(where);
    if (auto status = bind_results(function.def, *call); !status.ok()) return status.at(where);
    if (runs && scope.prefix.empty())
      targets_.insert(targets_.end(), call->effects.begin(), call->effects.end());
    scope.calls.emplace(def.name, call);
    return call;
  }

  Status bind_inputs(
      const InlineScope& scope, const NodeDef& def, const FunctionDef& function,
      InlinedCall& call) {
    auto device = device_in(scope, def);
    if (!device) return device.status();
    call.body.device = *std::move(device);
    call.body.prefix = call.name + "/";
    auto inputs = inputs_in(scope, def);
    if (!inputs) return inputs.status();
    size_t argument = 0;
    for (auto& input : *inputs)
      if (input.starts_with('^')) call.body.controls.push_back(std::move(input));
      else call.body.outputs[function.arguments.at(argument++).name + ":0"] = std::move(input);
    auto& controls = call.body.controls;
    if (scope.prefix.empty() && is_in_loop(def.name)) {
      std::set<std::string> nodes(controls.begin(), controls.end());
      for (const auto& [argument, value] : call.body.outputs)
        nodes.insert("^" + value.substr(0, value.rfind(':')));
      controls.assign(nodes.begin(), nodes.end());
    }
    if (controls.size() < 2) return {};
    auto start = add_no_op("_start/" + call.name, call.body.device, std::move(controls));
    if (start) controls = {"^" + *start};
    return start.status();
  }

  /// Whether that call is in a loop: then so is what its function computes from no argument.
  bool is_in_loop(const std::string& call) const {
    return frames_.of_nodes[static_cast<size_t>(*source_.find(call))] > 0;
  }

  /// The call whose gradient this one is; null for another call.
  Result<std::shared_ptr<InlinedCall>> forward_of(InlineScope& scope, const NodeDef& def) {
    auto found = def.attrs.find(functional::forward_call_attr);
    if (found == def.attrs.end()) return std::shared_ptr<InlinedCall>();
    auto* name = found->second.get<std::string>();
    if (name)
      if (auto call = scope.find_call(*name)) return call;
    auto id = name && scope.prefix.empty() ? source_.find(*name) : Result<NodeId>(not_found(""));
    if (!id || !is_call(source_.node(*id).op->name()) || is_in_step(*id))
      return invalid_argument(
          std::string(functional::forward_call_attr) + " = " + found->second.to_string() +
          " names no call before this one");
    auto forward = source_.def_of(*id);
    std::erase_if(forward.inputs, [&](const std::string& input) {
      return input.starts_with('^') && !is_in_step(*source_.find(input.substr(1)));
    });
    return expand(scope, forward, /*runs=*/false);
  }

  Status add_body_node(
      InlinedCall& call, const NodeDef& def, const InlinedCall* forward, bool runs) {
    auto shared = def.attrs.find(functional::forward_node_attr);
    if (forward && shared != def.attrs.end())
      return call.body.share(def.name, shared->second, forward->body);
    if (is_call(def.op)) {
      auto inner = expand(call.body, def, runs);
      if (!inner) return inner.status();
      const auto& effects = (*inner)->effects;
      call.effects.insert(call.effects.end(), effects.begin(), effects.end());
      return {};
    }
    auto name = add_node(call.body, def);
    if (!name) return name.status();
    if (graph_->node(*graph_->find(*name)).op->is_stateful()) call.effects.push_back(*name);
    return {};
  }

  /// A result that no node of the call computes waits here for what the call waits for.
  Status bind_results(const FunctionDef& function, InlinedCall& call) {
    for (const auto& result : function.results) {
      auto output = call.body.find(result.output);
      if (!output) return output.status();
      auto is_late = !call.body.controls.empty() && !call.body.is_inside(result.output) &&
                     result.dtype != DType::resource;
      if (is_late) {
        auto name = internal_name("_result/", call.name, static_cast<int>(call.results.size()));
        auto source = graph_->find_output(*output);
        if (!source) return source.status();
        output = add_identity(name, *output, graph_->node(source->node).device, call.body.controls);
        if (!output) return output.status();
      }
      call.results.push_back(*std::move(output));
    }
    return {};
  }

  static std::string internal_name(const char* prefix, const std::string& node, int index) {
    return prefix + node + "/" + std::to_string(index);
  }

  const Graph& source_;
  const StepSignature& signature_;
  const PrunedStep& step_;
  std::shared_ptr<Graph> graph_;
  LoopFrames frames_;
  InlineScope top_;
  std::vector<std::string> targets_;
  int64_t inlined_nodes_ = 0;
};

}  // namespace

Result<std::unique_ptr<InlinedStep>> inline_functions(
    const Graph& graph, const StepSignature& signature, const PrunedStep& step) {
  auto has_call = [&](NodeId id) { return is_call(graph.node(id).op->name()); };
  if (graph.library().size() == 0 || std::ranges::none_of(step.nodes, has_call))
    return std::unique_ptr<InlinedStep>();
  return Inliner(graph, signature, step).run();
}

}  // namespace troupe
