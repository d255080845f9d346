#include "troupe/graph/passes/inliner.hpp"

#include <algorithm>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/ops/loops.hpp"

namespace troupe {
namespace {

/// The source of a gradient array: calls of gradients() share the gradient function of a call,
/// but no gradient array, so it becomes the scope of that which calls this function.
void adopt_source(const InlineScope& scope, NodeDef& def) {
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

}  // namespace

Result<std::string> Inliner::add_identity(
    std::string name, const std::string& output, const std::string& device,
    const std::vector<std::string>& controls) {
  NodeDef def{.name = std::move(name), .op = "Identity", .device = device, .inputs = {output}};
  def.inputs.insert(def.inputs.end(), controls.begin(), controls.end());
  auto id = graph_->add(std::move(def));
  if (!id) return id.status();
  return graph_->name_of({*id, 0});
}

/// A node that only waits.
Result<std::string> Inliner::add_no_op(
    std::string name, const std::string& device, std::vector<std::string> controls) {
  auto id = graph_->add(
      {.name = std::move(name), .op = "NoOp", .device = device, .inputs = std::move(controls)});
  if (!id) return id.status();
  return graph_->node(*id).name;
}

/// Where a node in that scope runs: at its own constraint, with open fields from the call's. A
/// handle stays where its resource is.
Result<std::string> Inliner::device_in(
    const InlineScope& scope, const NodeDef& def, const std::vector<std::string>& inputs) const {
  if (!inputs.empty() && !inputs[0].starts_with('^') && loops::passes_on(def.op)) {
    auto input = graph_->find_output(inputs[0]);
    if (!input) return input.status();
    if (graph_->dtype_of(*input) == DType::resource && def.device.empty()) return std::string();
    if (def.attrs.contains(colocate_with_input_attr)) return graph_->node(input->node).device;
  }
  return merge_devices(def.device, scope.device);
}

/// The node's inputs in the new graph, with those that it gets from the call.
Result<std::vector<std::string>> Inliner::inputs_in(const InlineScope& scope, const NodeDef& def) {
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
  auto is_call = functional::is_functional(def.op);
  if (is_call && scope.in_loops.contains(def.name)) return inputs;  // these are outside of the loop
  if (!waits_for_body || (is_call && !waits_for_node))
    inputs.insert(inputs.end(), scope.controls.begin(), scope.controls.end());
  return inputs;
}

/// "^node" for what a control input of that name waits for.
Result<std::string> Inliner::control_in(const InlineScope& scope, const std::string& name) {
  if (auto call = scope.find_call(name)) {
    auto end = end_of(*call);
    return end ? Result<std::string>("^" + *end) : end;
  }
  auto output = scope.find(name);
  if (!output) return output;
  return "^" + output->substr(0, output->rfind(':'));
}

/// The node at which a call has ended; added when something waits for it.
Result<std::string> Inliner::end_of(InlinedCall& call) {
  if (!call.end.empty()) return call.end;
  std::set<std::string> controls(call.body.controls.begin(), call.body.controls.end());
  for (const auto& result : call.results)
    controls.insert("^" + result.substr(0, result.rfind(':')));
  for (const auto& effect : call.effects) controls.insert("^" + effect);
  auto end = add_no_op("_end/" + call.name, call.body.device, {controls.begin(), controls.end()});
  if (end) call.end = *end;
  return end;
}

std::string Inliner::free_name(const InlineScope& scope, const std::string& name) const {
  auto full = scope.prefix + name;
  if (scope.prefix.empty()) return full;
  while (source_.contains(full) || graph_->contains(full)) full += "_1";
  return full;
}

/// Adds a node that is no call; returns its name.
Result<std::string> Inliner::add_node(InlineScope& scope, NodeDef def) {
  auto known = scope.nodes.find(def.name);
  auto name = known == scope.nodes.end() ? free_name(scope, def.name) : known->second;
  Where where{.node = name, .op = def.op};
  auto inputs = inputs_in(scope, def);
  if (!inputs) return inputs.status().at(where);
  auto hands_on_variable = fed_variables_.adopt(*graph_, def, *inputs);
  if (!hands_on_variable) return hands_on_variable.status().at(where);
  auto device = device_in(scope, def, *inputs);
  if (!device) return device.status().at(where);
  adopt_names(scope, def);
  adopt_source(scope, def);
  def.attrs.erase(colocate_with_input_attr);
  scope.nodes.emplace(std::move(def.name), name);
  auto id = graph_->add(
      {.name = name,
       .op = std::move(def.op),
       .device = *std::move(device),
       .inputs = *std::move(inputs),
       .attrs = std::move(def.attrs)});
  if (!id) return id.status();
  if (*hands_on_variable) fed_variables_.hand_on(*graph_, *id);
  return name;
}

/// Names in attributes: the frame of a loop, and the nodes that a node shares its device with.
void Inliner::adopt_names(const InlineScope& scope, NodeDef& def) const {
  if (loops::is_enter(def.op))
    if (auto* frame = def.attrs["frame_name"].get<std::string>()) {
      // What the gradient of a loop adds to the loop is in the frame of the forward call.
      auto is_shared = scope.forward && scope.forward->body.frames.contains(*frame);
      def.attrs["frame_name"] = (is_shared ? scope.forward->body.prefix : scope.prefix) + *frame;
    }
  auto found = def.attrs.find("_class");
  auto* classes =
      found == def.attrs.end() ? nullptr : found->second.get<std::vector<std::string>>();
  if (!classes) return;
  std::vector<std::string> adopted;
  for (const auto& name : *classes) {
    auto other = name.starts_with("loc:@") ? name.substr(5) : "";
    if (scope.prefix.empty() && source_.contains(other)) {
      auto id = *source_.find(other);
      if (is_in_step(id) && !functional::is_functional(source_.node(id).op->name()))
        adopted.push_back(name);
    } else if (auto output = scope.find(other); !scope.prefix.empty() && output) {
      adopted.push_back("loc:@" + output->substr(0, output->rfind(':')));
    } else {
      adopted.push_back(source_.contains(other) ? name : "loc:@" + scope.prefix + other);
    }
  }
  found->second = adopted;
}

Result<std::string> merge_devices(const std::string& own, const std::string& outer) {
  if (own.empty() || outer.empty()) return own.empty() ? outer : own;
  auto inner = DeviceName::parse(own), around = DeviceName::parse(outer);
  if (!inner) return inner.status();
  if (!around) return around.status();
  return inner->or_else(*around).to_string();
}

std::string internal_name(const char* prefix, const std::string& node, int index) {
  return prefix + node + "/" + std::to_string(index);
}

}  // namespace troupe
