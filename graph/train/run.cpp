#include "troupe/graph/train/run.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include "troupe/graph/cluster/device_name.hpp"

namespace troupe::train {
namespace {

// How often a task that has finished says so again: a parameter server that has lost it must hear.
constexpr std::chrono::milliseconds finished_period{200};
// How long a task is awaited that was killed when all had finished, to be stopped when it is back.
constexpr std::chrono::milliseconds stop_give_up_after{30'000};

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

bool is_told_to_stop(Task& task) { return !task.wait(Task::Time(0)); }

/// The part of a task that runs steps.
class Training {
 public:
  Training(Task& task, TrainedModel model, const TrainingOptions& options)
      : task_(task),
        role_(task.role()),
        model_(std::move(model)),
        options_(options),
        finished_(model_, role_) {
    if (role_.is_chief && !options.checkpoint_dir.empty())
      saver_ = std::make_shared<Saver>(model_.builder, task);
    if (options.hooks) hooks_ = options.hooks(model_, task);
    if (options.last_step > 0)
      hooks_.push_back(stop_at_step(model_.global_step.value(), {.last_step = options.last_step}));
  }

  /// Runs the steps of this task.
  Status train(const TrainStep& step) {
    using Start = Scaffold::Start;
    auto session = open(hooks_, options_.starts_anew ? Start::anew : Start::adopt);
    if (!session) return session.status();
    Status status;
    while (status.ok() && !(*session)->should_stop() && !is_told_to_stop(task_))
      status = step(**session, model_);
    if (status.code() == Code::out_of_range) status = {};
    if (status.ok()) status = (*session)->close();
    return is_told_to_stop(task_) ? stopped() : status;
  }

  /// Says that this task has finished, until all others have.
  Status finish() {
    task_.log("has finished; waits for the other workers");
    auto session = open({}, Scaffold::Start::resume);
    if (!session) return session.status();
    for (int64_t known = 0;;) {
      auto flags = (*session)->run({}, {finished_.all}, {finished_.mark});
      if (!flags) return is_told_to_stop(task_) ? stopped() : flags.status();
      auto values = flags->at(0).values<int64_t>();
      auto count = std::accumulate(values.begin(), values.end(), int64_t{0});
      if (role_.is_chief && count != known)
        task_.log(
            std::to_string(count) + " of " + std::to_string(role_.num_workers) +
            " workers have finished");
      known = count;
      if (role_.is_chief && known == role_.num_workers) break;
      if (!task_.wait(finished_period)) return stopped();
    }
    if (auto status = (*session)->close(); !status.ok()) return status;
    return stop_others();
  }

 private:
  static Status stopped() { return cancelled("told to stop before the end of the training"); }

  Result<std::unique_ptr<MonitoredSession>> open(
      std::vector<std::shared_ptr<SessionHook>> hooks, Scaffold::Start start) {
    Scaffold scaffold(model_.builder);
    scaffold.saver = saver_;
    scaffold.checkpoint_folder = options_.checkpoint_dir;
    scaffold.start = start;
    if (saver_)
      hooks.push_back(checkpoint_saver(
          task_, {.saver = saver_,
                  .prefix = (std::filesystem::path(options_.checkpoint_dir) / "model").string(),
                  .global_step = model_.global_step.value(),
                  .period = options_.save_period}));
    return MonitoredSession::create(
        {.open = [this] { return task_.open_session(); },
         .scaffold = std::move(scaffold),
         .is_chief = role_.is_chief,
         .hooks = std::move(hooks),
         .retry = options_.retry},
        task_);
  }

  /// The workers first: they still need the parameter servers.
  Status stop_others() {
    task_.log("all workers have finished: stops the other tasks");
    Status first;
    for (bool stops_ps : {false, true})
      for (const auto& [job, tasks] : role_.task.cluster.jobs())
        for (const auto& [index, address] : tasks) {
          if ((job == "ps") != stops_ps) continue;
          if (job == role_.task.job && index == role_.task.task) continue;
          auto status = stop(job, index);
          if (status.ok()) continue;
          task_.log("cannot stop " + task_name(job, index) + ": " + status.message());
          if (first.ok()) first = status;
        }
    return first;
  }

  Status stop(const std::string& job, int index) {
    auto give_up_after = std::min(options_.retry.give_up_after, stop_give_up_after);
    for (Backoff backoff(task_, {.give_up_after = give_up_after});;) {
      auto status = task_.stop_server(job, index);
      if (status.ok() || !is_retryable(status) || !backoff.wait(status).ok()) return status;
    }
  }

  Task& task_;
  const Role& role_;
  const TrainedModel model_;
  const TrainingOptions& options_;
  const FinishedWorkers finished_;
  std::shared_ptr<Saver> saver_;
  std::vector<std::shared_ptr<SessionHook>> hooks_;
};

Status serve(Task& task) {
  while (task.wait(std::chrono::hours(1))) {
  }
  task.log("was told to stop");
  return {};
}

}  // namespace

Status run(
    Task& task, const BuildModel& model, const TrainStep& step, const TrainingOptions& options) {
  if (task.role().is_ps) return serve(task);
  auto built = model(task.role());
  if (!built.builder.status().ok()) return built.builder.status();
  Training training(task, std::move(built), options);
  auto status = training.train(step);
  if (status.ok()) status = training.finish();
  if (status.ok() || !task.has_server_ended()) return status;
  // As of a worker that was killed when all had finished: the chief stops it once it is back.
  task.log("ends, as its server was stopped");
  return {};
}

}  // namespace troupe::train
