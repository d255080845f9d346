#include <algorithm>

#include "troupe/graph/build/function_gradient.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/ops/loops.hpp"
#include "troupe/graph/passes/inliner.hpp"

namespace troupe {

using functional::is_functional;

namespace {

/// A call may name one, as in TensorFlow; each has the semantics of the one that there is.
Status check_executor(const NodeDef& def) {
  auto found = def.attrs.find("executor_type");
  auto* name = found == def.attrs.end() ? nullptr : found->second.get<std::string>();
  if (!name || name->empty() || *name == "DEFAULT" || *name == "SINGLE_THREADED_EXECUTOR")
    return {};
  return not_found("there is no executor of the type '" + *name + "'");
}

bool is_switch(std::string_view op) { return op == "Switch" || op == "RefSwitch"; }

/// The nodes of a function that are in a loop of it, those in a branch of a conditional outside of
/// loops, and those by which values leave all loops and conditionals.
struct BodyFlow {
  std::unordered_set<std::string> in_loops, in_branches;
  std::unordered_set<std::string> frames;
  std::vector<std::string> ends;
};

/// How many loops and conditionals an output is in.
struct FlowDepth {
  int loops = 0, branches = 0;
};

BodyFlow flow_of(const FunctionDef& function) {
  std::unordered_map<std::string, FlowDepth> depths;  // of outputs
  BodyFlow found;
  for (const auto& node : function.nodes) {
    FlowDepth depth;
    for (const auto& input : node.inputs) {
      auto from = static_cast<size_t>(input.starts_with('^'));
      auto known = depths.find(input.substr(from, input.rfind(':') - from));
      if (known == depths.end()) continue;
      depth.loops = std::max(depth.loops, known->second.loops);
      depth.branches = std::max(depth.branches, known->second.branches);
    }
    auto outputs = depth;
    auto is_in_loop = depth.loops > 0;
    if (loops::is_enter(node.op)) ++outputs.loops;
    else if (loops::is_exit(node.op)) --outputs.loops;
    else if (!is_in_loop && is_switch(node.op)) ++outputs.branches;
    else if (!is_in_loop && loops::is_merge(node.op) && depth.branches > 0) --outputs.branches;
    if (is_in_loop) found.in_loops.insert(node.name);
    else if (outputs.branches > 0) found.in_branches.insert(node.name);
    auto frame = node.attrs.find("frame_name");
    if (loops::is_enter(node.op) && frame != node.attrs.end())
      if (auto* name = frame->second.get<std::string>()) found.frames.insert(*name);
    auto was_inside = is_in_loop || depth.branches > 0;
    if (was_inside && outputs.loops == 0 && outputs.branches == 0) found.ends.push_back(node.name);
    depths[node.name] = outputs;
  }
  return found;
}

}  // namespace

/// What replaces a node whose inputs are those.
Result<Inliner::Replacement> Inliner::replacement_of(
    const InlineScope& scope, const NodeDef& def, const std::vector<std::string>& inputs) {
  auto device = merge_devices(def.device, scope.device);
  if (!device) return device.status();
  Replacement replacement{
      .function = nullptr, .lowered = nullptr, .device = *std::move(device), .first_argument = 0};
  auto f = def.attrs.find("f");
  if (f == def.attrs.end()) return lower(def, inputs, std::move(replacement));
  if (auto status = check_executor(def); !status.ok()) return status;
  const auto& called = *f->second.get<FunctionRef>();
  auto found = def.op == functional::symbolic_gradient ? add_symbolic_gradient(*graph_, called)
                                                       : graph_->library().find(called.name());
  if (!found) return found.status();
  replacement.function = &(*found)->def;
  if (def.op != functional::remote_call) return replacement;
  return remote_call(inputs[0], std::move(replacement));
}

/// A call whose device is an input.
Result<Inliner::Replacement> Inliner::remote_call(
    const std::string& target, Replacement replacement) const {
  auto output = graph_->find_output(target);
  if (!output) return output.status();
  auto known = graph_->constant_value(*output);
  if (!known)
    return unimplemented(
        "the target '" + target +
        "' of a RemoteCall must be a constant: a step is placed before it runs");
  auto device = DeviceName::parse(known->value<std::string>());
  if (!device) return device.status();
  auto merged = merge_devices(device->to_string(), replacement.device);
  if (!merged) return merged.status();
  replacement.device = *std::move(merged);
  replacement.first_argument = 1;
  return replacement;
}

Result<Inliner::Replacement> Inliner::lower(
    const NodeDef& def, const std::vector<std::string>& inputs, Replacement replacement) const {
  std::vector<FunctionArgument> arguments;
  for (const auto& input : inputs) {
    if (input.starts_with('^')) break;
    auto output = graph_->find_output(input);
    if (!output) return output.status();
    arguments.push_back(
        {"arg" + std::to_string(arguments.size()), graph_->dtype_of(*output),
         graph_->shape_of(*output)});
  }
  auto is_loop = functional::is_while(def.op) || def.op == "For";
  auto lowered =
      is_loop ? lower_loop(def, arguments, *graph_) : lower_conditional(def, arguments, *graph_);
  if (!lowered) return lowered.status();
  replacement.lowered = std::make_shared<const LoweredNode>(*std::move(lowered));
  replacement.function = &replacement.lowered->function;
  return replacement;
}

/// What the functions of a function have was counted with it.
Status Inliner::count_nodes_of(const NodeDef& def) {
  for (const auto& function : functions_in(def)) {
    auto found = graph_->library().find(function.name());
    if (!found) return found.status();
    inlined_nodes_ += (*found)->inlined_nodes;
  }
  if (inlined_nodes_ <= inlined_nodes_max) return {};
  return invalid_argument(
      "the functions that the step calls have more than " + std::to_string(inlined_nodes_max) +
      " nodes");
}

/// Adds the nodes of a call's function. `runs` is false for a forward call of which only some nodes
/// are needed.
Result<std::shared_ptr<InlinedCall>> Inliner::expand(
    InlineScope& scope, const NodeDef& def, bool runs) {
  auto call = std::make_shared<InlinedCall>();
  call->name = free_name(scope, def.name);
  Where where{.node = call->name, .op = def.op};
  if (scope.prefix.empty())
    if (auto status = count_nodes_of(def); !status.ok()) return status.at(where);
  auto inputs = inputs_in(scope, def);
  if (!inputs) return inputs.status().at(where);
  auto replacement = replacement_of(scope, def, *inputs);
  if (!replacement) return replacement.status().at(where);
  auto status = bind_inputs(scope, def, *replacement, *std::move(inputs), *call);
  if (!status.ok()) return status.at(where);
  auto forward = forward_of(scope, def);
  if (!forward) return forward.status().at(where);
  call->body.forward = *forward;
  status = add_body(*call, *replacement->function, forward->get(), runs);
  if (!status.ok()) return status.at(where);
  if (replacement->lowered && !call->effects.empty())
    call->effects = {call->body.nodes.at(replacement->lowered->done)};
  if (runs && scope.prefix.empty())
    for (const auto* effects : {&call->effects, &call->effects_inside})
      targets_.insert(targets_.end(), effects->begin(), effects->end());
  scope.calls.emplace(def.name, call);
  return call;
}

Status Inliner::bind_inputs(
    const InlineScope& scope, const NodeDef& def, const Replacement& replacement,
    std::vector<std::string> inputs, InlinedCall& call) {
  call.body.device = replacement.device;
  call.body.prefix = call.name + "/";
  auto& controls = call.body.controls;
  size_t index = 0;
  for (auto& input : inputs) {
    if (input.starts_with('^')) {
      controls.push_back(std::move(input));
      continue;
    }
    auto argument = index++ - replacement.first_argument;
    if (index <= replacement.first_argument) continue;
    const auto& name = replacement.function->arguments.at(argument).name;
    call.body.outputs[name + ":0"] = std::move(input);
  }
  // What the function computes from no argument is in the loop, too.
  auto needs_controls = scope.prefix.empty()
                            ? is_in_loop(def.name)
                            : controls.empty() && scope.in_loops.contains(def.name);
  if (needs_controls) {
    std::set<std::string> nodes(controls.begin(), controls.end());
    for (const auto& [name, value] : call.body.outputs)
      nodes.insert("^" + value.substr(0, value.rfind(':')));
    controls.assign(nodes.begin(), nodes.end());
  }
  if (controls.size() < 2) return {};
  auto start = add_no_op("_start/" + call.name, call.body.device, std::move(controls));
  if (start) controls = {"^" + *start};
  return start.status();
}

/// The call whose gradient this one is; null for another call. In the gradient of a conditional it
/// is in that conditional.
Result<std::shared_ptr<InlinedCall>> Inliner::forward_of(InlineScope& scope, const NodeDef& def) {
  auto found = def.attrs.find(functional::forward_call_attr);
  if (found == def.attrs.end()) return std::shared_ptr<InlinedCall>();
  if (auto* name = found->second.get<std::string>()) {
    if (auto call = scope.find_call(*name)) return call;
    if (scope.forward)
      if (auto call = scope.forward->body.find_call(*name)) return call;
    if (scope.prefix.empty()) {
      auto absent = expand_absent_forward(*name);
      if (!absent || *absent) return absent;
    }
  }
  return invalid_argument(
      std::string(functional::forward_call_attr) + " = " + found->second.to_string() +
      " names no call before this one");
}

Status Inliner::add_body(
    InlinedCall& call, const FunctionDef& function, const InlinedCall* forward, bool runs) {
  auto flow = flow_of(function);
  call.body.in_loops = std::move(flow.in_loops);
  call.body.in_branches = std::move(flow.in_branches);
  call.body.frames = std::move(flow.frames);
  for (const auto& node : function.nodes)  // a Merge may name it before it comes
    if (loops::is_next_iteration(node.op))
      call.body.nodes.emplace(node.name, free_name(call.body, node.name));
  for (const auto& node : function.nodes)
    if (auto status = add_body_node(call, node, forward, runs); !status.ok()) return status;
  if (!call.effects_inside.empty())
    for (const auto& end : flow.ends)
      if (auto own = call.body.nodes.find(end); own != call.body.nodes.end())
        call.effects.push_back(own->second);
  return bind_results(function, call);
}

Status Inliner::add_body_node(
    InlinedCall& call, const NodeDef& def, const InlinedCall* forward, bool runs) {
  auto shared = def.attrs.find(functional::forward_node_attr);
  if (forward && shared != def.attrs.end())
    return call.body.share(def.name, shared->second, forward->body);
  auto is_inside =
      call.body.in_loops.contains(def.name) || call.body.in_branches.contains(def.name);
  auto& effects = is_inside ? call.effects_inside : call.effects;
  if (is_functional(def.op)) {
    auto inner = expand(call.body, def, runs);
    if (!inner) return inner.status();
    effects.insert(effects.end(), (*inner)->effects.begin(), (*inner)->effects.end());
    call.effects_inside.insert(
        call.effects_inside.end(), (*inner)->effects_inside.begin(),
        (*inner)->effects_inside.end());
    return {};
  }
  auto name = add_node(call.body, def);
  if (!name) return name.status();
  if (graph_->node(*graph_->find(*name)).op->is_stateful()) effects.push_back(*name);
  return {};
}

/// A result that no node of the call computes waits here for what the call waits for.
Status Inliner::bind_results(const FunctionDef& function, InlinedCall& call) {
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

}  // namespace troupe
