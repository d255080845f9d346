#pragma once

#include <set>

#include "troupe/graph/passes/fed_variables.hpp"
#include "troupe/graph/passes/find_frames.hpp"
#include "troupe/graph/passes/inline_functions.hpp"
#include "troupe/graph/passes/inline_scope.hpp"
#include "troupe/graph/passes/lower.hpp"

namespace troupe {

/// Copies a step into a graph of its own, and replaces what `functional::is_functional` by nodes of
/// functions.
class Inliner {
 public:
  Inliner(const Graph& graph, const StepSignature& signature, const PrunedStep& step);

  Result<std::unique_ptr<InlinedStep>> run();

 private:
  /// What is inlined in place of a node.
  struct Replacement {
    const FunctionDef* function;  // in the library, or `lowered`
    std::shared_ptr<const LoweredNode> lowered;
    std::string device;
    size_t first_argument;  // the input that is the function's first argument
  };

  // -- the step (inline_functions.cpp)
  bool is_in_step(NodeId id) const;
  Status add_absent_feed(Output feed);
  Status add_source_node(NodeId id);
  Result<std::string> add_fetch(Output fetch);
  bool is_fed(const std::string& output) const;
  bool is_in_loop(const std::string& node) const;
  Result<std::shared_ptr<InlinedCall>> expand_absent_forward(const std::string& name);

  // -- nodes (inliner.cpp)
  Result<std::string> add_identity(
      std::string name, const std::string& output, const std::string& device,
      const std::vector<std::string>& controls);
  Result<std::string> add_no_op(
      std::string name, const std::string& device, std::vector<std::string> controls);
  Result<std::string> device_in(
      const InlineScope& scope, const NodeDef& def, const std::vector<std::string>& inputs) const;
  Result<std::vector<std::string>> inputs_in(const InlineScope& scope, const NodeDef& def);
  Result<std::string> control_in(const InlineScope& scope, const std::string& name);
  Result<std::string> end_of(InlinedCall& call);
  std::string free_name(const InlineScope& scope, const std::string& name) const;
  Result<std::string> add_node(InlineScope& scope, NodeDef def);
  void adopt_names(const InlineScope& scope, NodeDef& def) const;

  // -- calls (inline_calls.cpp)
  Result<Replacement> replacement_of(
      const InlineScope& scope, const NodeDef& def, const std::vector<std::string>& inputs);
  Result<Replacement> remote_call(const std::string& target, Replacement replacement) const;
  Result<Replacement> lower(
      const NodeDef& def, const std::vector<std::string>& inputs, Replacement replacement) const;
  Status count_nodes_of(const NodeDef& def);
  Result<std::shared_ptr<InlinedCall>> expand(InlineScope& scope, const NodeDef& def, bool runs);
  Status bind_inputs(
      const InlineScope& scope, const NodeDef& def, const Replacement& replacement,
      std::vector<std::string> inputs, InlinedCall& call);
  Result<std::shared_ptr<InlinedCall>> forward_of(InlineScope& scope, const NodeDef& def);
  Status add_body(
      InlinedCall& call, const FunctionDef& function, const InlinedCall* forward, bool runs);
  Status add_body_node(
      InlinedCall& call, const NodeDef& def, const InlinedCall* forward, bool runs);
  Status bind_results(const FunctionDef& function, InlinedCall& call);

  const Graph& source_;
  const StepSignature& signature_;
  const PrunedStep& step_;
  std::shared_ptr<Graph> graph_;
  LoopFrames frames_;
  FedVariables fed_variables_;
  InlineScope top_;
  std::vector<std::string> targets_;
  int64_t inlined_nodes_ = 0;
};

/// The first device constraint, with its open fields from the second.
Result<std::string> merge_devices(const std::string& own, const std::string& outer);

/// "_end/call/1": a node that inlining adds.
std::string internal_name(const char* prefix, const std::string& node, int index);

}  // namespace troupe
