#include "troupe/actors/session/partial_step.hpp"

#include <algorithm>

namespace troupe {
namespace {

/// The index of the output with that name; outputs.size() if it is not among them.
size_t index_of(const Graph& graph, const std::vector<Output>& outputs, const std::string& name) {
  auto output = graph.find_output(name);
  if (!output) return outputs.size();
  return static_cast<size_t>(std::ranges::find(outputs, *output) - outputs.begin());
}

Status refused(const char* role, const std::string& name, const char* why) {
  return invalid_argument(std::string(role) + " '" + name + "' " + why);
}

constexpr auto not_set_up = "was not specified in partial_run_setup";

}  // namespace

Status PartialStep::begin(std::shared_ptr<const CompiledStep> step) {
  step_ = std::move(step);
  const auto& fetches = step_->pruned.fetches;
  for (size_t i = 0; i < fetches.size(); ++i)
    if (std::ranges::count(fetches, fetches[i]) > 1)
      return refused("fetch", step_->signature.fetches[i], "is there twice");
  fed_.resize(step_->pruned.feeds.size());
  requested_.resize(fetches.size());
  arrived_.resize(fetches.size());
  values_.resize(fetches.size());
  return {};
}

Tensors PartialStep::accept(const RunPartially& call) {
  if (!error_.ok()) {
    call.done(error_);
    return {};
  }
  auto checked = check(call);
  if (!checked) {
    call.done(checked.status());
    return {};
  }
  for (size_t i = 0; i < fed_.size(); ++i)
    if (checked->feeds[i].is_set()) fed_[i] = true;
  for (auto fetch : checked->fetches) requested_[fetch] = true;
  auto is_last = std::ranges::count(fed_, false) == 0 && std::ranges::count(requested_, false) == 0;
  calls_.push_back({checked->fetches, is_last, call.done, Counted(metrics_, &Metrics::runs)});
  const auto& pruned = step_->pruned;
  for (size_t fetch = 0; fetch < values_.size(); ++fetch) {
    auto feed = std::ranges::find(pruned.feeds, pruned.fetches[fetch]) - pruned.feeds.begin();
    if (static_cast<size_t>(feed) < fed_.size() && checked->feeds[feed].is_set())
      arrived(fetch, checked->feeds[feed]);
  }
  answer_calls();
  return std::move(checked->feeds);
}

Result<PartialStep::Checked> PartialStep::check(const RunPartially& call) const {
  auto feeds = check_feeds(call);
  if (!feeds) return feeds.status();
  Checked checked{.feeds = *std::move(feeds), .fetches = {}};
  for (const auto& name : call.fetches) {
    auto fetch = index_of(graph_(), step_->pruned.fetches, name);
    if (auto status = check_fetch(name, checked, fetch); !status.ok()) return status;
    checked.fetches.push_back(fetch);
  }
  return checked;
}

Result<Tensors> PartialStep::check_feeds(const RunPartially& call) const {
  Tensors feeds(fed_.size());
  for (const auto& [name, value] : call.feeds) {
    auto feed = index_of(graph_(), step_->pruned.feeds, name);
    if (feed == fed_.size()) return refused("feed", name, not_set_up);
    if (fed_[feed] || feeds[feed].is_set()) return refused("feed", name, "has already been fed");
    auto status = check_feed(graph_(), *step_, static_cast<int>(feed), value);
    if (!status.ok()) return status;
    feeds[feed] = value;
  }
  return feeds;
}

Status PartialStep::check_fetch(
    const std::string& name, const Checked& checked, size_t fetch) const {
  if (fetch == requested_.size()) return refused("fetch", name, not_set_up);
  if (requested_[fetch] || std::ranges::count(checked.fetches, fetch))
    return refused("fetch", name, "has already been fetched");
  auto needed = feeds_needed_by(graph_(), step_->pruned, step_->pruned.fetches[fetch]);
  for (auto feed : needed)
    if (!fed_[feed] && !checked.feeds[feed].is_set())
      return refused("fetch", name, "cannot be computed from the feeds that were fed so far")
          .with_note("it needs feed '" + step_->signature.feeds[feed] + "'");
  return {};
}

bool PartialStep::arrived(size_t fetch, Tensor value) {
  if (has_ended_ || fetch >= arrived_.size() || arrived_[fetch] || !value.is_set()) return false;
  arrived_[fetch] = true;
  values_[fetch] = std::move(value);
  answer_calls();
  return true;
}

void PartialStep::end(const Status& status) {
  if (std::exchange(has_ended_, true)) return;
  error_ = status;
  if (status.ok()) return answer_calls();
  values_.clear();
  for (auto& call : std::exchange(calls_, {})) call.done(status);
}

bool PartialStep::can_answer(const Call& call) const {
  if (call.waits_for_end && !has_ended_) return false;
  return std::ranges::all_of(call.fetches, [this](size_t fetch) { return has(fetch); });
}

void PartialStep::answer_calls() {
  auto waiting =
      std::ranges::stable_partition(calls_, [this](const Call& call) { return !can_answer(call); });
  std::vector<Call> answered(
      std::make_move_iterator(waiting.begin()), std::make_move_iterator(waiting.end()));
  calls_.erase(waiting.begin(), waiting.end());
  for (auto& call : answered) {
    Tensors values;
    for (auto fetch : call.fetches) values.push_back(std::move(values_[fetch]));
    call.done(std::move(values));
  }
}

}  // namespace troupe
