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

std::vector<SavedPart> variables_of(const SaverOptions& options, const Builder& builder) {
  auto saved = options.parts;
  for (const auto& [name, variable] : options.variables) saved.push_back({name, "", variable});
  if (saved.empty())
    for (const auto& variable : builder.variables()) saved.push_back({variable.name, "", variable});
  std::ranges::stable_sort(saved, {}, &SavedPart::name);
  return saved;
}

Tensor int64_vector(const Shape& shape) {
  return Tensor::of<int64_t>({shape.rank()}, shape.sizes());
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
      options_(std::move(options)),
      saved_(variables_of(options_, builder)),
      next_to_keep_(host.now() + hours(options_.keep_checkpoint_every_n_hours)) {
  auto b = options_.name.empty() ? builder : builder.scope(options_.name);
  if (saved_.empty()) {
    b.fail(invalid_argument("there are no variables to save"));
    return;
  }
  for (const auto& part : saved_)
    if (!part.variable.handle.is_valid()) return;  // the builder holds the error
  // One shard is the checkpoint.
  std::set<std::string> places;
  for (const auto& part : saved_) places.insert(device_of(part.variable));
  if (!options_.sharded) add_unsharded(b, cpu_device_of(options_.device));
  else if (places.size() == 1) add_unsharded(b, *places.begin());
  else add_sharded(b, options_.device);
}

/// The names are TensorFlow's, which programs feed.
void Saver::add_prefix(const Builder& b) {
  auto filename = b.named("filename").constant(Tensor::string(options_.filename));
  prefix_ = b.named("Const").op("PlaceholderWithDefault", {filename}, {{"shape", Shape()}});
}

Value Saver::add_save(
    const Builder& task, const Value& prefix, const std::vector<SavedPart>& saved) {
  Names names, slices;
  Values values;
  for (const auto& part : saved) {
    names.push_back(part.name);
    slices.push_back(part.slice);
    values.push_back(part.reference.is_valid() ? part.reference : part.variable.value());
  }
  Values inputs = {prefix, task.constant(strings(names)), task.constant(strings(slices))};
  inputs.insert(inputs.end(), values.begin(), values.end());
  return task.op("SaveV2", inputs);
}

void Saver::add_restores(const Builder& task, const std::vector<SavedPart>& saved) {
  Values previous;
  for (const auto& [name, slice, variable, reference] : saved) {
    auto after = options_.restore_sequentially ? task.after(previous) : task;
    auto value = after.op(
        "RestoreV2", {prefix_, task.constant(strings({name})), task.constant(strings({slice}))},
        {{"dtypes", DTypes{variable.dtype}}});
    if (options_.reshape) {
      auto shape = variable.shape.is_known()
                       ? task.constant(int64_vector(variable.shape))
                       : task.op("Shape", {variable.value()}, {{"out_type", DType::int64}});
      value = task.op("Reshape", {value, shape});
    }
    auto assigned = reference.is_valid() ? variable.handle.builder().op(
                                               "Assign", {reference, value},
                                               {{"validate_shape", variable.shape.is_known()}})
                                         : variable.assign(value);
    previous = {assigned};
    restores_.emplace(name, previous.front());
  }
}

void Saver::add_unsharded(const Builder& b, const std::string& device) {
  auto writer = b.on(device);
  add_prefix(writer);
  save_ = add_save(writer, prefix_, saved_);
  add_restores(writer, saved_);
  remove_ = writer.op("RemoveCheckpoint", {prefix_});
}

/// All files of an old checkpoint of that name are removed before any shard is written, and the
/// merged index is written after all shards. So all shards of a complete checkpoint are from one
/// save.
void Saver::add_sharded(const Builder& b, std::string device) {
  std::map<std::string, std::vector<SavedPart>> saved_on;
  for (const auto& part : saved_) saved_on[device_of(part.variable)].push_back(part);
  auto merger = b.on(device.empty() ? saved_on.begin()->first : cpu_device_of(device));
  add_prefix(merger);
  Values removals = {merger.op("RemoveCheckpoint", {prefix_})};
  for (const auto& [place, saved] : saved_on)
    removals.push_back(b.on(place).op("RemoveCheckpoint", {prefix_}));
  remove_ = b.group(removals);

  Values prefixes, saves;
  auto count = static_cast<int32_t>(saved_on.size());
  for (const auto& [place, saved] : saved_on) {
    auto task = b.on(place);
    auto index = static_cast<int32_t>(prefixes.size());
    prefixes.push_back(task.op(
        "ShardedFilename",
        {prefix_, task.constant<int32_t>(index), task.constant<int32_t>(count)}));
    saves.push_back(add_save(task.after({remove_}), prefixes.back(), saved));
    add_restores(task, saved);
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
  return save(session, prefix, SaveOptions{.global_step = global_step});
}

Result<std::string> Saver::save(
    BasicSession& session, const std::string& prefix, const SaveOptions& options) {
  auto path = prefix;
  if (options.global_step) {
    auto number = std::to_string(*options.global_step);
    constexpr size_t padded_digits = 8;
    if (options_.pad_step_number && number.size() < padded_digits)
      number.insert(0, padded_digits - number.size(), '0');
    path += "-" + number;
  }
  if (auto status = run(session, path, {save_}); !status.ok()) return status;
  if (!options.write_state) return path;
  std::vector<std::string> removed;
  CheckpointState state{.paths = {path}};
  if (options_.max_to_keep > 0) {  // else the folder's file has the latest only, as TensorFlow's
    std::erase_if(checkpoints_, [&](const auto& saved) { return saved.path == path; });
    checkpoints_.push_back({path, host_.now()});
    removed = take_expired_checkpoints();
    state.paths = last_checkpoints();
  }
  auto folder = std::filesystem::path(path).parent_path();
  auto status = state.write(
      folder.empty() ? "." : folder.string(),
      {.filename = options.latest_filename, .is_relative = options_.save_relative_paths});
  if (!status.ok()) return status;
  // The new checkpoint is complete, so a failure to remove an old one is only logged.
  for (const auto& old : removed)
    if (auto removal = run(session, old, {remove_}); !removal.ok())
      host_.log("checkpoint " + quote(old) + " could not be removed: " + removal.to_string());
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
    auto [first, last] = restores_.equal_range(name);
    if (first == last)
      return invalid_argument(quote(name) + " is not among the variables that are saved");
    for (auto found = first; found != last; ++found) targets.emplace_back(found->second);
  }
  return targets.empty() ? Status() : run(session, path, targets);
}

std::optional<std::string> Saver::saved_name(const std::string& variable) const {
  for (const auto& part : saved_)
    if (part.variable.name == variable) return part.name;
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
