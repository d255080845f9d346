#pragma once

#include <compare>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "troupe/graph/function.hpp"
#include "troupe/graph/node_def.hpp"
#include "troupe/graph/op.hpp"

namespace troupe {

/// The position of a node in its graph.
using NodeId = int32_t;

/// A value on an edge: output `index` of a node.
struct Output {
  NodeId node = -1;
  int32_t index = 0;

  auto operator<=>(const Output&) const = default;
};

/// A node in a graph: checked, complete, with the dtypes and shapes of its outputs.
struct Node {
  NodeId id;
  std::string name;
  const Op* op;
  std::string device;
  Attrs attrs;  // complete: defaults and implied types are filled in
  std::vector<Output> inputs;
  std::vector<NodeId> control_inputs;
  DTypes output_dtypes;
  Shapes output_shapes;

  template <class T>
  const T& attr(std::string_view attr_name) const {
    auto found = attrs.find(attr_name);
    CHECK(found != attrs.end());
    auto* value = found->second.get<T>();
    CHECK(value != nullptr);
    return *value;
  }

  /// Whether that input is a reference, which its op may write to, and not a value.
  bool takes_reference(int input) const;
  /// Whether that output is one. Its dtype and shape are those of the variable's value.
  bool gives_reference(int output) const;
};

/// True for what may name a node or a function.
bool is_graph_name(std::string_view name);

/// A dataflow graph that only grows. Every node in it is valid: its op exists, its attributes and
/// the dtypes and shapes of its inputs fit. A node's inputs have smaller ids than it has, but for a
/// Merge that begins an iteration of a loop: it may name a NextIteration that comes later (a back
/// edge, ops/loops.hpp).
class Graph {
 public:
  explicit Graph(
      std::shared_ptr<const OpCatalog> catalog,
      std::shared_ptr<const FunctionLibrary> library = std::make_shared<FunctionLibrary>())
      : catalog_(std::move(catalog)), library_(std::move(library)) {}

  /// A number that only copies of this graph share.
  uint64_t identity() const { return identity_; }

  /// Adds a node whose inputs are there already, or will be where it is a Merge of a loop. An error
  /// says what was expected and what was given, names the node, and leaves the graph as it was.
  Result<NodeId> add(NodeDef def);

  /// Makes room for so many more nodes, so that adding them moves none.
  void reserve(size_t more);

  /// InvalidArgument, naming one, where a Merge names a node that has not come yet.
  Status check_loops() const;

  /// Removes the nodes with ids from `size` on.
  void shrink_to(int size);

  /// The functions that nodes may refer to.
  const FunctionLibrary& library() const { return *library_; }
  const std::shared_ptr<const FunctionLibrary>& shared_library() const { return library_; }
  /// Adds functions, in any order: all, or none and an error. Their bodies are checked as graphs; a
  /// function that is there already with the same body is fine.
  Status add_functions(std::vector<FunctionDef> functions);
  Status add_function(FunctionDef function) { return add_functions({std::move(function)}); }
  /// Goes back to a library that the graph had.
  void restore_library(std::shared_ptr<const FunctionLibrary> library) {
    library_ = std::move(library);
  }

  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& node(NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const OpCatalog& catalog() const { return *catalog_; }
  const std::shared_ptr<const OpCatalog>& shared_catalog() const { return catalog_; }

  /// NotFound names the node and suggests the most similar name of the graph.
  Result<NodeId> find(std::string_view name) const;
  /// "name" or "name:1". Checks that the node has such an output.
  Result<Output> find_output(std::string_view name) const;
  bool contains(std::string_view name) const { return ids_.contains(name); }

  std::string name_of(Output output) const;
  DType dtype_of(Output output) const { return node(output.node).output_dtypes[output.index]; }
  const Shape& shape_of(Output output) const {
    return node(output.node).output_shapes[output.index];
  }

  /// The attributes of the node that makes what the output passes on, such as a handle.
  const Attrs& source_attrs(Output output) const;

  bool is_reference(Output output) const { return node(output.node).gives_reference(output.index); }

  /// The value of an output that is known without running a step.
  std::optional<Tensor> constant_value(Output output) const;
  /// The shape that a vector of sizes describes, as far as it is known; a size of -1 is unknown.
  Shape constant_value_as_shape(Output sizes) const;

  NodeDef def_of(NodeId id) const;

 private:
  /// An input of a Merge whose node has not come yet: an Output without node.
  struct BackEdge {
    NodeId merge;
    int input;
  };

  /// Has a string's view looked up without a copy.
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };

  static uint64_t new_identity();
  Status complete(Node& node, const NodeDef& def) const;
  Status find_inputs(Node& node, const NodeDef& def) const;
  Result<Output> find_input(const Node& node, const std::string& input) const;
  Result<DTypes> input_dtypes(const Node& node) const;
  Status check_back_edge(const Node& node, BackEdge edge) const;
  Status check_back_edges(const Node& node) const;
  void note_back_edges(const Node& node, const std::vector<std::string>& inputs);
  void close_back_edges(const Node& node);
  Status check_references(const Node& node) const;
  Status check_functions(const Attrs& attrs) const;
  Status infer_shapes(Node& node, DTypes dtypes) const;

  std::shared_ptr<const OpCatalog> catalog_;
  std::shared_ptr<const FunctionLibrary> library_;  // never changed: replaced by a larger one
  std::vector<Node> nodes_;
  std::unordered_map<std::string, NodeId, NameHash, std::equal_to<>> ids_;
  std::unordered_map<std::string, std::vector<BackEdge>> open_back_edges_;  // by the later node
  uint64_t identity_ = new_identity();
};

}  // namespace troupe
