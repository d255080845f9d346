#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace troupe {

/// A step as scheduling sees it: pieces of work with their times on each device, and the bytes that
/// go from one to another. Devices and nodes are numbers.
struct CostGraph {
  using Time = std::chrono::nanoseconds;

  struct Input {
    int node;            // smaller than that of its user
    int output = 0;      // which of the node's outputs: each goes to a device once
    uint64_t bytes = 0;  // 0 for a control edge
  };
  struct Node {
    int group = 0;
    std::vector<Time> times;  // by device
    std::vector<Input> inputs;
  };
  /// Nodes that share a device.
  struct Group {
    std::vector<int> devices;  // those that it may be on: one or more, ascending
  };
  /// What a tensor takes from one device to another.
  struct Link {
    Time latency{0};
    double bytes_per_second = 1e9;

    Time time_of(uint64_t bytes) const {
      return latency +
             Time(static_cast<int64_t>(1e9 * static_cast<double>(bytes) / bytes_per_second));
    }
  };

  int device_count = 0;
  std::vector<Node> nodes;  // inputs before their users
  std::vector<Group> groups;
  std::vector<Link> links;  // from * device_count + to; those of a device to itself are not used

  const Link& link(int from, int to) const {
    return links
        [static_cast<size_t>(from) * static_cast<size_t>(device_count) + static_cast<size_t>(to)];
  }
};

/// A device for each group of a CostGraph.
using GroupDevices = std::vector<int>;

/// When each node of a CostGraph runs, for one choice of devices.
struct Schedule {
  using Time = CostGraph::Time;

  struct Run {
    Time begin{0};
    Time end{0};
    int waited_for = -1;  // the node whose end, or whose tensor, it began after; -1: none
  };

  std::vector<Run> runs;  // by node
  Time end{0};            // of the last

  /// The nodes that the end waited for, the last one first.
  std::vector<int> critical_path() const;
};

/// How long it takes from a node's begin to the end of the step at least, with the mean time over
/// its devices and the mean time of transfers: the upward rank of list scheduling.
std::vector<CostGraph::Time> upward_ranks(const CostGraph& graph);

/// Predicts a step. The model: a device computes one node at a time, and of those that are ready
/// that of the highest upward rank; when a node ends, each of its outputs starts for every other
/// device that uses it, once, and arrives after the link's time; transfers do not hold each other
/// up. `ranks` are upward_ranks() of the graph.
Schedule simulate(
    const CostGraph& graph, const std::vector<CostGraph::Time>& ranks, const GroupDevices& devices);

}  // namespace troupe
