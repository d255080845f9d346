#include "troupe/capnp/server/train/run.hpp"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <thread>
#include <utility>

#include "troupe/capnp/client/client.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/interrupt.hpp"

namespace troupe::train {
namespace {

using std::chrono::milliseconds;

// How often a task that has finished says so again: a parameter server that has lost it must hear.
constexpr milliseconds finished_period{200};
constexpr milliseconds stop_deadline{5000};
// Refused connections are told in the log and tried again; this is the time of one attempt.
constexpr milliseconds connect_time{1500};

/// Waits end at a signal, or when the server of the task has ended; it then stays stopped.
class RoleHost final : public Host {
 public:
  RoleHost(Interrupt& interrupt, std::function<void(const std::string&)> log, std::string task)
      : interrupt_(interrupt), log_(std::move(log)), task_(std::move(task)) {}

  Time now() override { return std::chrono::steady_clock::now().time_since_epoch(); }
  bool wait(Time time) override {
    if (!is_stopped_ && interrupt_.wait_until(std::chrono::steady_clock::now() + time) != 0)
      is_stopped_ = true;
    return !is_stopped_;
  }
  /// Of the server; on any thread.
  void end() {
    is_stopped_ = true;
    interrupt_.wake();
  }
  void log(const std::string& message) override {
    if (log_) return log_(task_ + ": " + message);
    std::fprintf(stderr, "%s: %s\n", task_.c_str(), message.c_str());
  }

  bool is_stopped() { return !wait(Time(0)); }

 private:
  Interrupt& interrupt_;
  const std::function<void(const std::string&)> log_;
  const std::string task_;
  std::atomic<bool> is_stopped_ = false;
};

/// Which tasks have finished: a variable beside the global step, with an element for each worker.
struct FinishedWorkers {
  FinishedWorkers(const TrainedModel& model, const Role& role) {
    const auto& handle = model.global_step.handle;
    auto b = model.builder.on(handle.builder().graph().node(handle.output().node).device);
    std::vector<int64_t> none(static_cast<size_t>(role.num_workers));
    auto flags = b.variable(
        "finished_workers",
        b.constant(Tensor::of<int64_t>({role.num_workers}, std::span<const int64_t>(none))));
    all = flags.value();
    mark = b.op(
        "ResourceScatterUpdate", {flags.handle, b.constant(Tensor::scalar<int32_t>(index_of(role))),
                                  b.constant(Tensor::scalar<int64_t>(1))});
  }

  /// The chief is the first of the workers, also where it is a job of its own.
  static int index_of(const Role& role) {
    const auto& jobs = role.task.cluster.jobs();
    auto worker_is_first = !jobs.contains("chief") && !jobs.contains("master");
    return role.is_chief ? 0 : role.task.task + (worker_is_first ? 0 : 1);
  }

  Value all;
  Value mark;
};

/// The server of this task, whose end the host is told.
class RoleServer {
 public:
  RoleServer(std::unique_ptr<Server> server, RoleHost& host) : server_(std::move(server)) {
    ended_ = std::jthread([this, &host] {
      (void)server_->join();
      has_ended_ = true;
      host.end();
    });
  }
  ~RoleServer() { (void)server_->stop(stop_deadline); }

  Server* operator->() { return server_.get(); }
  bool has_ended() const { return has_ended_; }

 private:
  std::unique_ptr<Server> server_;
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

/// The part of a task that runs steps.
class Training {
 public:
  Training(
      const Role& role, TrainedModel model, const TrainingOptions& options, RoleServer& server,
      RoleHost& host)
      : role_(role),
        model_(std::move(model)),
        options_(options),
        server_(server),
        host_(host),
        finished_(model_, role) {
    if (role.is_chief && !options.checkpoint_dir.empty())
      saver_ = std::make_shared<Saver>(model_.builder, host);
    if (options.hooks) hooks_ = options.hooks(model_, host);
    if (options.last_step > 0)
      hooks_.push_back(stop_at_step(model_.global_step.value(), {.last_step = options.last_step}));
  }

  /// Runs the steps of this task.
  Status train(const TrainStep& step) {
    using Start = Scaffold::Start;
    auto session = open(hooks_, options_.starts_anew ? Start::anew : Start::adopt);
    if (!session) return session.status();
    Status status;
    while (status.ok() && !(*session)->should_stop() && !host_.is_stopped())
      status = step(**session, model_);
    if (status.code() == Code::out_of_range) status = {};
    auto closed = (*session)->close();
    if (!status.ok()) return host_.is_stopped() ? stopped() : status;
    return host_.is_stopped() ? stopped() : closed;
  }

