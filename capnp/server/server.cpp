#include "troupe/capnp/server/server.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "troupe/capnp/server/server_incarnation.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/check.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How long a stop may exceed its deadline before it counts as late: after the deadline, cancelled
// steps are answered, actors end and connections close. A stop of deadline 0 is never late.
constexpr milliseconds end_time{250};

/// Limits a time to a year, so that sums of times do not overflow.
milliseconds bounded(milliseconds time) {
  return std::clamp<milliseconds>(time, milliseconds(0), std::chrono::years(1));
}

/// Waits for the status that a callback delivers; Cancelled if the callback is destroyed uncalled.
/// The callback may outlive it.
class StatusPromise {
 public:
  StatusPromise() : sender_(std::make_shared<Sender>()), answer_(sender_->promise.get_future()) {}

  DoneStatus callback() {
    return [sender = std::exchange(sender_, nullptr)](Status status) {
      sender->is_sent = true;
      sender->promise.set_value(std::move(status));
    };
  }
  /// Empty if it has not been delivered by then.
  std::optional<Status> wait_until(Clock::time_point time) {
    if (answer_.wait_until(time) != std::future_status::ready) return {};
    return answer_.get();
  }

 private:
  struct Sender {
    std::promise<Status> promise;
    bool is_sent = false;

    ~Sender() {
      if (!is_sent) promise.set_value(cancelled("the server has stopped"));
    }
  };

  std::shared_ptr<Sender> sender_;
  std::future<Status> answer_;
};

/// Tells the cluster that this task leaves, so that the others need not detect it. Takes at most
/// half of the time that is left.
void leave_cluster(ServerIncarnation& incarnation, Clock::time_point stop_end) {
  StatusPromise left;
  incarnation.leave_cluster(left.callback());
  auto now = Clock::now();
  auto status = left.wait_until(now + (stop_end - now) / 2);
  if (status && !status->ok()) spdlog::warn("did not leave the cluster: {}", status->message());
}

/// Runs one incarnation after the other, each on a thread of its own, which starts and ends it: CAF
/// requires that an actor system is destroyed on the thread that made it. Because that is not the
/// thread of a caller, stop() returns at its deadline even if the end takes longer, and a client
/// can stop the server through the server's own RPC thread.
class NodeServer final : public Server {
 public:
  NodeServer(TaskConfig config, ServerOptions options)
      : config_(std::move(config)), options_(std::move(options)) {}
  ~NodeServer() override;

  Status start() override;
  Status drain(milliseconds deadline) override;
  Status stop(milliseconds deadline) override;
  Status join() override;
  ServerDef server_def() const override;
  std::string target() const override;

 private:
  enum class State { stopped, starting, serving, stopping };
  using Lock = std::unique_lock<std::mutex>;

  std::string name() const { return task_name(config_.job, config_.task); }
  void run();
  std::unique_ptr<ServerIncarnation> start_incarnation();
  void await_stop(Lock& lock);
  void begin_stop(milliseconds time, DoneStatus drained);
  void set_state(State state);
  void await_start(Lock& lock);
  bool await_end(Lock& lock, Clock::time_point time);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  TaskConfig config_;  // own address: the system may have chosen the port
  const ServerOptions options_;
  State state_ = State::stopped;
  std::thread thread_;
  ServerIncarnation* incarnation_ = nullptr;  // owned by the thread
  Status start_status_;                       // of the last start and the last stop
  Status stop_status_;
  uint64_t stops_ = 0;  // completed
  int waiting_ = 0;     // calls of stop() and join() in progress
  // Of the stop in progress:
  Clock::time_point stop_begin_;
  Clock::time_point stop_end_;
  bool is_drained_ = false;
  std::vector<DoneStatus> on_drained_;
};

NodeServer::~NodeServer() {
  begin_stop(milliseconds(0), nullptr);
  Lock lock(mutex_);
  changed_.wait(lock, [this] { return state_ == State::stopped && waiting_ == 0; });
  lock.unlock();
  if (thread_.joinable()) thread_.join();
}

Status NodeServer::start() {
  Lock lock(mutex_);
  await_start(lock);
  if (state_ == State::serving) return {};
  if (state_ == State::stopping) return failed_precondition(name() + " has not stopped yet");
  if (thread_.joinable()) thread_.join();
  set_state(State::starting);
  thread_ = std::thread([this] { run(); });
  await_start(lock);
  return start_status_;
}

void NodeServer::run() {
  auto incarnation = start_incarnation();
  if (!incarnation) return;
  Lock lock(mutex_);
  await_stop(lock);
  incarnation_ = nullptr;
  is_drained_ = true;
  auto callbacks = std::exchange(on_drained_, {});
  auto stop_end = stop_end_;
  lock.unlock();
  for (auto& drained : callbacks) drained({});
  leave_cluster(*incarnation, stop_end);
  incarnation.reset();
  lock.lock();
  bool is_late = stop_begin_ < stop_end_ && stop_end_ + end_time < Clock::now();
  stop_status_ =
      is_late ? deadline_exceeded(name() + " did not stop within its deadline") : Status();
  ++stops_;
  set_state(State::stopped);
}

