#include "troupe/devices/resources/data_flow/unbatcher.hpp"

#include <algorithm>
#include <string>

#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

Status gone() { return aborted("the container of what gathers batches was reset"); }
Status too_many() { return resource_exhausted("too many pieces of batches wait"); }
Status already(const char* what) { return Status(Code::already_exists, what); }

}  // namespace

/// Answers the launches that wait for them, and keeps the others.
Status UnbatcherResource::give_pieces(uint64_t number, Pieces pieces, Answers& answers) {
  for (auto& [id, tensor] : pieces) {
    if (auto waiting = waiting_.find(id); waiting != waiting_.end()) {
      answers.emplace_back(std::move(waiting->second.answered), std::move(tensor));
      waiting_.erase(waiting);
      continue;
    }
    if (pieces_.size() >= waiting_ids_max) return too_many();
    if (!pieces_.try_emplace(id, Piece{number, std::move(tensor)}).second)
      return already("Multiple tensors returned for same batch key.");
  }
  return {};
}

void UnbatcherResource::take(int64_t id, Pieces pieces, const Timer& timer, Answered answered) {
  Answers answers;
  uint64_t number = 0;
  {
    std::lock_guard lock(mutex_);
    auto ready = pieces_.find(id);
    if (is_dropped()) {
      answers.emplace_back(std::move(answered), gone());
    } else if (ready != pieces_.end()) {
      answers.emplace_back(std::move(answered), std::move(ready->second.tensor));
      pieces_.erase(ready);
    } else if (waiting_.contains(id)) {
      answers.emplace_back(
          std::move(answered), already("Multiple session runs with the same batch key."));
    } else {
      number = ++count_;
      waiting_.emplace(id, Waiting{number, std::move(answered)});
      auto status = give_pieces(number, std::move(pieces), answers);
      auto own = waiting_.find(id);
      if (!status.ok() && own != waiting_.end()) {
        answers.emplace_back(std::move(own->second.answered), status);
        waiting_.erase(own);
      }
    }
  }
  if (number > 0 && timer)
    timer(timeout_, [weak = weak_from_this(), number] {
      if (auto unbatcher = weak.lock()) unbatcher->time_is_up(number);
    });
  for (auto& [each, answer] : answers) each(std::move(answer));
}

void UnbatcherResource::time_is_up(uint64_t number) {
  Answers answers;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(pieces_, [&](const auto& piece) { return piece.second.number == number; });
    for (auto waiting = waiting_.begin(); waiting != waiting_.end(); ++waiting) {
      if (waiting->second.number != number) continue;
      answers.emplace_back(
          std::move(waiting->second.answered),
          Status(Code::deadline_exceeded, "Batched data did not arrive within timeout window."));
      waiting_.erase(waiting);
      break;
    }
  }
  for (auto& [each, answer] : answers) each(std::move(answer));
}

void UnbatcherResource::give_up(int64_t id) {
  Answered answered;
  {
    std::lock_guard lock(mutex_);
    auto waiting = waiting_.find(id);
    if (waiting == waiting_.end()) return;
    answered = std::move(waiting->second.answered);
    waiting_.erase(waiting);
  }
  answered(cancelled("the step that waited for its piece of a batch has ended"));
}

void UnbatcherResource::drop() {
  std::map<int64_t, Waiting> waiting;
  {
    std::lock_guard lock(mutex_);
    is_dropped_ = true;
    waiting.swap(waiting_);
    pieces_.clear();
  }
  for (auto& [id, each] : waiting) each.answered(gone());
}

Result<Tensors> RebatcherResource::take_all(const std::vector<int64_t>& ids) {
  Tensors all;
  for (auto id : ids) {
    auto gradient = gradients_.find(id);
    if (gradient == gradients_.end())
      return invalid_argument("the batch names the id " + std::to_string(id) + " twice");
    all.push_back(std::move(gradient->second));
    gradients_.erase(gradient);
  }
  return all;
}

Status RebatcherResource::add(int64_t id, Tensor gradient) {
  Gathered gathered;
  Result<Tensors> all = Tensors();
  {
    std::lock_guard lock(mutex_);
    if (is_dropped()) return gone();
    if (gradients_.size() >= waiting_ids_max) return too_many();
    if (!gradients_.emplace(id, std::move(gradient)).second)
      return invalid_argument("Two runs with the same batch key.");
    auto wanted = wanted_by_.find(id);
    if (wanted == wanted_by_.end()) return {};
    auto batch = batches_.find(wanted->second);
    wanted_by_.erase(wanted);
    if (batch == batches_.end()) return {};
    batch->second.missing.erase(id);
    if (!batch->second.missing.empty()) return {};
    all = take_all(batch->second.ids);
    gathered = std::move(batch->second.gathered);
    batches_.erase(batch);
  }
  gathered(std::move(all));
  return {};
}

void RebatcherResource::gather(int64_t id, std::vector<int64_t> ids, Gathered gathered) {
  Result<Tensors> answer = Tensors();
  {
    std::lock_guard lock(mutex_);
    std::set<int64_t> missing;
    for (auto each : ids)
      if (!gradients_.contains(each)) missing.insert(each);
    auto is_wanted = [&](int64_t each) { return wanted_by_.contains(each); };
    if (is_dropped()) answer = gone();
    else if (missing.empty()) answer = take_all(ids);
    else if (batches_.contains(id)) answer = invalid_argument("a batch key was used twice");
    else if (std::ranges::any_of(missing, is_wanted))
      answer = invalid_argument("Missing tensor wanted by more than one batch.");
    else {
      for (auto each : missing) wanted_by_.emplace(each, id);
      batches_.emplace(id, Batch{std::move(ids), std::move(missing), std::move(gathered)});
      return;
    }
  }
  gathered(std::move(answer));
}

void RebatcherResource::give_up(int64_t id) {
  Gathered gathered;
  {
    std::lock_guard lock(mutex_);
    auto batch = batches_.find(id);
    if (batch == batches_.end()) return;
    for (auto each : batch->second.missing) wanted_by_.erase(each);
    gathered = std::move(batch->second.gathered);
    batches_.erase(batch);
  }
  gathered(cancelled("the step that gathered the gradients of a batch has ended"));
}

void RebatcherResource::drop() {
  std::map<int64_t, Batch> batches;
  {
    std::lock_guard lock(mutex_);
    is_dropped_ = true;
    batches.swap(batches_);
    gradients_.clear();
    wanted_by_.clear();
  }
  for (auto& [id, batch] : batches) batch.gathered(gone());
}

void add_unbatcher_kinds(ResourceKindCatalog& catalog) {
  auto check = [](const Resource&, const Node&) { return Status(); };
  catalog.add(
      {.name = UnbatcherResource::kind_name,
       .handle_op = "Unbatch",
       .make = [](const Node& node) -> Result<std::shared_ptr<Resource>> {
         constexpr int64_t year_micros = int64_t{365} * 24 * 3600 * 1'000'000;
         auto micros = node.attr<int64_t>("timeout_micros");
         if (micros < 0 || micros > year_micros)
           return invalid_argument(
               "timeout_micros must not be negative, nor more than a year, but is " +
               std::to_string(micros));
         return std::shared_ptr<Resource>(
             std::make_shared<UnbatcherResource>(std::chrono::microseconds(micros)));
       },
       .check = check});
  catalog.add(
      {.name = RebatcherResource::kind_name,
       .handle_op = "UnbatchGrad",
       .make = [](const Node&) -> Result<std::shared_ptr<Resource>> {
         return std::shared_ptr<Resource>(std::make_shared<RebatcherResource>());
       },
       .check = check});
}

}  // namespace troupe
