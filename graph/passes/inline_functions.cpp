#include "troupe/graph/passes/inline_functions.hpp"

#include <algorithm>

#include "troupe/graph/passes/inliner.hpp"

namespace troupe {

using functional::is_functional;

Inliner::Inliner(const Graph& graph, const StepSignature& signature, const PrunedStep& step)
    : source_(graph),
      signature_(signature),
      step_(step),
      graph_(std::make_shared<Graph>(graph.shared_catalog(), graph.shared_library())) {}

Result<std::unique_ptr<InlinedStep>> Inliner::run() {
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

bool Inliner::is_in_step(NodeId id) const { return std::ranges::binary_search(step_.nodes, id); }

/// A fed output needs a node, which does not run: a placeholder, where its own node is not part
/// of the step, or is a call.
Status Inliner::add_absent_feed(Output feed) {
  const auto& node = source_.node(feed.node);
  auto is_variable = is_variable_handle(source_, feed);
  auto stays = is_in_step(node.id) && !is_functional(node.op->name());
  if (stays && !is_variable) return {};
  auto has_name = feed.index == 0 && !stays;
  auto name = has_name ? node.name : internal_name("_feed/", node.name, feed.index);
  top_.outputs[source_.name_of(feed)] = name + ":0";
  if (is_variable) fed_variables_.add(name + ":0", node.name);
  auto [dtype, shape] = feed_type(source_, feed);
  return graph_
      ->add(
          {.name = name,
           .op = "Placeholder",
           .device = "",
           .inputs = {},
           .attrs = {{"dtype", dtype}, {"shape", shape}}})
      .status();
}

Status Inliner::add_source_node(NodeId id) {
  auto def = source_.def_of(id);
  std::erase_if(def.inputs, [&](const std::string& input) {
    return input.starts_with('^') && !is_in_step(*source_.find(input.substr(1)));
  });
  if (is_functional(def.op)) return expand(top_, def, /*runs=*/true).status();
  targets_.push_back(def.name);
  return add_node(top_, std::move(def)).status();
}

/// The output that a fetch has here. A result may be a feed, whose value the caller would have to
/// give itself: the fetch is then an output of its own.
Result<std::string> Inliner::add_fetch(Output fetch) {
  auto name = source_.name_of(fetch);
  auto output = top_.find(name);
  if (!output) return output.status();
  if (!is_functional(source_.node(fetch.node).op->name()) || is_fed(name)) return output;
  for (auto feed : step_.feeds)
    if (*top_.find(source_.name_of(feed)) == *output)
      return add_identity(
          internal_name("_fetch/", source_.node(fetch.node).name, fetch.index), *output, "", {});
  return output;
}

bool Inliner::is_fed(const std::string& output) const {
  return std::ranges::any_of(
      step_.feeds, [&](Output feed) { return source_.name_of(feed) == output; });
}

/// Whether that call is in a loop: then so is what its function computes from no argument.
bool Inliner::is_in_loop(const std::string& call) const {
  return frames_.of_nodes[static_cast<size_t>(*source_.find(call))] > 0;
}

/// The nodes of a call that is not part of the step, for a gradient that needs some of them.
Result<std::shared_ptr<InlinedCall>> Inliner::expand_absent_forward(const std::string& name) {
  auto id = source_.find(name);
  if (!id || !is_functional(source_.node(*id).op->name()) || is_in_step(*id))
    return std::shared_ptr<InlinedCall>();
  auto forward = source_.def_of(*id);
  std::erase_if(forward.inputs, [&](const std::string& input) {
    return input.starts_with('^') && !is_in_step(*source_.find(input.substr(1)));
  });
  return expand(top_, forward, /*runs=*/false);
}

Result<std::unique_ptr<InlinedStep>> inline_functions(
    const Graph& graph, const StepSignature& signature, const PrunedStep& step) {
  auto has_call = [&](NodeId id) { return is_functional(graph.node(id).op->name()); };
  auto is_variable = [&](Output feed) { return is_variable_handle(graph, feed); };
  auto calls = graph.library().size() > 0 && std::ranges::any_of(step.nodes, has_call);
  if (!calls && std::ranges::none_of(step.feeds, is_variable))
    return std::unique_ptr<InlinedStep>();
  return Inliner(graph, signature, step).run();
}

}  // namespace troupe