/// Null if it cannot start.
std::unique_ptr<ServerIncarnation> NodeServer::start_incarnation() {
  auto incarnation = ServerIncarnation::start(
      config_, options_,
      [this](milliseconds time, DoneStatus drained) { begin_stop(time, std::move(drained)); });
  Lock lock(mutex_);
  start_status_ = incarnation.status();
  if (!incarnation) {
    set_state(State::stopped);
    return nullptr;
  }
  config_ = (*incarnation)->config();
  incarnation_ = incarnation->get();
  set_state(State::serving);
  return *std::move(incarnation);
}

void NodeServer::set_state(State state) {
  state_ = state;
  changed_.notify_all();
}

void NodeServer::await_start(Lock& lock) {
  changed_.wait(lock, [this] { return state_ != State::starting; });
}

/// False if it has not stopped by then.
bool NodeServer::await_end(Lock& lock, Clock::time_point time) {
  ++waiting_;
  auto has_ended =
      changed_.wait_until(lock, time, [this, stop = stops_] { return stops_ != stop; });
  --waiting_;
  changed_.notify_all();
  return has_ended;
}

Status NodeServer::drain(milliseconds deadline) {
  auto time = bounded(deadline);
  StatusPromise drained;
  {
    std::lock_guard lock(mutex_);
    if (state_ != State::serving) return failed_precondition(name() + " does not serve");
    incarnation_->drain({time, drained.callback()});
  }
  // The actors answer at the deadline, or late if one of them is blocked.
  constexpr milliseconds answer_time{1000};
  auto status = drained.wait_until(Clock::now() + time + answer_time);
  return status ? *status : deadline_exceeded(name() + " has not answered in time");
}

Status NodeServer::stop(milliseconds deadline) {
  auto end = Clock::now() + bounded(deadline);
  begin_stop(deadline, nullptr);
  Lock lock(mutex_);
  if (state_ == State::stopped) return {};
  if (await_end(lock, end + end_time)) return stop_status_;
  return deadline_exceeded(
      name() + " has not stopped within " + seconds_text(deadline) +
      ": a kernel or an actor still runs");
}

Status NodeServer::join() {
  Lock lock(mutex_);
  await_start(lock);
  if (state_ != State::stopped)
    while (!await_end(lock, Clock::now() + std::chrono::years(1))) continue;
  return stop_status_;
}

/// Starts a stop without waiting for it. If one is in progress, its time can only be shortened.
void NodeServer::begin_stop(milliseconds time, DoneStatus drained) {
  auto now = Clock::now();
  Lock lock(mutex_);
  await_start(lock);
  bool is_draining = state_ == State::serving || (state_ == State::stopping && !is_drained_);
  if (drained && is_draining) on_drained_.push_back(std::exchange(drained, nullptr));
  auto end = now + bounded(time);
  if (state_ == State::serving || (state_ == State::stopping && end < stop_end_)) {
    if (state_ == State::serving) is_drained_ = false;
    stop_begin_ = now;
    stop_end_ = end;
    set_state(State::stopping);
  }
  lock.unlock();
  if (drained) drained({});
}

/// Waits for a stop and drains: returns when all steps have ended, or 7/8 of the time have passed.
/// The drain's own deadline is 3/4, so that cancelled steps have time to be answered.
void NodeServer::await_stop(Lock& lock) {
  changed_.wait(lock, [this] { return state_ == State::stopping; });
  auto is_done = std::make_shared<bool>(false);
  auto done = [this, is_done](const Status&) {
    std::lock_guard guard(mutex_);
    *is_done = true;
    changed_.notify_all();
  };
  std::optional<Clock::time_point> drained_until;
  for (;;) {
    auto time = stop_end_ - stop_begin_;
    auto last = stop_end_ - time / 8;
    if (*is_done || last <= Clock::now()) return;
    // Drains again if another stop has shortened the time.
    if (std::exchange(drained_until, stop_end_) != stop_end_)
      incarnation_->drain({std::chrono::floor<milliseconds>(time * 3 / 4), done});
    changed_.wait_until(lock, last);
  }
}

ServerDef NodeServer::server_def() const {
  std::lock_guard lock(mutex_);
  return {
      .cluster = config_.cluster, .job = config_.job, .task = config_.task, .protocol = "troupe"};
}

std::string NodeServer::target() const {
  std::lock_guard lock(mutex_);
  return "troupe://" + config_.cluster.task_address(config_.job, config_.task)->to_string();
}

}  // namespace

Result<std::unique_ptr<Server>> Server::create(const ServerDef& def, ServerOptions options) {
  auto config = def.resolve();
  if (!config) return config.status();
  if (auto status = check(options.devices); !status.ok()) return status;
  return std::unique_ptr<Server>(
      std::make_unique<NodeServer>(*std::move(config), std::move(options)));
}

Result<std::unique_ptr<Server>> Server::create_local(ServerOptions options) {
  return create(
      {.cluster = *ClusterSpec::make({{"local", {"127.0.0.1:0"}}}),
       .job = "local",
       .task = 0,
       .protocol = {}},
      std::move(options));
}

}  // namespace troupe
