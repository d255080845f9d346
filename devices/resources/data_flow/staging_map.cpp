#include "troupe/devices/resources/data_flow/staging_map.hpp"

#include <algorithm>

#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

Status check_order(const std::vector<int32_t>& indices) {
  if (indices.empty()) return invalid_argument("Indices are empty");
  if (std::ranges::adjacent_find(indices, std::ranges::greater_equal{}) != indices.end())
    return invalid_argument("Indices are not strictly ordered");
  return {};
}

Status check_range(int64_t key, const std::vector<int32_t>& indices, size_t components) {
  for (auto index : indices)
    if (index < 0 || static_cast<size_t>(index) >= components)
      return invalid_argument(
          "Index '" + std::to_string(index) + "' for key '" + std::to_string(key) +
          "' was out of bounds '" + std::to_string(components) + "'.");
  return {};
}

}  // namespace

Resource::Description StagingMap::describe() const {
  std::lock_guard lock(mutex_);
  return {
      .dtype = dtypes_.empty() ? DType::float32 : dtypes_[0],
      .shape = {static_cast<int64_t>(complete_.size())},
      .bytes = static_cast<uint64_t>(bytes_)};
}

uint64_t StagingMap::put(int64_t key, Selection selection, Tensors tensors, Done done) {
  auto bytes = staged_bytes(tensors);
  auto status = check_order(selection.indices);
  if (status.ok()) status = check_range(key, selection.indices, selection.dtypes.size());
  if (status.ok()) status = limits_.check(bytes);
  if (!status.ok()) {
    done(std::move(status));
    return 0;
  }
  auto is_whole = selection.indices.size() == selection.dtypes.size();
  // A part waits for memory only: the one that completes the tuple might wait behind it.
  auto attempt = [this, key, bytes, is_whole, selection = std::move(selection),
                  tensors = std::move(tensors)]() mutable -> std::optional<Status> {
    if (auto status = check_put(key, selection, tensors); !status.ok()) return status;
    if (!limits_.has_room_for(bytes, bytes_)) return {};
    if (is_whole && !limits_.has_room_for_tuple(complete_.size())) return {};
    insert(key, selection, std::move(tensors));
    bytes_ += bytes;
    return Status();
  };
  return call(WaitingCalls::unordered, std::move(attempt), std::move(done));
}

Status StagingMap::check_put(
    int64_t key, const Selection& selection, const Tensors& tensors) const {
  if (!dtypes_.empty() && dtypes_ != selection.dtypes)
    return invalid_argument("the tuples of this staging area have other dtypes");
  auto found = incomplete_.find(key);
  for (size_t i = 0; i < tensors.size(); ++i) {
    auto index = static_cast<size_t>(selection.indices[i]);
    if (tensors[i].dtype() != selection.dtypes[index])
      return invalid_argument(
          "component " + std::to_string(index) + " must be " + to_string(selection.dtypes[index]) +
          ", not " + to_string(tensors[i].dtype()));
    auto is_whole = tensors.size() == selection.dtypes.size();
    if (!is_whole && found != incomplete_.end() && found->second[index].is_set())
      return invalid_argument(
          "The tensor for index '" + std::to_string(index) + "' for key '" + std::to_string(key) +
          "' was already initialized '" + std::to_string(selection.dtypes.size()) + "'.");
  }
  return {};
}

void StagingMap::insert(int64_t key, const Selection& selection, Tensors tensors) {
  dtypes_ = selection.dtypes;
  if (tensors.size() == dtypes_.size()) return add_complete(key, std::move(tensors));
  auto at = incomplete_.try_emplace(key, Tuple(dtypes_.size())).first;
  for (size_t i = 0; i < tensors.size(); ++i)
    at->second[static_cast<size_t>(selection.indices[i])] = std::move(tensors[i]);
  if (!std::ranges::all_of(at->second, &Tensor::is_set)) return;
  auto tuple = std::move(at->second);
  incomplete_.erase(at);
  add_complete(key, std::move(tuple));
}

/// Dropped where the key has a tuple already.
void StagingMap::add_complete(int64_t key, Tuple tuple) {
  auto bytes = staged_bytes(tuple);
  if (!complete_.try_emplace(key, std::move(tuple)).second) bytes_ -= bytes;
}

