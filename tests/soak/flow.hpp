#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/graph/session.hpp"

namespace troupe::soak {

/// "/job:worker/task:1": the soak's clusters have one job.
std::string name_of_task(int index);

/// A tensor on its way from task to task, as a part of a graph. At its end all elements are one
/// number, and the least, the greatest and the count of them are found: so a piece that is lost,
/// misplaced or of another moment shows.
struct Flow {
  std::string name;
  int64_t element_bytes = 1;
  int hops = 1;
  int64_t elements = 0;  // those of a variable; 0: what `count` is fed with
  Value count = {};      // int32
  Value element = {};    // int32, from 0 to 100; invalid where the tensor is read from a variable
  Refs found = {};       // int32; none where the tensor ends in a variable
  Refs targets = {};
};

/// All flows between so many tasks. The graphs of all clients share
/// their variables, which some flows read while others change them.
struct FlowGraph {
  /// Variables have at most `bytes_max` bytes.
  FlowGraph(int tasks, uint64_t bytes_max);

  Builder b;
  std::vector<Flow> flows;
  Value initialize;  // a target: sets all variables
};

}  // namespace troupe::soak
