#include "troupe/tests/soak/link_soak.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

#include "troupe/tests/process_usage.hpp"
#include "troupe/tests/processes/support/nodes.hpp"
#include "troupe/tests/soak/load_client.hpp"

namespace troupe::soak {
namespace {

using namespace std::chrono_literals;
using testing::ProcessUsage;

/// What a node may hold more after a round than after the first: the heaps keep parts of pages,
/// some 3 MiB more after ten thousand steps. A leak of 200 bytes in each step is found within a
/// hundred thousand of them, one of large tensors at once.
constexpr double memory_tolerance_mib = 16;
/// Nothing is lent any more, and a reset frees the blocks that are kept for later.
constexpr double shared_tolerance_mib = 0;
/// A node starts the threads of its device when there is work for them.
const int threads_started_late = static_cast<int>(std::thread::hardware_concurrency());
constexpr auto progress_time = 10s;

constexpr double mebibyte = 1 << 20;

/// What a node has.
struct Held {
  ProcessUsage usage;
  uint64_t sessions = 0;
};

double seconds_of(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

class LinkSoak {
 public:
  explicit LinkSoak(const Settings& settings)
      : settings_(settings),
        nodes_({{"worker", settings.nodes}}, flags_of(settings)),
        load_{
            .targets = targets(),
            .connect_options = {.heartbeat_limit = heartbeat_limit(settings)},
            .bytes_max = settings.max_bytes,
            .memory_max = std::max(settings.in_flight, uint64_t{1} << 20)} {}

  bool run() {
    auto total = std::chrono::duration<double>(settings_.seconds);
    auto end = start_ + std::chrono::duration_cast<Clock::duration>(total);
    auto length = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(settings_.round_seconds));
    // The first round warms up, so at least one follows.
    for (int round = 1; (round <= 2 || Clock::now() < end) && !load_.verdict.has_failed();
         ++round) {
      run_round(round, length);
      if (!load_.verdict.has_failed()) check_memory(round);
    }
    if (!load_.verdict.has_failed()) check_logs();
    print_counts();
    if (load_.verdict.has_failed()) print_fault();
    return !load_.verdict.has_failed();
  }

 private:
  static std::vector<std::string> flags_of(const Settings& settings) {
    std::vector<std::string> flags = {"--heartbeat", std::to_string(settings.heartbeat_s)};
    if (settings.tcp_only) flags.emplace_back("--tcp-only");
    return flags;
  }
  std::vector<std::string> targets() {
    std::vector<std::string> targets;
    for (int i = 0; i < settings_.nodes; ++i) targets.push_back(nodes_.target("worker", i));
    return targets;
  }
  static std::chrono::milliseconds heartbeat_limit(const Settings& settings) {
    return std::chrono::milliseconds(static_cast<int64_t>(1000 * settings.heartbeat_s));
  }
  Result<std::unique_ptr<Client>> connect(int node) const {
    return Client::connect(load_.targets[static_cast<size_t>(node)], load_.connect_options);
  }
  testing::Process& node(int index) { return nodes_.node("worker", index); }

  /// False, and a fault, if it is one.
  bool succeeds(const std::string& what, const Status& status) {
    if (!status.ok()) load_.verdict.fail(what + ": " + status.to_string());
    return status.ok();
  }

  void run_round(int round, Clock::duration length) {
    if (!begin_round()) return;
    auto end = Clock::now() + length;
    std::vector<std::future<void>> clients;
    for (int i = 0; i < settings_.clients; ++i) {
      auto name = "round " + std::to_string(round) + ", client " + std::to_string(i + 1);
      clients.push_back(std::async(std::launch::async, [this, name, end] {
        LoadClient(load_, {settings_.seed}, name).run_until(end);
      }));
    }
    // A step that hangs is noticed by its client, a call without a timeout only here.
    auto latest = end + step_time_max + 60s;
    for (auto& client : clients)
      while (client.wait_for(100ms) != std::future_status::ready) {
        watch_nodes();
        if (Clock::now() > latest) end_hanging();
      }
  }

  /// Sets the variables, and sends something each way: all links are open from the first round on.
  bool begin_round() {
    FlowGraph graph(settings_.nodes, settings_.max_bytes);
    auto client = connect(0);
    if (!succeeds("connecting", client.status())) return false;
    auto session = (*client)->session();
    if (!succeeds("opening a session", session.status()) ||
        !succeeds("sending the graph", (*session)->extend(graph.b)))
      return false;
    auto run = [&](const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets) {
      auto step = (*session)->start(feeds, fetches, targets);
      return step->wait_for(step_time_max) ? step->wait().status() : internal("the step hangs");
    };
    if (!succeeds("setting the variables", run({}, {}, {graph.initialize}))) return false;
    std::vector<Feed> feeds;
    Refs fetches;
    for (const auto& flow : graph.flows) {
      for (const auto& fed : {flow.count, flow.element})
        if (fed.is_valid()) feeds.push_back({fed, Tensor::scalar<int32_t>(1)});
      fetches.insert(fetches.end(), flow.found.begin(), flow.found.end());
    }
    return succeeds("sending something each way", run(feeds, fetches, {}));
  }

  /// Reads what the nodes log, as they would wait for that, and prints the progress.
  void watch_nodes() {
    for (int i = 0; i < settings_.nodes; ++i)
      if (auto code = node(i).wait(1ms))
        load_.verdict.fail(
            "node " + std::to_string(i) + " ended with code " + std::to_string(*code));
    if (Clock::now() < next_progress_) return;
    next_progress_ = Clock::now() + progress_time;
    std::printf(
        "%6.0f s: %lu steps, %.0f MiB sent; memory of the nodes in MiB:",
        seconds_of(Clock::now() - start_), load_.counts.steps.load(),
        static_cast<double>(load_.counts.bytes) / mebibyte);
    for (int i = 0; i < settings_.nodes; ++i)
      std::printf(" %.0f", testing::usage_of(node(i).pid()).memory_mib);
    std::puts("");
    std::fflush(stdout);
  }

  /// All clients have left.
  void check_memory(int round) {
    std::vector<std::unique_ptr<Client>> clients;
    for (int node = 0; node < settings_.nodes; ++node) {
      auto client = connect(node);
      if (!succeeds("connecting", client.status())) return;
      clients.push_back(*std::move(client));
    }
    std::vector<Held> held;
    // A cancelled kernel may still run, and nodes free memory a second after a reset.
    constexpr int tries = 10, tries_at_first = 2;
    for (int i = 0; i < (round == 1 ? tries_at_first : tries); ++i) {
      if (!succeeds("resetting the containers", clients[0]->reset_all())) return;
      std::this_thread::sleep_for(1500ms);
      held.clear();
      for (int node = 0; node < settings_.nodes; ++node)
        held.push_back(held_by(node, *clients[static_cast<size_t>(node)]));
      if (round > 1 && fault_in(held).empty()) break;
    }
    if (round == 1) after_first_ = held;
    print(round, held);
    if (auto fault = fault_in(held); !fault.empty()) load_.verdict.fail(fault);
  }

  Held held_by(int index, Client& client) {
    Held held{.usage = testing::usage_of(node(index).pid())};
    auto info = client.node_info();
    if (succeeds("asking node " + std::to_string(index), info.status()))
      held.sessions = info->sessions;
    return held;
  }

  static void print(int round, const std::vector<Held>& held) {
    std::printf("round %d, MiB (shared) threads descriptors:", round);
    for (const auto& [usage, sessions] : held)
      std::printf(
          "  %.1f (%.1f) %d %d", usage.memory_mib, usage.shared_mib, usage.threads,
          usage.descriptors);
    std::puts("");
    std::fflush(stdout);
  }

  std::string fault_in(const std::vector<Held>& held) const {
    char text[240];
    for (size_t i = 0; i < held.size(); ++i) {
      const auto &now = held[i].usage, &first = after_first_[i].usage;
      if (now.memory_mib <= first.memory_mib + memory_tolerance_mib &&
          now.shared_mib <= shared_tolerance_mib &&
          now.threads <= first.threads + threads_started_late &&
          now.descriptors <= first.descriptors && held[i].sessions == 0)
        continue;
      std::snprintf(
          text, sizeof text,
          "node %zu keeps %.1f MiB (%.1f shared), %d threads, %d descriptors and %lu sessions; "
          "after the first round it was %.1f MiB (%.1f shared), %d and %d",
          i, now.memory_mib, now.shared_mib, now.threads, now.descriptors, held[i].sessions,
          first.memory_mib, first.shared_mib, first.threads, first.descriptors);
      return text;
    }
    return "";
  }

  /// A node that has nothing to complain of logs one line, that it serves.
  void check_logs() {
    for (int i = 0; i < settings_.nodes; ++i) {
      node(i).wait(1ms);
      const auto& log = node(i).errors();
      if (std::ranges::count(log, '\n') > 1)
        load_.verdict.fail("node " + std::to_string(i) + " complained in its log");
    }
  }

  void print_counts() {
    const auto& counts = load_.counts;
    std::printf(
        "%lu steps in %lu sessions in %.0f s: %.0f MiB sent, %lu steps interrupted, %lu ended "
        "before "
        "that\nlongest step %.1f s; longest end after an interruption %.1f s\npeak memory in MiB:",
        counts.steps.load(), counts.sessions.load(), seconds_of(Clock::now() - start_),
        static_cast<double>(counts.bytes) / mebibyte, counts.interrupted.load(),
        counts.too_late.load(), static_cast<double>(counts.step_ms_max) / 1000,
        static_cast<double>(counts.interruption_ms_max) / 1000);
    for (int i = 0; i < settings_.nodes; ++i)
      std::printf(" %.0f", testing::usage_of(node(i).pid()).peak_mib);
    std::puts("");
  }

  void print_fault() {
    std::printf("FAULT (seed %lu): %s\n", settings_.seed, load_.verdict.fault().c_str());
    for (int i = 0; i < settings_.nodes; ++i) {
      node(i).wait(1ms);
      std::printf("log of node %d:\n%s", i, node(i).errors().c_str());
    }
    std::fflush(stdout);
  }

  [[noreturn]] void end_hanging() {
    load_.verdict.fail("a call of a client hangs");
    print_fault();
    std::_Exit(1);  // not waiting for its thread
  }

  const Settings& settings_;
  testing::NodeCluster nodes_;
  Load load_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_progress_ = start_ + progress_time;
  std::vector<Held> after_first_;
};

}  // namespace

bool soak_links(const Settings& settings) { return LinkSoak(settings).run(); }

}  // namespace troupe::soak
