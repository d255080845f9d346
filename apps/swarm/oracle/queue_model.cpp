#include "troupe/apps/swarm/oracle/queue_model.hpp"

#include <algorithm>

namespace troupe::swarm {

// -- what clients tell

size_t QueueModel::begin_put(int64_t count, sim::Time now) {
  Put put;
  put.began = now;
  put.first = next_number_;
  put.count = count;
  put.may_be_lost = is_doubtful_;
  next_number_ += count;
  puts_.push_back(put);
  return puts_.size() - 1;
}

std::string QueueModel::end_put(size_t put, bool ok, sim::Time ended) {
  puts_[put].end(ended, ok);
  if (!ok) return "";
  if (is_surely_closed() && *closed_at_ < puts_[put].began)
    return named("QM-5", "took an element after it was closed");
  return check_capacity();
}

size_t QueueModel::begin_take(int64_t count, bool may_be_less, sim::Time now) {
  Take take;
  take.began = now;
  take.count = count;
  take.may_be_less = may_be_less;
  takes_.push_back(take);
  return takes_.size() - 1;
}

std::string QueueModel::end_take(
    size_t take, const std::vector<int64_t>& numbers, sim::Time ended) {
  auto& taken = takes_[take];
  taken.succeed(ended);
  auto count = std::ssize(numbers);
  auto is_less = taken.may_be_less && may_be_closed() && 0 < count && count < taken.count;
  if (count != taken.count && !is_less)
    return named("QM-4", "gave " + std::to_string(count) + " elements");
  taken.count = count;
  for (auto number : numbers) {
    if (auto wrong = check_element(number, taken); !wrong.empty()) return wrong;
    if (!taken.is_uncommitted || !delivered_.contains(number)) delivered_[number] = take;
  }
  auto wrong = check_order(numbers, taken);
  return wrong.empty() ? check_kept(taken) : wrong;
}

void QueueModel::fail_take(size_t take, Failure failure, sim::Time ended) {
  takes_[take].fail(ended, has_faults_);
  takes_[take].takes_nothing = failure == Failure::takes_nothing && !takes_[take].holds_more;
  takes_[take].may_lose = failure == Failure::may_lose;
}

void QueueModel::end_close(sim::Time began, sim::Time ended) {
  if (began > lost_at_) closed_at_ = ended;
}

void QueueModel::lose(sim::Time from, sim::Time to, bool surely) {
  for (auto& put : puts_) put.lose(from, to, surely);
  lost_at_ = to;
  closed_at_.reset();
  if (!surely) is_doubtful_ = true;
}

void QueueModel::settle(sim::Time now) {
  for (auto& take : takes_) take.settle(now);
}

// -- what follows

const QueueModel::Put* QueueModel::find_put(int64_t number) const {
  auto found = std::ranges::find_if(puts_, [number](const Put& put) { return put.has(number); });
  return found == puts_.end() ? nullptr : &*found;
}

int64_t QueueModel::payload_length(int64_t number) const {
  const auto* put = find_put(number);
  return queue_.kind == SharedQueue::Kind::padding_fifo && put ? 1 + put->first % 3 : 2;
}

/// Whether that one was surely put in before the other.
bool QueueModel::is_before(int64_t one, int64_t other) const {
  const auto *put = find_put(one), *later = find_put(other);
  return put == later ? one < other : put->is_done_before(*later);
}

/// Whether that one comes first where both come out together.
bool QueueModel::must_come_before(int64_t one, int64_t other) const {
  if (queue_.is_fifo()) return is_before(one, other);
  if (queue_.kind != SharedQueue::Kind::priority) return false;
  if (priority(one) != priority(other)) return priority(one) < priority(other);
  return is_before(one, other);
}

/// Whether a step that has failed, or will, may have held an element while that one took others.
bool QueueModel::may_have_been_held(const Take& during) const {
  return std::ranges::any_of(takes_, [&](const Take& take) {
    return take.may_have_held() && take.began <= during.ended && take.settled >= during.began;
  });
}

/// The most elements that the queue may have had at a moment of that take, with its own.
int64_t QueueModel::most_during(const Take& take) const {
  int64_t most = 0;
  auto end = take.is_done() ? take.ended : take.settled;
  for (const auto& put : puts_)
    for (auto number = put.first; number < put.first + put.count; ++number) {
      auto taken = delivered_.find(number);
      auto was_taken = taken != delivered_.end() && !takes_[taken->second].is_uncommitted &&
                       takes_[taken->second].is_done_before(take);
      most += put.began <= end && !was_taken && !put.is_gone_before(take);
    }
  return most;
}

bool QueueModel::may_have_lost(const Take& take) const {
  if (take.state != CallSpan::State::failed || !take.may_lose) return false;
  auto least = take.may_be_less && may_be_closed() ? 1 : take.count;
  return most_during(take) >= least;
}

// -- words

std::string QueueModel::describe_put(size_t put) const {
  const auto& [first, count] = std::pair(puts_[put].first, puts_[put].count);
  auto text = "element " + std::to_string(first);
  return count == 1 ? text : text + " to " + std::to_string(first + count - 1);
}

std::string QueueModel::describe_take(size_t take) const {
  std::string numbers;
  for (auto [number, by] : delivered_)
    if (by == take) numbers += " " + std::to_string(number);
  return (takes_[take].may_be_less ? "up to " : "") + std::to_string(takes_[take].count) +
         (numbers.empty() ? "" : ", which are" + numbers);
}

// -- checks

std::string QueueModel::named(const char* invariant, const std::string& text) const {
  return std::string(invariant) + ": " + queue_.name + " " + text;
}

std::string QueueModel::check_element(int64_t number, const Take& take) const {
  const auto* put = find_put(number);
  auto element = "element " + std::to_string(number);
  if (!put) return named("QM-1", "gave " + element + ", which nobody has put in");
  auto before = delivered_.find(number);
  if (before != delivered_.end() && !takes_[before->second].is_uncommitted && !take.is_uncommitted)
    return named("QM-1", "gave " + element + " twice");
  if (put->is_gone_before(take)) return named("QM-5", "gave " + element + ", which was lost");
  return "";
}

std::string QueueModel::check_order(const std::vector<int64_t>& numbers, const Take& take) const {
  auto wrong = [&](int64_t first, int64_t second) {
    return named(
        "QM-3", "gave element " + std::to_string(second) + " before " + std::to_string(first));
  };
  for (size_t i = 0; i < numbers.size(); ++i)
    for (size_t j = i + 1; j < numbers.size(); ++j)
      if (must_come_before(numbers[j], numbers[i])) return wrong(numbers[j], numbers[i]);
  if (!queue_.is_fifo()) return "";
  for (auto [other, index] : delivered_) {
    if (!takes_[index].is_done_before(take) || may_have_been_held(takes_[index])) continue;
    for (auto number : numbers)
      if (is_before(number, other)) return wrong(number, other);
  }
  return "";
}

/// That a random queue has kept what it has to.
std::string QueueModel::check_kept(const Take& take) const {
  if (may_be_closed() || most_during(take) - take.count >= queue_.min_after_dequeue) return "";
  return named("QM-4", "has less than " + std::to_string(queue_.min_after_dequeue) + " left");
}

/// That those which are surely in it are not too many. What a step has put back may be too much;
/// one that waited for more elements than there were has put back all but one, at most.
std::string QueueModel::check_capacity() const {
  if (std::ranges::any_of(takes_, &Take::holds_more)) return "";
  int64_t in = 0;
  for (const auto& put : puts_)
    if (put.is_done() && !put.may_be_lost) in += put.count;
  for (auto [number, take] : delivered_) {
    const auto* put = find_put(number);
    in -= put->is_done() && !put->may_be_lost;
  }
  for (const auto& take : takes_)
    if (!take.is_done()) in -= take.takes_nothing ? take.count - 1 : take.count;
  if (in <= queue_.capacity) return "";
  return named("QM-4", "has " + std::to_string(in) + " elements or more");
}

std::string QueueModel::check_drained() const {
  int64_t lost = 0, excused = 0;
  for (const auto& take : takes_)
    if (may_have_lost(take)) excused += take.count;
  for (const auto& put : puts_) {
    if (!put.is_done() || put.may_be_lost) continue;
    for (auto number = put.first; number < put.first + put.count; ++number) {
      if (delivered_.contains(number)) continue;
      auto may_have_it = [&](const Take& take) {
        return may_have_lost(take) && take.settled >= put.began;
      };
      if (++lost > excused || std::ranges::none_of(takes_, may_have_it))
        return named("QM-2", "has lost element " + std::to_string(number));
    }
  }
  return "";
}

}  // namespace troupe::swarm
