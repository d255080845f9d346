#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "troupe/graph/node_def.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

struct FunctionArgument {
  std::string name;
  DType dtype = DType::invalid;
  /// What is known of it for every call; of a handle, the shape of its variable.
  Shape shape = Shape::unknown_rank();

  bool operator==(const FunctionArgument&) const = default;
};

struct FunctionResult {
  std::string name;
  std::string output;  // an argument, or an output of a node of the body: "MatMul:0"
  DType dtype = DType::invalid;

  bool operator==(const FunctionResult&) const = default;
};

/// A function as it is written and sent. Inputs of its nodes are arguments or nodes before them.
struct FunctionDef {
  std::string name;
  std::vector<FunctionArgument> arguments;
  std::vector<FunctionResult> results;
  std::vector<NodeDef> nodes;

  bool operator==(const FunctionDef&) const = default;
};

/// Functions may call each other so deep, and not more than so many nodes may replace a call.
inline constexpr int function_depth_max = 64;
inline constexpr int64_t inlined_nodes_max = 1'000'000;

/// A function whose body was checked, and what is known of all its calls.
struct Function {
  FunctionDef def;
  Shapes result_shapes;       // for arguments of the declared shapes
  bool is_stateful = false;   // a node of the body, or of a function that it calls, is
  int depth = 1;              // of the functions that it calls, and itself
  int64_t inlined_nodes = 0;  // of the body, with those of the functions that it calls
};

/// The functions of a graph, by name. It only grows; the addresses of its functions stay valid.
class FunctionLibrary {
 public:
  /// NotFound names the function and suggests the most similar name of the library.
  Result<const Function*> find(std::string_view name) const;
  bool contains(std::string_view name) const { return numbers_.contains(std::string(name)); }
  /// In the order in which they were added: each after those that it calls.
  const std::vector<std::shared_ptr<const Function>>& all() const { return functions_; }
  size_t size() const { return functions_.size(); }

  /// The definitions from number `first` on.
  std::vector<FunctionDef> defs_from(size_t first) const;
  /// The definitions that these nodes refer to, directly or through other functions.
  std::vector<FunctionDef> defs_used_by(const std::vector<NodeDef>& nodes) const;

  /// Adds a function that was checked, under a new name (`function_body.hpp`).
  void add(Function function);

 private:
  std::vector<std::shared_ptr<const Function>> functions_;
  std::unordered_map<std::string, size_t> numbers_;
};

/// Of the nodes and of the bodies of the functions.
size_t count_nodes(const std::vector<NodeDef>& nodes, const std::vector<FunctionDef>& functions);

/// The functions that the node's attributes name.
FunctionRefs functions_in(const NodeDef& node);

}  // namespace troupe
