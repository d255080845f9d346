#pragma once

#include <functional>

#include "troupe/graph/types/status.hpp"

namespace troupe::sim {

class Program;

/// A role function. What it returns is in Cluster::program_statuses(); an exception that leaves it
/// is a violation.
using ProgramFunction = std::function<Status(Program&)>;

}  // namespace troupe::sim
