#include "troupe/graph/train/saver.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/support/text.hpp"
#include "troupe/graph/train/checkpoint_state.hpp"

namespace troupe::train {
namespace {

using Names = std::vector<std::string>;

Tensor strings(const Names& values) {
  auto count = static_cast<int64_t>(values.size());
  return Tensor::of<std::string>({count}, std::span<const std::string>(values));
}

SaverOptions with_default_variables(SaverOptions options, const Builder& builder) {
  if (options.variables.empty())
    for (const auto& variable : builder.variables())
      options.variables.emplace(variable.name, variable);
  return options;
}

/// CPU:0 of the task that a device name refers to, whichever of its devices the name is of.
std::string cpu_device_of(const std::string& device_name) {
  auto device = DeviceName::parse(device_name);
  if (!device) return device_name;  // placement reports the error
  return DeviceName{device->job, device->task, "CPU", 0}.to_string();
}

std::string device_of(const Variable& variable) {
  return cpu_device_of(
      variable.handle.builder().graph().node(variable.handle.output().node).device);
}

Host::Time hours(double count) {
  // Capped, so that the conversion cannot overflow.
  constexpr double hours_max = 1e6;
  return std::chrono::duration_cast<Host::Time>(
      std::chrono::duration<double, std::ratio<3600>>(std::min(count, hours_max)));
}

}  // namespace

Saver::Saver(const Builder& builder, Host& host, SaverOptions options)
    : host_(host),
      options_(with_default_variables(std::move(options), builder)),
      next_to_keep_(host.now() + hours(options_.keep_checkpoint_every_n_hours)) {
  auto b = builder.scope("save");
  if (options_.variables.empty()) {
    b.fail(invalid_argument("there are no variables to save"));
    return;
  }
  for (const auto& [name, variable] : options_.variables)
    if (!variable.handle.is_valid()) return;  // the builder holds the error
  if (options_.sharded) add_sharded(b, options_.device);
  else add_unsharded(b, cpu_device_of(options_.device));
}

Value Saver::add_save(const Builder& task, const Value& prefix, const Names& names) {
  Values inputs = {
      prefix, task.constant(strings(names)), task.constant(strings(Names(names.size())))};
  for (const auto& name : names) inputs.push_back(options_.variables.at(name).value());
  return task.op("SaveV2", inputs);
}

void Saver::add_restore(const Builder& task, const std::string& name) {
  const auto& variable = options_.variables.at(name);
  auto value = task.op(
      "RestoreV2", {prefix_, task.constant(strings({name})), task.constant(strings({""}))},
      {{"dtypes", DTypes{variable.dtype}}});
  restores_[name] = variable.assign(value);
}

void Saver::add_unsharded(const Builder& b, const std::string& device) {
  auto writer = b.on(device);
  prefix_ = writer.named("prefix").placeholder(DType::string, {});
  Names names;
  for (const auto& [name, variable] : options_.variables) names.push_back(name);
  save_ = add_save(writer, prefix_, names);
  for (const auto& name : names) add_restore(writer, name);
  remove_ = writer.op("RemoveCheckpoint", {prefix_});
}

/// All files of an old checkpoint of that name are removed before any shard is written, and the
/// merged index is written after all shards. So all shards of a complete checkpoint are from one
/// save.
void Saver::add_sharded(const Builder& b, std::string device) {
  std::map<std::string, Names> names_of;
  for (const auto& [name, variable] : options_.variables)
    names_of[device_of(variable)].push_back(name);
  auto merger = b.on(device.empty() ? names_of.begin()->first : cpu_device_of(device));
  prefix_ = merger.named("prefix").placeholder(DType::string, {});
  Values removals = {merger.op("RemoveCheckpoint", {prefix_})};
  for (const auto& [place, names] : names_of)
    removals.push_back(b.on(place).op("RemoveCheckpoint", {prefix_}));
  remove_ = b.group(removals);

  Values prefixes, saves;
  auto count = static_cast<int32_t>(names_of.size());
  for (const auto& [place, names] : names_of) {
    auto task = b.on(place);
    auto index = static_cast<int32_t>(prefixes.size());
    prefixes.push_back(task.op(
        "ShardedFilename",
        {prefix_, task.constant<int32_t>(index), task.constant<int32_t>(count)}));
    saves.push_back(add_save(task.after({remove_}), prefixes.back(), names));
    for (const auto& name : names) add_restore(task, name);
  }
  save_ = merger.after(saves).op(
      "MergeV2Checkpoints", {merger.op("Pack", prefixes), prefix_},
      {{"delete_old_dirs", false}, {"allow_missing_files", true}});
}

Status Saver::run(
    BasicSession& session, const std::string& path, const std::vector<Ref>& targets) const {
  return session.run({{prefix_, Tensor::string(path)}}, {}, targets).status();
}

Result<std::string> Saver::save(
    BasicSession& session, const std::string& prefix, std::optional<int64_t> global_step) {
  auto path = global_step ? prefix + "-" + std::to_string(*global_step) : prefix;
  if (auto status = run(session, path, {save_}); !status.ok()) return status;
  std::erase_if(checkpoints_, [&](const auto& saved) { return saved.path == path; });
  checkpoints_.push_back({path, host_.now()});
  auto removed = take_expired_checkpoints();
  CheckpointState state{.paths = last_checkpoints()};
  auto folder = std::filesystem::path(path).parent_path();
  if (auto status = state.write(folder.empty() ? "." : folder.string()); !status.ok())
    return status;
  // The new checkpoint is complete, so a failure to remove an old one is only logged.
  for (const auto& old : removed)
    if (auto status = run(session, old, {remove_}); !status.ok())
      host_.log("checkpoint " + quote(old) + " could not be removed: " + status.to_string());
  return path;
}

Names Saver::take_expired_checkpoints() {
  Names removed;
  auto keep = static_cast<size_t>(options_.max_to_keep);
  while (keep > 0 && checkpoints_.size() > keep) {
    auto oldest = checkpoints_.front();
    checkpoints_.erase(checkpoints_.begin());
    if (oldest.saved_at > next_to_keep_)
      next_to_keep_ += hours(options_.keep_checkpoint_every_n_hours);
    else removed.push_back(oldest.path);
  }
  return removed;
}

Status Saver::restore(BasicSession& session, const std::string& path) const {
  std::set<std::string> names;
  for (const auto& [name, target] : restores_) names.insert(name);
  return restore(session, path, names);
}

Status Saver::restore(
    BasicSession& session, const std::string& path, const std::set<std::string>& names) const {
  std::vector<Ref> targets;
  for (const auto& name : names) {
    auto found = restores_.find(name);
    if (found == restores_.end())
      return invalid_argument(quote(name) + " is not among the variables that are saved");
    targets.emplace_back(found->second);
  }
  return targets.empty() ? Status() : run(session, path, targets);
}

std::optional<std::string> Saver::saved_name(const std::string& variable) const {
  for (const auto& [name, saved] : options_.variables)
    if (saved.name == variable) return name;
  return {};
}

Names Saver::last_checkpoints() const {
  Names paths;
  for (const auto& checkpoint : checkpoints_) paths.push_back(checkpoint.path);
  return paths;
}

void Saver::recover_last_checkpoints(const Names& paths) {
  checkpoints_.clear();
  for (const auto& path : paths) checkpoints_.push_back({path, host_.now()});
}

}  // namespace troupe::train
