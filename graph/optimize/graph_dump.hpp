#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "troupe/graph/optimize/step_graph.hpp"

namespace troupe {

/// Nodes as text, a line each: `sum = Add(x:0, y:0, ^init) T=float32 @/job:ps/task:0/device:CPU:0`.
std::string to_text(const std::vector<NodeDef>& nodes);

/// Writes what passes make of a step into files of a folder, as text (.txt) and for Graphviz
/// (.dot). They are numbered in their order: "plan-3.02.fold_constants.txt".
class GraphDump {
 public:
  /// Without a folder nothing is written.
  GraphDump(std::filesystem::path folder, uint64_t plan)
      : folder_(std::move(folder)), plan_(plan) {}

  bool is_on() const { return !folder_.empty(); }

  /// The nodes of a step, which may have devices already. Errors are what the files' system says.
  Status write(
      std::string_view stage, const Graph& graph, const std::vector<NodeId>& nodes,
      const std::map<NodeId, DeviceName>& devices = {});
  /// The nodes of a partition, which may use functions of the graph.
  Status write(std::string_view stage, const Graph& graph, const std::vector<NodeDef>& nodes);

 private:
  std::filesystem::path folder_;
  uint64_t plan_;
  int number_ = 0;
};

}  // namespace troupe