Status StagingMap::select(
    const Tuples::iterator& at, const Selection& selection, Staged& staged) const {
  const auto& [key, tuple] = *at;
  if (auto status = check_range(key, selection.indices, tuple.size()); !status.ok()) return status;
  Tensors found;
  for (auto index : selection.indices) {
    const auto& tensor = tuple[static_cast<size_t>(index)];
    if (!tensor.is_set())
      return invalid_argument(
          "Tensor at index '" + std::to_string(index) + "' for key '" + std::to_string(key) +
          "' has already been removed.");
    found.push_back(tensor);
  }
  if (found.size() != selection.dtypes.size())
    return invalid_argument(
        "output/indices size mismatch: " + std::to_string(selection.dtypes.size()) + " vs. " +
        std::to_string(found.size()));
  for (size_t i = 0; i < found.size(); ++i)
    if (found[i].dtype() != selection.dtypes[i])
      return invalid_argument(
          "component " + std::to_string(selection.indices[i]) + " was staged as " +
          to_string(found[i].dtype()) + ", not " + to_string(selection.dtypes[i]));
  staged = {key, std::move(found)};
  return {};
}

Status StagingMap::remove(const Tuples::iterator& at, const Selection& selection, Staged& staged) {
  if (auto status = select(at, selection, staged); !status.ok()) return status;
  for (auto index : selection.indices) at->second[static_cast<size_t>(index)] = Tensor();
  if (std::ranges::none_of(at->second, &Tensor::is_set)) complete_.erase(at);
  bytes_ -= staged_bytes(staged.tensors);
  return {};
}

uint64_t StagingMap::call_for(
    WaitingCalls::Attempt attempt, std::shared_ptr<Staged> staged, Taken taken) {
  auto done = [staged = std::move(staged), taken = std::move(taken)](const Status& status) {
    if (status.ok()) taken(std::move(*staged));
    else taken(status);
  };
  return call(WaitingCalls::unordered, std::move(attempt), std::move(done));
}

uint64_t StagingMap::take(int64_t key, Selection selection, Taken taken) {
  auto staged = std::make_shared<Staged>();
  auto attempt = [this, key, staged, selection = std::move(selection)]() -> std::optional<Status> {
    if (auto status = check_order(selection.indices); !status.ok()) return status;
    auto at = complete_.find(key);
    if (at == complete_.end()) return {};
    return remove(at, selection, *staged);
  };
  return call_for(std::move(attempt), staged, std::move(taken));
}

uint64_t StagingMap::take_any(Selection selection, Taken taken) {
  auto staged = std::make_shared<Staged>();
  auto attempt = [this, staged, selection = std::move(selection)]() -> std::optional<Status> {
    if (auto status = check_order(selection.indices); !status.ok()) return status;
    if (complete_.empty()) return {};
    return remove(complete_.begin(), selection, *staged);
  };
  return call_for(std::move(attempt), staged, std::move(taken));
}

uint64_t StagingMap::peek(int64_t key, Selection selection, Taken taken) {
  auto staged = std::make_shared<Staged>();
  auto attempt = [this, key, staged, selection = std::move(selection)]() -> std::optional<Status> {
    if (auto status = check_order(selection.indices); !status.ok()) return status;
    auto at = complete_.find(key);
    if (at == complete_.end()) return {};
    return select(at, selection, *staged);
  };
  return call_for(std::move(attempt), staged, std::move(taken));
}

int32_t StagingMap::size() const {
  std::lock_guard lock(mutex_);
  return static_cast<int32_t>(complete_.size());
}

int32_t StagingMap::incomplete_size() const {
  std::lock_guard lock(mutex_);
  return static_cast<int32_t>(incomplete_.size());
}

Status StagingMap::remove_all() {
  return change([this] {
    clear();
    return Status();
  });
}

void StagingMap::clear() {
  complete_.clear();
  incomplete_.clear();
  bytes_ = 0;
}

// The unordered map of TensorFlow takes any key; here that is the lowest one, too, so both are one
// kind. Whichever op comes first makes the map.
void add_staging_map_kind(ResourceKindCatalog& catalog) {
  for (auto prefix : {"", "Ordered"})
    for (auto op :
         {"MapStage", "MapPeek", "MapUnstage", "MapUnstageNoKey", "MapSize", "MapIncompleteSize",
          "MapClear"})
      catalog.add(
          {.name = StagingMap::kind_name,
           .handle_op = std::string(prefix) + op,
           .make = [](const Node& node) -> Result<std::shared_ptr<Resource>> {
             return std::shared_ptr<Resource>(
                 std::make_shared<StagingMap>(StagingLimits::of(node)));
           },
           .check = [](const Resource&, const Node&) { return Status(); }});
}

}  // namespace troupe
