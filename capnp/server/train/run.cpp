#include "troupe/capnp/server/train/run.hpp"

#include <atomic>
#include <cstdio>
#include <thread>
#include <utility>

#include "troupe/capnp/client/client.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/interrupt.hpp"

namespace troupe::train {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds stop_deadline{5000};
// Refused connections are told in the log and tried again; this is the time of one attempt.
constexpr milliseconds connect_time{1500};

/// The clock, the log and the waits of this process, which end at a signal or at end(); it then
/// stays stopped.
class ProcessHost {
 public:
  ProcessHost(Interrupt& interrupt, std::function<void(const std::string&)> log, std::string task)
      : interrupt_(interrupt), log_(std::move(log)), task_(std::move(task)) {}

  bool wait(Host::Time time) {
    if (!is_stopped_ && interrupt_.wait_until(std::chrono::steady_clock::now() + time) != 0)
      is_stopped_ = true;
    return !is_stopped_;
  }
  /// Of the server; on any thread.
  void end() {
    is_stopped_ = true;
    interrupt_.wake();
  }
  void log(const std::string& message) const {
    if (log_) return log_(task_ + ": " + message);
    std::fprintf(stderr, "%s: %s\n", task_.c_str(), message.c_str());
  }

 private:
  Interrupt& interrupt_;
  const std::function<void(const std::string&)> log_;
  const std::string task_;
  std::atomic<bool> is_stopped_ = false;
};

/// This process and its server.
class ProcessTask final : public Task {
 public:
  ProcessTask(Role role, std::unique_ptr<Server> server, ProcessHost& host)
      : role_(std::move(role)), server_(std::move(server)), host_(host) {
    ended_ = std::jthread([this] {
      (void)server_->join();
      has_ended_ = true;
      host_.end();
    });
  }
  ~ProcessTask() override { (void)stop(); }

  Status stop() { return server_->stop(stop_deadline); }
  std::string target() const { return server_->target(); }

  Time now() override { return std::chrono::steady_clock::now().time_since_epoch(); }
  bool wait(Time time) override { return host_.wait(time); }
  void log(const std::string& message) override { host_.log(message); }

  const Role& role() const override { return role_; }
  Result<std::unique_ptr<BasicSession>> open_session() override {
    auto client = Client::connect(target(), {.timeout = connect_time});
    if (!client) return client.status();
    auto session = (*client)->session();
    if (!session) return session.status();
    return std::unique_ptr<BasicSession>(*std::move(session));
  }
  bool has_server_ended() override { return has_ended_; }
  Status stop_server(const std::string& job, int task) override {
    auto address = role_.task.cluster.task_address(job, task);
    if (!address) return address.status();
    auto client = Client::connect(address->to_string(), {.timeout = connect_time});
    return client ? (*client)->stop(stop_deadline) : client.status();
  }

 private:
  const Role role_;
  const std::unique_ptr<Server> server_;
  ProcessHost& host_;
  std::atomic<bool> has_ended_ = false;
  std::jthread ended_;
};

Result<std::unique_ptr<Server>> start_server(const TfConfig& config, const ServerOptions& options) {
  auto server = config.server.cluster.jobs().empty() ? Server::create_local(options)
                                                     : Server::create(config.server, options);
  if (!server) return server;
  auto status = (*server)->start();
  if (!status.ok()) return status;
  return server;
}

}  // namespace

Status run(
    const TfConfig& config, const BuildModel& model, const TrainStep& step,
    const TrainingOptions& options, const ProcessOptions& process) {
  auto role = Role::of(config);
  if (!role) return role.status();
  if (role->is_evaluator)
    return invalid_argument("TF_CONFIG: the task is an evaluator, which takes no part in training");
  Interrupt interrupt;  // before the server starts threads
  auto server = start_server(config, process.server);
  if (!server) return server.status();
  auto me = role->task.cluster.jobs().empty() ? std::string("training")
                                              : task_name(role->task.job, role->task.task);
  ProcessHost host(interrupt, process.log, me);
  auto is_ps = role->is_ps;
  ProcessTask task(*std::move(role), *std::move(server), host);
  if (is_ps) task.log("serves at " + task.target());
  auto status = run(task, model, step, options);
  return is_ps && status.ok() ? task.stop() : status;
}

}  // namespace troupe::train