  /// Says that this task has finished, until all others have.
  Status finish() {
    host_.log("has finished; waits for the other workers");
    auto session = open({}, Scaffold::Start::resume);
    if (!session) return session.status();
    for (int64_t known = 0;;) {
      auto flags = (*session)->run({}, {finished_.all}, {finished_.mark});
      if (server_.has_ended()) return {};
      if (!flags) return host_.is_stopped() ? stopped() : flags.status();
      auto values = flags->at(0).values<int64_t>();
      auto count = std::accumulate(values.begin(), values.end(), int64_t{0});
      if (role_.is_chief && count != known)
        host_.log(
            std::to_string(count) + " of " + std::to_string(role_.num_workers) +
            " workers have finished");
      known = count;
      if (role_.is_chief && known == role_.num_workers) break;
      if (!host_.wait(finished_period)) return server_.has_ended() ? Status() : stopped();
    }
    if (auto status = (*session)->close(); !status.ok()) return status;
    return stop_others();
  }

 private:
  Status stopped() const {
    return cancelled(server_.has_ended() ? "its server was stopped" : "stopped by a signal");
  }

  Result<std::unique_ptr<MonitoredSession>> open(
      std::vector<std::shared_ptr<SessionHook>> hooks, Scaffold::Start start) {
    Scaffold scaffold(model_.builder);
    scaffold.saver = saver_;
    scaffold.checkpoint_folder = options_.checkpoint_dir;
    scaffold.start = start;
    if (saver_)
      hooks.push_back(checkpoint_saver(
          host_, {.saver = saver_,
                  .prefix = (std::filesystem::path(options_.checkpoint_dir) / "model").string(),
                  .global_step = model_.global_step.value(),
                  .period = options_.save_period}));
    auto connect = [target = server_->target()]() -> Result<std::unique_ptr<BasicSession>> {
      auto client = Client::connect(target, {.timeout = connect_time});
      if (!client) return client.status();
      auto session = (*client)->session();
      if (!session) return session.status();
      return std::unique_ptr<BasicSession>(*std::move(session));
    };
    return MonitoredSession::create(
        {.open = connect,
         .scaffold = std::move(scaffold),
         .is_chief = role_.is_chief,
         .hooks = std::move(hooks),
         .retry = options_.retry},
        host_);
  }

  /// The workers first: they still need the parameter servers.
  Status stop_others() {
    host_.log("all workers have finished: stops the other tasks");
    Status first;
    for (bool stops_ps : {false, true})
      for (const auto& [job, tasks] : role_.task.cluster.jobs())
        for (const auto& [task, address] : tasks) {
          if ((job == "ps") != stops_ps) continue;
          if (job == role_.task.job && task == role_.task.task) continue;
          auto client = Client::connect(address.to_string(), {.timeout = connect_time});
          auto status = client ? (*client)->stop(stop_deadline) : client.status();
          if (!status.ok()) {
            host_.log("cannot stop " + task_name(job, task) + ": " + status.message());
            if (first.ok()) first = status;
          }
        }
    return first;
  }

  const Role& role_;
  const TrainedModel model_;
  const TrainingOptions& options_;
  RoleServer& server_;
  RoleHost& host_;
  const FinishedWorkers finished_;
  std::shared_ptr<Saver> saver_;
  std::vector<std::shared_ptr<SessionHook>> hooks_;
};

Status serve(RoleServer& server, RoleHost& host) {
  host.log("serves at " + server->target());
  while (!server.has_ended())
    if (!host.wait(std::chrono::hours(1))) {
      host.log("was told to stop");
      break;
    }
  return server->stop(stop_deadline);
}

}  // namespace

Status run(
    const TfConfig& config, const BuildModel& model, const TrainStep& step,
    const TrainingOptions& options) {
  auto role = Role::of(config);
  if (!role) return role.status();
  if (role->is_evaluator)
    return invalid_argument("TF_CONFIG: the task is an evaluator, which takes no part in training");
  Interrupt interrupt;  // before the server starts threads
  auto started = start_server(config, options.server);
  if (!started) return started.status();
  auto me = role->task.cluster.jobs().empty() ? std::string("training")
                                              : task_name(role->task.job, role->task.task);
  RoleHost host(interrupt, options.log, me);
  RoleServer server(*std::move(started), host);
  if (role->is_ps) return serve(server, host);
  auto built = model(*role);
  if (!built.builder.status().ok()) return built.builder.status();
  Training training(*role, std::move(built), options, server, host);
  if (auto status = training.train(step); !status.ok()) return status;
  return training.finish();
}

}  // namespace troupe::train
