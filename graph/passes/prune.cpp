#include "troupe/graph/passes/prune.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "troupe/graph/passes/fed_variables.hpp"

namespace troupe {
namespace {

/// The error, prefixed by the role and name of the feed, fetch or target.
Status with_role(const char* role, const std::string& name, const Status& status) {
  return Status(
      status.code(), std::string(role) + " '" + name + "': " + status.message(), status.where());
}

Result<std::vector<Output>> find_outputs(
    const Graph& graph, const std::vector<std::string>& names, const char* role) {
  std::vector<Output> outputs;
  for (const auto& name : names) {
    auto output = graph.find_output(name);
    if (!output) return with_role(role, name, output.status());
    outputs.push_back(*output);
  }
  return outputs;
}

const char* opaque_kind(DType dtype) { return dtype == DType::variant ? "variant" : "handle"; }

/// A placeholder that is fed does not run. As in TensorFlow, a control edge from it waits only for
/// its feed, which is present from the start.
bool is_fed_placeholder(const Graph& graph, const std::vector<Output>& feeds, NodeId id) {
  return graph.node(id).op->name() == "Placeholder" && std::ranges::count(feeds, Output{id, 0});
}

/// Walks from nodes to their inputs, up to the feeds.
class NeededNodes {
 public:
  NeededNodes(const Graph& graph, const std::vector<Output>& feeds)
      : graph_(graph), feeds_(feeds), is_needed_(static_cast<size_t>(graph.size())) {}

  void add(NodeId id) {
    if (!is_needed_[id]) unseen_.push_back(id);
    is_needed_[id] = true;
  }
  void add(Output output) {
    auto feed = std::ranges::find(feeds_, output);
    if (feed == feeds_.end()) add(output.node);
    else used_feeds_.insert(static_cast<int>(feed - feeds_.begin()));
  }

  /// The nodes that those which were added need, ascending, with them.
  std::vector<NodeId> find() {
    std::vector<NodeId> found;
    while (!unseen_.empty()) {
      auto id = unseen_.back();
      unseen_.pop_back();
      found.push_back(id);
      for (auto input : graph_.node(id).inputs) add(input);
      for (auto input : graph_.node(id).control_inputs)
        if (is_fed_placeholder(graph_, feeds_, input)) add(Output{input, 0});
        else add(input);
    }
    std::ranges::sort(found);
    return found;
  }

  /// The feeds that they need, by number.
  const std::set<int>& feeds() const { return used_feeds_; }

 private:
  const Graph& graph_;
  const std::vector<Output>& feeds_;
  std::vector<bool> is_needed_;
  std::vector<NodeId> unseen_;
  std::set<int> used_feeds_;
};

/// A feed stands for the value of a variable, not for the variable.
Status check_fed_references(const Graph& graph, const PrunedStep& step) {
  for (auto feed : step.feeds) {
    if (!graph.is_reference(feed)) continue;
    for (auto id : step.nodes) {
      const auto& node = graph.node(id);
      for (int i = 0; i < static_cast<int>(node.inputs.size()); ++i)
        if (node.inputs[static_cast<size_t>(i)] == feed && node.takes_reference(i))
          return invalid_argument(
                     "input " + std::to_string(i) + " expects a reference to a variable, but '" +
                     graph.name_of(feed) + "' is fed a value")
              .at({.node = node.name, .op = node.op->name()});
    }
  }
  return {};
}

}  // namespace

size_t StepSignatureHash::operator()(const StepSignature& signature) const {
  size_t hash = signature.is_partial;
  auto mix = [&hash](size_t value) { hash = (hash ^ value) * 0x9e3779b97f4a7c15; };
  for (const auto* names : {&signature.feeds, &signature.fetches, &signature.targets}) {
    mix(names->size());
    for (const auto& name : *names) mix(std::hash<std::string>{}(name));
  }
  return hash;
}

Result<PrunedStep> prune(const Graph& graph, const StepSignature& signature) {
  auto feeds = find_outputs(graph, signature.feeds, "feed");
  if (!feeds) return feeds.status();
  auto fetches = find_outputs(graph, signature.fetches, "fetch");
  if (!fetches) return fetches.status();

  for (size_t i = 0; i < feeds->size(); ++i) {
    auto feed = (*feeds)[i];
    if (std::count(feeds->begin(), feeds->end(), feed) > 1)
      return invalid_argument("'" + signature.feeds[i] + "' is fed twice");
    if (auto dtype = feed_type(graph, feed).dtype; is_opaque(dtype))
      return invalid_argument(
          "'" + signature.feeds[i] + "' is a " + opaque_kind(dtype) + ", which cannot be fed");
  }
  for (size_t i = 0; i < fetches->size(); ++i)
    if (auto dtype = graph.dtype_of((*fetches)[i]); is_opaque(dtype))
      return invalid_argument(
          "'" + signature.fetches[i] + "' is a " + opaque_kind(dtype) +
          ", which cannot be fetched");

  PrunedStep step{
      .feeds = *std::move(feeds),
      .fetches = *std::move(fetches),
      .nodes = {},
      .is_partial = signature.is_partial};
  NeededNodes needed(graph, step.feeds);
  for (auto fetch : step.fetches) needed.add(fetch);
  for (const auto& target : signature.targets) {
    auto id = graph.find(target.substr(0, target.rfind(':')));
    if (!id) return with_role("target", target, id.status());
    needed.add(*id);
  }
  step.nodes = needed.find();
  if (auto status = check_fed_references(graph, step); !status.ok()) return status;
  return step;
}

std::vector<int> feeds_needed_by(const Graph& graph, const PrunedStep& step, Output output) {
  NeededNodes needed(graph, step.feeds);
  needed.add(output);
  needed.find();
  return {needed.feeds().begin(), needed.feeds().end()};
}

}  // namespace troupe
