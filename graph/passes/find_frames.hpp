#pragma once

#include <string>
#include <vector>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// A loop of a graph. Number 0 of a graph's frames is what is in no loop.
struct LoopFrame {
  std::string name;
  int parent = -1;  // the frame around it
  int64_t parallel_iterations = 1;
};

/// Which loop each node is in.
struct LoopFrames {
  /// What has the same value in all frames: constants and handles of resources.
  static constexpr int any = -1;

  std::vector<LoopFrame> frames;
  std::vector<int> of_nodes;    // by node: the frame in which it runs
  std::vector<int> of_outputs;  // by node: that of its outputs, which Enter and Exit change

  bool has_loops() const { return frames.size() > 1; }
};

/// InvalidArgument where a node's inputs are of different frames, naming them: values come into a
/// loop by Enter and leave it by Exit. Nodes that are not among `nodes`, which are ascending, and
/// those whose outputs are fed are in no loop.
Result<LoopFrames> find_frames(const Graph& graph, const std::vector<NodeId>& nodes);
/// Of all nodes.
Result<LoopFrames> find_frames(const Graph& graph);

}  // namespace troupe
