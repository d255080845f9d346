#pragma once

#include <troupe_proto/graph.pb.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "troupe/graph/function.hpp"
#include "troupe/graph/graph.hpp"

namespace troupe {

/// The version of GraphDefs that is read and written: that of TensorFlow 1.15.
inline constexpr int graph_def_version = 134;

/// What a GraphDef says, in our terms.
struct GraphContent {
  std::vector<NodeDef> nodes;
  std::vector<FunctionDef> functions;  // those that the nodes need
};

/// Translates one GraphDef. A node whose op is a function of the graph becomes a PartitionedCall or
/// StatefulPartitionedCall, and one whose function has a gradient function in the library names
/// that; attributes that our op does not have are left out where they have the default of
/// `producer_ops`, or zero. Functions have no attributes (`instantiate_functions.hpp`).
class GraphReader {
 public:
  /// `catalog` and the messages must outlive it.
  GraphReader(
      const OpCatalog& catalog, const proto::GraphDef& graph, const proto::OpList& producer_ops);

  /// InvalidArgument where something is wrong, at that node; NotFound names all ops that the
  /// catalog lacks, with the numbers of their nodes.
  Result<GraphContent> read();

 private:
  using FunctionMessages = std::map<std::string, const proto::FunctionDef*, std::less<>>;

  Status check_versions() const;
  Status find_needed_functions();
  void note_functions(const proto::NodeDef& node, std::vector<std::string>& unseen) const;
  Status check_ops() const;
  bool is_stateful(const proto::FunctionDef& function, int depth = 0);
  Result<NodeDef> read_node(const proto::NodeDef& message);
  Status read_attrs(const proto::NodeDef& message, const Op* op, NodeDef& node);
  bool is_default(
      const std::string& op, const std::string& attr, const proto::AttrValue& value) const;
  Result<NodeDef> read_call(NodeDef node, const proto::FunctionDef& function);
  void set_gradient(NodeDef& node);
  const std::set<std::string>& reached_from(const std::string& function);
  Result<FunctionDef> read_function(const proto::FunctionDef& message);
  Status read_arguments(const proto::FunctionDef& message, FunctionDef& function);

  const OpCatalog& catalog_;
  const proto::GraphDef& graph_;
  std::map<std::string, const proto::OpDef*, std::less<>> producer_ops_;
  FunctionMessages functions_;  // all of the library
  FunctionMessages needed_;     // those that nodes refer to
  std::map<std::string, bool, std::less<>> stateful_;
  std::map<std::string, std::string, std::less<>> gradients_;  // functions' gradient functions
  std::map<std::string, std::set<std::string>, std::less<>> reached_;
  std::string current_;  // the function that is read
  size_t bytes_left_;    // that tensors may still take
};

}  // namespace troupe
