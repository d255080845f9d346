#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "troupe/capnp/client/client.hpp"
#include "troupe/tests/soak/byte_budget.hpp"
#include "troupe/tests/soak/random_step.hpp"
#include "troupe/tests/soak/verdict.hpp"

namespace troupe::soak {

using Clock = std::chrono::steady_clock;

/// A step that takes longer hangs: one of a gigabyte takes some ten seconds on a busy machine.
inline constexpr std::chrono::seconds step_time_max{120};

/// What the clients have done so far.
struct Counts {
  std::atomic<uint64_t> steps = 0;        // that ended, however
  std::atomic<uint64_t> bytes = 0;        // that steps with a result sent from node to node
  std::atomic<uint64_t> interrupted = 0;  // steps that ended so
  std::atomic<uint64_t> too_late = 0;     // interruptions of steps that had ended
  std::atomic<uint64_t> sessions = 0;
  std::atomic<int64_t> step_ms_max = 0;
  std::atomic<int64_t> interruption_ms_max = 0;  // until the step ended
};

/// What the clients share.
struct Load {
  std::vector<std::string> targets;  // of the nodes
  ConnectOptions connect_options;
  uint64_t bytes_max;   // of a tensor
  uint64_t memory_max;  // of all steps at a time
  ByteBudget budget{memory_max};
  Counts counts = {};
  Verdict verdict = {};
};

/// Runs random steps and checks their results, in sessions of its own. Some steps it interrupts:
/// they must end as interrupted, and the session goes on.
class LoadClient {
 public:
  LoadClient(Load& load, sim::Seed seed, const std::string& name);

  /// Until that time, or a fault is found.
  void run_until(Clock::time_point end);

 private:
  enum class Interruption { none, cancel, timeout, destruction, close };

  bool open_session();
  void run_step();
  void interrupt(std::unique_ptr<PendingStep>& step, Interruption by);
  void check(const RandomStep& step, Interruption by, const Result<Tensors>& values);
  std::string explanation();
  void fail(const std::string& fault);

  Load& load_;
  const std::string name_;
  Random random_;
  FlowGraph graph_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<Session> session_;
  uint64_t steps_left_ = 0;  // of the session
};

}  // namespace troupe::soak
