#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "troupe/graph/graph.hpp"
#include "troupe/graph/ops/functional.hpp"

namespace troupe {

struct InlinedCall;

/// The names that nodes of a graph, or of a function's body, refer to, and the outputs that replace
/// them where calls are inlined.
struct InlineScope {
  std::string prefix;                 // of the names of a body's nodes, "call/"; empty for a graph
  std::string device;                 // the constraint of the call
  std::vector<std::string> controls;  // "^node": what the call waits for
  std::unordered_map<std::string, std::string> outputs;  // arguments and feeds: "x:0"
  std::unordered_map<std::string, std::string> nodes;    // that are no calls
  std::unordered_map<std::string, std::shared_ptr<InlinedCall>> calls;
  std::unordered_set<std::string> in_loops;     // nodes and calls in a loop of the body
  std::unordered_set<std::string> in_branches;  // those in a branch of it, and in no loop
  std::unordered_set<std::string> frames;       // of loops of the body, by their names there
  std::unordered_set<std::string> shared;       // nodes and calls of the forward call
  std::shared_ptr<const InlinedCall> forward;   // whose gradient this is; null for another call

  /// The output that replaces "node:1".
  Result<std::string> find(const std::string& output) const;
  /// Null for what is no call.
  std::shared_ptr<InlinedCall> find_call(const std::string& name) const;
  /// True for a node of the body, or an output of one; false for an argument, and for a shared one.
  bool is_inside(const std::string& output) const;
  /// Makes a name stand for a node of another body, whose name there is the attribute.
  Status share(const std::string& name, const AttrValue& of, const InlineScope& other);
};

/// A call whose function's nodes are in the graph.
struct InlinedCall {
  std::string name;
  InlineScope body;
  std::vector<std::string> results;  // the outputs that replace the call's
  // Its stateful nodes, and where values leave the loops and conditionals that have some: nothing
  // outside can wait for those inside.
  std::vector<std::string> effects;
  std::vector<std::string> effects_inside;
  std::string end;  // a node after which the call has ended; empty until needed
};

}  // namespace troupe
