#include "troupe/apps/swarm/process_pool.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "troupe/graph/support/check.hpp"

namespace troupe::swarm {
namespace {

constexpr int poll_ms = 100;

/// Blocks SIGINT and delivers it to a descriptor for poll(). The child processes inherit the
/// blocked signal, so Ctrl-C in a terminal does not end them.
class Interrupt {
 public:
  Interrupt() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, &before_);
    file_ = signalfd(-1, &signals, SFD_CLOEXEC);
    CHECK(file_ >= 0);
  }
  ~Interrupt() {
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    close(file_);
  }
  Interrupt(const Interrupt&) = delete;
  int file() const { return file_; }

 private:
  sigset_t before_;
  int file_;
};

class Pool {
 public:
  Pool(const SwarmOptions& options, const ChildProcess::MakeTest& make_test)
      : options_(options), make_test_(make_test), next_seed_(options.first_seed) {}

  SeedResults run(const std::function<void(const SeedResults&)>& watch) {
    for (int i = 0; i < options_.processes; ++i) processes_.push_back(start_process());
    for (bool is_interrupted = false; !is_interrupted && assign_seeds() > 0;) {
      is_interrupted = !wait();
      watch(results_);
    }
    std::ranges::sort(results_.failed, {}, &FailedSeed::seed);
    return std::move(results_);
  }

 private:
  using Clock = ChildProcess::Clock;

  std::unique_ptr<ChildProcess> start_process() const {
    return std::make_unique<ChildProcess>(make_test_);
  }

  bool has_next_seed() const {
    if (options_.stop_at_failure && !results_.failed.empty()) return false;
    auto started = next_seed_ - options_.first_seed;
    return (!options_.seeds || started < *options_.seeds) &&
           (!options_.time || Clock::now() - start_ < *options_.time);
  }

  /// Starts seeds on idle processes, and returns the number of busy processes.
  size_t assign_seeds() {
    size_t busy = 0;
    for (auto& process : processes_) {
      if (process->is_idle() && has_next_seed()) process->start(next_seed_++);
      busy += !process->is_idle();
    }
    return busy;
  }

  /// Collects the results of at most `poll_ms`; false if interrupted.
  bool wait() {
    std::vector<pollfd> files;
    for (const auto& process : processes_)
      files.push_back({.fd = process->results(), .events = POLLIN, .revents = 0});
    files.push_back({.fd = interrupt_.file(), .events = POLLIN, .revents = 0});
    poll(files.data(), files.size(), poll_ms);
    for (size_t i = 0; i < processes_.size(); ++i)
      collect_result(processes_[i], files[i].revents != 0);
    return files.back().revents == 0;
  }

  void collect_result(std::unique_ptr<ChildProcess>& process, bool is_readable) {
    if (process->is_idle()) return;
    auto seed = process->seed();
    auto is_late = Clock::now() - process->started_at() > options_.seed_timeout;
    if (!is_readable && !is_late) return;
    auto result = is_readable ? process->read_result() : std::nullopt;
    ++results_.done;
    if (result && result->empty()) return;
    if (result) return results_.failed.push_back({seed, *result});
    auto text = "seed " + std::to_string(seed) + ": ";
    if (is_late) text += "no answer for " + std::to_string(options_.seed_timeout.count()) + " s, ";
    results_.failed.push_back({seed, text + process->exit_report()});
    process = start_process();
  }

  const SwarmOptions& options_;
  const ChildProcess::MakeTest& make_test_;
  Interrupt interrupt_;
  uint64_t next_seed_;
  Clock::time_point start_ = Clock::now();
  std::vector<std::unique_ptr<ChildProcess>> processes_;
  SeedResults results_;
};

}  // namespace

SeedResults run_seeds(
    const SwarmOptions& options, const ChildProcess::MakeTest& make_test,
    const std::function<void(const SeedResults&)>& watch) {
  return Pool(options, make_test).run(watch);
}

}  // namespace troupe::swarm
