#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// An open session, as listed for a client.
struct ListedSession {
  uint64_t id = 0;     // as steps and traces number it
  std::string task;    // its master, "/job:worker/task:0"
  std::string client;  // who opened it, as that client says; empty if unknown
  std::string runner;  // whose session it is, "container/name"; empty: a client's
  std::chrono::milliseconds age{0};
  uint64_t nodes = 0;          // of its graph, without those of functions
  uint64_t running_steps = 0;  // that have not been answered, those that are compiled among them
  uint64_t steps = 0;          // started since it was opened

  bool operator==(const ListedSession&) const = default;
};

/// The sessions of all tasks that answer before the deadline, and for each other task an error that
/// names it.
struct SessionList {
  std::vector<ListedSession> sessions;
  std::vector<Status> missing;

  bool operator==(const SessionList&) const = default;
};

}  // namespace troupe
