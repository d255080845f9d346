#include "troupe/apps/swarm/workers.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "troupe/graph/check.hpp"

namespace troupe::swarm {
namespace {

constexpr int poll_ms = 100;

/// SIGINT as something to poll for. The workers inherit that it is blocked, so Ctrl-C in a terminal
/// ends none of them.
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

class Shift {
 public:
  Shift(const Assignment& assignment, const Worker::Begin& begin)
      : assignment_(assignment), begin_(begin), next_seed_(assignment.first_seed) {}

  Tally run(const std::function<void(const Tally&)>& watch) {
    for (int i = 0; i < assignment_.workers; ++i) workers_.push_back(hire());
    while (hand_out() > 0) {
      if (!wait()) break;
      watch(tally_);
    }
    std::ranges::sort(tally_.failed, {}, &FailedSeed::seed);
    return std::move(tally_);
  }

 private:
  using Clock = Worker::Clock;

  std::unique_ptr<Worker> hire() const { return std::make_unique<Worker>(begin_); }

  bool has_more() const {
    if (assignment_.stop_at_failure && !tally_.failed.empty()) return false;
    auto given = next_seed_ - assignment_.first_seed;
    return (!assignment_.seeds || given < *assignment_.seeds) &&
           (!assignment_.time || Clock::now() - begun_ < *assignment_.time);
  }

  /// Gives seeds to the idle, and returns how many workers are busy.
  size_t hand_out() {
    size_t busy = 0;
    for (auto& worker : workers_) {
      if (worker->is_idle() && has_more()) worker->give(next_seed_++);
      busy += !worker->is_idle();
    }
    return busy;
  }

  /// Takes the answers that come soon; false if there was an interrupt.
  bool wait() {
    std::vector<pollfd> files;
    for (const auto& worker : workers_)
      files.push_back({.fd = worker->answers(), .events = POLLIN, .revents = 0});
    files.push_back({.fd = interrupt_.file(), .events = POLLIN, .revents = 0});
    poll(files.data(), files.size(), poll_ms);
    for (size_t i = 0; i < workers_.size(); ++i) look_after(workers_[i], files[i].revents != 0);
    return files.back().revents == 0;
  }

  void look_after(std::unique_ptr<Worker>& worker, bool has_news) {
    if (worker->is_idle()) return;
    auto seed = worker->number();
    auto is_late = Clock::now() - worker->given_at() > assignment_.patience;
    if (!has_news && !is_late) return;
    auto answer = has_news ? worker->take() : std::nullopt;
    ++tally_.done;
    if (answer && answer->empty()) return;
    if (answer) return tally_.failed.push_back({seed, *answer});
    auto text = "seed " + std::to_string(seed) + ": ";
    if (is_late) text += "no answer for " + std::to_string(assignment_.patience.count()) + " s, ";
    tally_.failed.push_back({seed, text + worker->obituary()});
    worker = hire();
  }

  const Assignment& assignment_;
  const Worker::Begin& begin_;
  Interrupt interrupt_;
  uint64_t next_seed_;
  Clock::time_point begun_ = Clock::now();
  std::vector<std::unique_ptr<Worker>> workers_;
  Tally tally_;
};

}  // namespace

Tally work_on_seeds(
    const Assignment& assignment, const Worker::Begin& begin,
    const std::function<void(const Tally&)>& watch) {
  return Shift(assignment, begin).run(watch);
}

}  // namespace troupe::swarm
