#include "troupe/tests/soak/start_soak.hpp"

#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "troupe/capnp/client/client.hpp"
#include "troupe/capnp/server/server.hpp"
#include "troupe/tests/process_usage.hpp"
#include "troupe/tests/processes/support/nodes.hpp"
#include "troupe/tests/soak/random_step.hpp"

namespace troupe::soak {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int tasks = 4;
constexpr auto call_time_max = 60s;
/// What this process may hold more at the end than after a quarter of the starts. The heaps of the
/// servers' threads keep up to so much of what was freed; a leak of a megabyte in each of a hundred
/// starts is more.
constexpr double kept_by_heaps_mib = 64;

/// A step that has each task send a tensor to each other one.
struct Exchange {
  explicit Exchange(int32_t elements) {
    Values arrived;
    for (int from = 0; from < tasks; ++from) {
      auto there = b.on(name_of_task(from));
      auto sent = there.fill(there.ints({elements}), there.constant(static_cast<float>(from)));
      for (int to = 0; to < tasks; ++to)
        if (to != from) arrived.push_back(b.on(name_of_task(to)).reduce_mean(sent));
    }
    sum = b.add_n(arrived);
  }

  static constexpr float expected = (tasks - 1) * (0 + 1 + 2 + 3);
  Builder b;
  Value sum;
};

/// Opens a session there and runs a step that spans all tasks.
Status run_step(const std::string& target, const Exchange& exchange) {
  auto client = Client::connect(target);
  if (!client) return client.status();
  auto session = (*client)->session({.operation_timeout = call_time_max});
  if (!session) return session.status();
  if (auto status = (*session)->extend(exchange.b); !status.ok()) return status;
  auto values = (*session)->run({}, {exchange.sum});
  if (!values) return values.status();
  auto sum = values->at(0).value<float>();
  return sum == Exchange::expected ? Status() : internal("a wrong result: " + std::to_string(sum));
}

class Servers {
 public:
  static Result<Servers> start(bool tcp_only) {
    JobTasks addresses;
    for (int i = 0; i < tasks; ++i)
      addresses.by_index[i] = "127.0.0.1:" + std::to_string(testing::free_port());
    auto cluster = ClusterSpec::make({{"worker", addresses}});
    if (!cluster) return cluster.status();
    Servers servers;
    for (int i = 0; i < tasks; ++i) {
      ServerOptions options{.tcp_only = tcp_only};
      options.devices.cpu.threads = 1;
      auto server = Server::create(
          {.cluster = *cluster, .job = "worker", .task = i, .protocol = {}}, options);
      if (!server) return server.status();
      servers.servers_.push_back(*std::move(server));
      if (auto status = servers.servers_.back()->start(); !status.ok()) return status;
    }
    return servers;
  }

  /// A client for each, at once. Returns their errors.
  std::vector<Status> connect_all(const Exchange& exchange) {
    std::barrier begin(tasks);
    std::vector<std::future<Status>> clients;
    for (auto& server : servers_)
      clients.push_back(std::async(std::launch::async, [&, target = server->target()] {
        begin.arrive_and_wait();
        return run_step(target, exchange);
      }));
    std::vector<Status> errors;
    for (auto& client : clients) {
      if (client.wait_for(2 * call_time_max) != std::future_status::ready) end_hanging();
      if (auto status = client.get(); !status.ok()) errors.push_back(status);
    }
    return errors;
  }

  Status stop() {
    Status first;
    for (auto& server : servers_)
      if (auto status = server->stop(10s); !status.ok() && first.ok()) first = status;
    return first;
  }

 private:
  [[noreturn]] static void end_hanging() {
    std::puts("FAULT: a call of a client hangs");
    std::fflush(stdout);
    std::_Exit(1);  // not waiting for its thread
  }

  std::vector<std::unique_ptr<Server>> servers_;
};

struct Times {
  std::vector<double> ms;

  void add(Clock::time_point start) {
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  double at(double quantile) {
    if (ms.empty()) return 0;
    std::ranges::sort(ms);
    return ms[static_cast<size_t>(quantile * static_cast<double>(ms.size() - 1))];
  }
};

struct StartTimes {
  Times start, connect, stop;
};

std::vector<Status> start_once(const Settings& settings, Random& random, StartTimes& times) {
  // Small ones, those of memory that nodes of two processes would lend, and some between.
  Exchange exchange(static_cast<int32_t>(log_uniform(random, 1, 1 << 20)));
  auto begin = Clock::now();
  auto servers = Servers::start(settings.tcp_only);
  if (!servers) return {servers.status()};
  times.start.add(begin);
  begin = Clock::now();
  auto errors = servers->connect_all(exchange);
  times.connect.add(begin);
  begin = Clock::now();
  if (auto status = servers->stop(); !status.ok()) errors.push_back(status);
  times.stop.add(begin);
  return errors;
}

}  // namespace

bool soak_starts(const Settings& settings) {
  Random random({settings.seed}, "starts");
  StartTimes times;
  int failed = 0;
  auto first = testing::usage_of(getpid());
  for (int i = 1; i <= settings.starts; ++i) {
    auto errors = start_once(settings, random, times);
    failed += !errors.empty();
    for (const auto& error : errors)
      std::printf("FAULT: start %d: %s\n", i, error.to_string().c_str());
    if (i == std::max(1, settings.starts / 4)) first = testing::usage_of(getpid());
  }
  auto last = testing::usage_of(getpid());
  std::printf(
      "%d starts of %d servers, %d failed; medians and maxima in ms: start %.1f %.1f, a step that "
      "connects all %.1f %.1f, stop %.1f %.1f\n"
      "this process after a quarter of them: %.1f MiB, %d threads, %d descriptors; at the end: "
      "%.1f MiB, %d, %d\n",
      settings.starts, tasks, failed, times.start.at(0.5), times.start.at(1), times.connect.at(0.5),
      times.connect.at(1), times.stop.at(0.5), times.stop.at(1), first.memory_mib, first.threads,
      first.descriptors, last.memory_mib, last.threads, last.descriptors);
  auto keeps = last.memory_mib > first.memory_mib + kept_by_heaps_mib ||
               last.descriptors > first.descriptors;
  if (keeps) std::puts("FAULT: servers that were stopped have left something");
  return failed == 0 && !keeps;
}

}  // namespace troupe::soak
