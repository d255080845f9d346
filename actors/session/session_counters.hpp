#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "troupe/actors/metrics.hpp"

namespace troupe {

/// Counters of a session, which its task reads to list it: a session that compiles a large graph
/// would not answer soon. Thread-safe.
struct SessionCounters {
  Metrics::Count runs{0};          // not answered yet
  std::atomic<uint64_t> steps{0};  // started
  std::atomic<uint64_t> nodes{0};  // of the graph
};

/// Counts a run for its lifetime: in its node, and in its session.
class CountedRun {
 public:
  CountedRun() = default;
  CountedRun(const std::shared_ptr<Metrics>& node, const std::shared_ptr<SessionCounters>& session)
      : in_node_(node, &Metrics::runs), in_session_(session, &SessionCounters::runs) {}

 private:
  Counted in_node_;
  Counted in_session_;
};

}  // namespace troupe
