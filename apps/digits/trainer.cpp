#include "troupe/apps/digits/trainer.hpp"

#include <filesystem>
#include <utility>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/train/checkpoint_state.hpp"
#include "troupe/graph/train/hooks.hpp"

namespace troupe::digits {

namespace {

Result<bool> has_no_checkpoint(const RecoveryOptions& recovery) {
  if (!recovery.is_on()) return true;
  auto latest = train::latest_checkpoint(recovery.checkpoint_folder);
  if (!latest) return latest.status();
  return !latest->has_value();
}

Status initialize(Workers& workers, const Model& model) {
  auto session = workers.open(0);
  if (!session) return session.status();
  if (auto status = (*session)->extend(model.builder); !status.ok()) return status;
  return (*session)->run({}, {}, {model.initialize}).status();
}

/// Makes the chief save checkpoints, on its own task.
void add_checkpoints(
    train::MonitoredSessionOptions& options, const Model& model, const RecoveryOptions& recovery,
    train::Host& host) {
  auto saver = std::make_shared<train::Saver>(
      model.builder, host, train::SaverOptions{.device = task_name("worker", 0)});
  options.scaffold.saver = saver;
  options.scaffold.checkpoint_folder = recovery.checkpoint_folder;
  options.hooks.push_back(train::checkpoint_saver(
      host, {.saver = saver,
             .prefix = (std::filesystem::path(recovery.checkpoint_folder) / "digits").string(),
             .global_step = model.global_step,
             .period = {.steps = recovery.save_steps}}));
}

Result<std::unique_ptr<train::MonitoredSession>> open(
    Workers& workers, int worker, const Model& model, const RecoveryOptions& recovery,
    train::Scaffold::Start start, train::Host& host) {
  train::MonitoredSessionOptions options{
      .open = [&workers, worker] { return workers.open(worker); },
      .scaffold = train::Scaffold(model.builder),
      .is_chief = worker == 0,
      .hooks = {},
      .retry = {
          .give_up_after =
              recovery.is_on() ? recovery.give_up_after : std::chrono::milliseconds(0)}};
  options.scaffold.start = start;
  if (recovery.is_on() && worker == 0) add_checkpoints(options, model, recovery, host);
  return train::MonitoredSession::create(std::move(options), host);
}

}  // namespace

Result<std::vector<Trainer>> make_trainers(
    Workers& workers, std::vector<Digits> parts, const TrainersOptions& options,
    train::Host& host) {
  auto is_new = has_no_checkpoint(options.recovery);
  if (!is_new) return is_new.status();
  auto start = *is_new ? train::Scaffold::Start::resume : train::Scaffold::Start::adopt;
  std::vector<Trainer> trainers;
  for (int worker = 0; worker < workers.count(); ++worker) {
    auto model = make_model(worker, options.optimizer, options.seed);
    if (*is_new && worker == 0)
      if (auto status = initialize(workers, model); !status.ok()) return status;
    auto session = open(workers, worker, model, options.recovery, start, host);
    if (!session) return session.status();
    auto& rows = parts[static_cast<size_t>(worker)];
    trainers.push_back({std::move(model), *std::move(session), std::move(rows)});
  }
  return trainers;
}

}  // namespace troupe::digits
