#include "troupe/apps/swarm/oracle/accumulator_model.hpp"

#include <algorithm>

namespace troupe::swarm {

int64_t AccumulatorModel::begin_apply(bool is_of_first_step, sim::Time now) {
  CHECK(has_place());
  Gradient gradient;
  gradient.began = now;
  gradient.is_of_first_step = is_of_first_step;
  gradient.may_be_lost = is_doubtful_;
  gradients_.push_back(gradient);
  return std::ssize(gradients_) - 1;
}

void AccumulatorModel::end_apply(int64_t place, bool ok, sim::Time ended) {
  gradients_[static_cast<size_t>(place)].end(ended, ok);
}

size_t AccumulatorModel::begin_take(int64_t required, sim::Time now) {
  Take take;
  take.began = now;
  take.required = required;
  takes_.push_back(take);
  return takes_.size() - 1;
}

std::string AccumulatorModel::end_take(
    size_t take, const std::map<int64_t, double>& sum, sim::Time ended) {
  auto& taken = takes_[take];
  taken.succeed(ended);
  auto count = std::ssize(sum);
  if (count < taken.required)
    return named("AM-2", "gave the sum of " + std::to_string(count) + " gradients");
  // The mean of a row is that of the gradients that have it.
  auto is_divided = accumulator_.is_mean && !accumulator_.is_sparse;
  auto share = is_divided ? 1 / static_cast<double>(count) : 1;
  for (auto [place, part] : sum) {
    if (auto wrong = check_gradient(place, taken); !wrong.empty()) return wrong;
    if (std::abs(part - share) > 1e-9)
      return named(
          "AM-1", "gave gradient " + std::to_string(place) + " " + std::to_string(part) +
                      " times, not " + std::to_string(share));
    gradients_[static_cast<size_t>(place)].is_taken = true;
    gradients_[static_cast<size_t>(place)].taken_at = ended;
  }
  return "";
}

std::string AccumulatorModel::check_gradient(int64_t place, const Take& take) const {
  auto text = "gave gradient " + std::to_string(place);
  if (place < 0 || place >= std::ssize(gradients_))
    return named("AM-1", text + ", which nobody has applied");
  const auto& gradient = gradients_[static_cast<size_t>(place)];
  if (gradient.is_taken) return named("AM-1", text + " twice");
  if (gradient.is_gone_before(take)) return named("AM-1", text + ", which was lost");
  if (is_stale(gradient)) return named("AM-4", text + ", which was stale");
  return "";
}

/// Whether something was taken before it was applied, since the accumulator is there.
bool AccumulatorModel::is_stale(const Gradient& gradient) const {
  return gradient.is_of_first_step && !is_doubtful_ &&
         std::ranges::any_of(takes_, [&](const Take& take) {
           return take.is_done_before(gradient) && take.began > lost_at_;
         });
}

void AccumulatorModel::fail_take(size_t take, sim::Time ended) {
  takes_[take].fail(ended, has_faults_);
}

void AccumulatorModel::lose(sim::Time from, sim::Time to, bool surely) {
  for (auto& gradient : gradients_) gradient.lose(from, to, surely);
  lost_at_ = to;
  if (!surely) is_doubtful_ = true;
}

void AccumulatorModel::settle(sim::Time now) {
  for (auto& take : takes_) take.settle(now);
}

bool AccumulatorModel::may_have_taken(const Take& take) const {
  if (take.state != CallSpan::State::failed) return false;
  auto may_be_there = [&](const Gradient& gradient) {
    auto was_taken = gradient.is_taken && gradient.taken_at < take.began;
    return gradient.began <= take.settled && !was_taken && !gradient.is_gone_before(take);
  };
  return std::ranges::count_if(gradients_, may_be_there) >= take.required;
}

std::string AccumulatorModel::check_drained() const {
  for (const auto& gradient : gradients_) {
    if (!gradient.is_done() || gradient.is_of_first_step || gradient.may_be_lost ||
        gradient.is_taken)
      continue;
    auto may_have_it = [&](const Take& take) {
      return may_have_taken(take) && take.settled >= gradient.began;
    };
    if (std::ranges::none_of(takes_, may_have_it))
      return named("AM-3", "has lost gradient " + std::to_string(&gradient - gradients_.data()));
  }
  return "";
}

std::string AccumulatorModel::named(const char* invariant, const std::string& text) const {
  return std::string(invariant) + ": " + accumulator_.name + " " + text;
}

}  // namespace troupe::swarm
