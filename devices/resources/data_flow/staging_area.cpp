#include "troupe/devices/resources/data_flow/staging_area.hpp"

#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

enum StagingLine { putting, taking };

}  // namespace

Status check_staged(std::span<const Tensor> tensors, const DTypes& dtypes) {
  if (tensors.size() != dtypes.size())
    return invalid_argument(
        "Mismatch stage/unstage: " + std::to_string(tensors.size()) + " vs. " +
        std::to_string(dtypes.size()));
  for (size_t i = 0; i < dtypes.size(); ++i)
    if (tensors[i].dtype() != dtypes[i])
      return invalid_argument(
          "component " + std::to_string(i) + " was staged as " + to_string(tensors[i].dtype()) +
          ", not " + to_string(dtypes[i]));
  return {};
}

Resource::Description StagingArea::describe() const {
  std::lock_guard lock(mutex_);
  return {
      .dtype = tuples_.empty() || tuples_[0].empty() ? DType::float32 : tuples_[0][0].dtype(),
      .shape = {static_cast<int64_t>(tuples_.size())},
      .bytes = static_cast<uint64_t>(bytes_)};
}

uint64_t StagingArea::put(Tensors tuple, Done done) {
  auto bytes = staged_bytes(tuple);
  if (auto status = limits_.check(bytes); !status.ok()) {
    done(std::move(status));
    return 0;
  }
  auto attempt = [this, bytes, tuple = std::move(tuple)]() mutable -> std::optional<Status> {
    if (!limits_.has_room_for_tuple(tuples_.size()) || !limits_.has_room_for(bytes, bytes_))
      return {};
    tuples_.push_back(std::move(tuple));
    bytes_ += bytes;
    return Status();
  };
  return call(putting, std::move(attempt), std::move(done));
}

uint64_t StagingArea::take(DTypes dtypes, Taken taken) {
  auto tuple = std::make_shared<Tensors>();
  auto attempt = [this, tuple, dtypes = std::move(dtypes)]() -> std::optional<Status> {
    if (tuples_.empty()) return {};
    if (auto status = check_staged(tuples_.front(), dtypes); !status.ok()) return status;
    *tuple = std::move(tuples_.front());
    tuples_.pop_front();
    bytes_ -= staged_bytes(*tuple);
    return Status();
  };
  return call(taking, std::move(attempt), [tuple, taken = std::move(taken)](const Status& status) {
    if (status.ok()) taken(std::move(*tuple));
    else taken(status);
  });
}

uint64_t StagingArea::peek(int32_t index, DTypes dtypes, Taken taken) {
  auto tuple = std::make_shared<Tensors>();
  auto attempt = [this, index, tuple, dtypes = std::move(dtypes)]() -> std::optional<Status> {
    if (static_cast<size_t>(index) >= tuples_.size()) return {};
    *tuple = tuples_[static_cast<size_t>(index)];
    return check_staged(*tuple, dtypes);
  };
  auto done = [tuple, taken = std::move(taken)](const Status& status) {
    if (status.ok()) taken(std::move(*tuple));
    else taken(status);
  };
  if (index < 0) {
    done(invalid_argument("there is no tuple at index " + std::to_string(index)));
    return 0;
  }
  return call(WaitingCalls::unordered, std::move(attempt), std::move(done));
}

int32_t StagingArea::size() const {
  std::lock_guard lock(mutex_);
  return static_cast<int32_t>(tuples_.size());
}

Status StagingArea::remove_all() {
  return change([this] {
    clear();
    return Status();
  });
}

void StagingArea::clear() {
  tuples_.clear();
  bytes_ = 0;
}

// Whichever op comes first makes the area.
void add_staging_area_kind(ResourceKindCatalog& catalog) {
  for (const auto* op : {"Stage", "Unstage", "StagePeek", "StageSize", "StageClear"})
    catalog.add(
        {.name = StagingArea::kind_name,
         .handle_op = op,
         .make = [](const Node& node) -> Result<std::shared_ptr<Resource>> {
           return std::shared_ptr<Resource>(std::make_shared<StagingArea>(StagingLimits::of(node)));
         },
         .check = [](const Resource&, const Node&) { return Status(); }});
}

}  // namespace troupe
