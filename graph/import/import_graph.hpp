#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/graph.hpp"

namespace troupe {

/// How a GraphDef of TensorFlow's comes into a graph.
struct ImportOptions {
  /// Names become "prefix/name"; names of colocated nodes and of loops do, too.
  std::string prefix;
  /// Inputs of its nodes, "node", "node:1" or "^node", and what of the graph takes their place.
  /// What is named need not be in the GraphDef.
  std::map<std::string, std::string> input_map;
  /// Completes the devices of the nodes.
  std::string device;
  /// An OpList of the program that wrote the GraphDef: nodes may have attributes that our op lacks,
  /// with the default that is there. Of other attributes zero is taken for the default.
  std::string producer_ops;
  /// A node whose name the graph has, as that of a node or of a scope, gets a suffix "_1"; else
  /// that is an error.
  bool unique_names = false;
};

/// Which nodes came in.
struct ImportedNodes {
  NodeId first = 0;
  int count = 0;
  std::vector<std::string> unused;             // names of input_map that no input has
  std::map<std::string, std::string> renamed;  // by name in the message, where it has a suffix
};

/// Adds the nodes and the functions of a GraphDef, given as the bytes of the message, all or none.
/// InvalidArgument names the node and what is wrong with it; NotFound names the ops that do not
/// exist.
Result<ImportedNodes> import_graph_def(
    Graph& graph, const std::string& bytes, const ImportOptions& options = {});
/// Into the graph of a builder, outside of its branches and loops.
Result<ImportedNodes> import_graph_def(
    const Builder& builder, const std::string& bytes, const ImportOptions& options = {});

/// Whether the bytes are the message.
bool is_graph_def(const std::string& bytes);

/// The message in protobuf's text form as bytes; InvalidArgument says where it is none.
Result<std::string> graph_def_from_text(const std::string& text);
/// The text form of the bytes.
Result<std::string> graph_def_to_text(const std::string& bytes);

/// The graph with its functions as the bytes of a GraphDef, which TensorFlow 1.15 and later read.
/// Attributes are all there, also where they have their defaults; nodes of RemoveCheckpoint, which
/// TensorFlow does not have, are left out. Unimplemented where it has a
/// gradient of a call that must not run twice; InvalidArgument where it has more than 2 GiB.
Result<std::string> export_graph_def(const Graph& graph);
/// Of these nodes alone.
Result<std::string> export_graph_def(const Graph& graph, const std::vector<NodeId>& nodes);
/// One node as the bytes of a NodeDef.
Result<std::string> export_node_def(const Graph& graph, NodeId node);

}  // namespace troupe
