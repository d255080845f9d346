#include <algorithm>

#include "troupe/devices/resources/queue/queue.hpp"
#include "troupe/graph/support/text.hpp"

// What is told of a queue: in lists of resources, and where a step that waits for it is explained.

namespace troupe {
namespace {

// More of those who wait are not named.
constexpr size_t described_max = 3;

/// "; the last enqueue was 14.0 s ago, of 30 elements in all, 0.0 a second of late".
std::string activity_text(
    const char* what, const QueueActivity& activity, std::chrono::nanoseconds now) {
  if (!activity.latest()) return std::string("; there was no ") + what;
  return std::string("; the last ") + what + " was " + seconds_text(now - *activity.latest()) +
         " ago, of " + std::to_string(activity.total()) + " elements in all, " +
         decimal_text(activity.per_second(now)) + " a second of late";
}

QueueTraffic traffic_of(
    const QueueActivity& activity, const auto& waiting, std::chrono::nanoseconds now) {
  auto since = [now](std::chrono::nanoseconds then) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::max(now, then) - then);
  };
  QueueTraffic traffic{
      .elements = activity.total(),
      .per_second = activity.per_second(now),
      .waiting = static_cast<int64_t>(waiting.size())};
  if (activity.latest()) traffic.idle = since(*activity.latest());
  for (size_t i = 0; i < std::min(waiting.size(), QueueTraffic::waiters_max); ++i)
    traffic.waiters.push_back({waiting[i].by.to_string(), since(waiting[i].since)});
  return traffic;
}

std::string count_text(auto count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

Resource::Description QueueResource::describe() const {
  std::lock_guard lock(mutex_);
  return {.dtype = spec_.dtypes[0], .shape = {elements_->size()}, .bytes = elements_->bytes()};
}

std::optional<QueueUse> QueueResource::queue_use(std::chrono::nanoseconds now) const {
  std::lock_guard lock(mutex_);
  return QueueUse{
      .capacity = spec_.capacity == QueueSpec::unbounded ? -1 : spec_.capacity,
      .enqueues = traffic_of(enqueued_, producers_, now),
      .dequeues = traffic_of(dequeued_, consumers_, now)};
}

std::string QueueResource::state() const {
  std::lock_guard lock(mutex_);
  auto text = std::string(to_string(spec_.kind)) + " '" + spec_.name + "' has " +
              std::to_string(elements_->size());
  if (spec_.capacity != QueueSpec::unbounded) text += " of " + std::to_string(spec_.capacity);
  text += " elements";
  if (spec_.capacity_bytes > 0)
    text += ", " + std::to_string(elements_->bytes()) + " bytes of " +
            std::to_string(spec_.capacity_bytes);
  if (spec_.min_after_dequeue > 0)
    text += ", and keeps " + std::to_string(spec_.min_after_dequeue) + " while it is open";
  if (is_closed_) text += "; it is closed";
  text += "; " + count_text(producers_.size(), "enqueue") + " and " +
          count_text(consumers_.size(), "dequeue") + " wait";
  if (attached_producers_ + attached_consumers_ > 0)
    text += "; " + count_text(attached_producers_.load(), "producer") + " and " +
            count_text(attached_consumers_.load(), "consumer") + " are attached";
  return text + describe_waiting();
}

/// Who waits, and what went in and came out until now: by the clock of the first who waits.
std::string QueueResource::describe_waiting() const {
  const auto* by = !consumers_.empty()   ? &consumers_.front().by
                   : !producers_.empty() ? &producers_.front().by
                                         : nullptr;
  if (!by || !by->step) return "";
  auto now = by->now();
  std::string text;
  auto add = [&](const auto& waiting, const char* what) {
    for (size_t i = 0; i < std::min(waiting.size(), described_max); ++i)
      text += "; " + waiting[i].by.to_string() + " has waited " +
              seconds_text(now - waiting[i].since) + " " + what;
  };
  add(producers_, "to put in");
  add(consumers_, "to take out");
  return text + activity_text("enqueue", enqueued_, now) + activity_text("dequeue", dequeued_, now);
}

}  // namespace troupe
