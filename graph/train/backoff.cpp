#include "troupe/graph/train/backoff.hpp"

#include <algorithm>

#include "troupe/graph/support/text.hpp"

namespace troupe::train {

bool is_retryable(const Status& status) {
  return status.code() == Code::unavailable || status.code() == Code::aborted;
}

void Backoff::begin() {
  start_ = host_.now();
  delay_ = options_.first_delay;
}

Host::Time Backoff::time_left() const {
  return (start_ ? *start_ : host_.now()) + options_.give_up_after - host_.now();
}

std::chrono::milliseconds Backoff::attempt_limit() const {
  if (options_.give_up_after.count() == 0) return {};
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(time_left()), attempt_min);
}

bool Backoff::may_wait_after(const Status& status) const {
  if (is_retryable(status)) return true;
  return status.code() == Code::deadline_exceeded && options_.give_up_after.count() > 0 &&
         time_left() <= Host::Time(0);
}

Status Backoff::wait(const Status& why) {
  if (options_.give_up_after.count() == 0) return why;
  if (!start_) begin();
  auto left = time_left();
  if (left <= Host::Time(0))
    return deadline_exceeded(
               "gave up after " + seconds_text(options_.give_up_after) + ": " + why.message())
        .at(why.where());
  auto delay = std::min<Host::Time>(delay_, left);
  auto shown = std::chrono::ceil<std::chrono::milliseconds>(delay).count();
  host_.log("trying again in " + std::to_string(shown) + " ms: " + why.to_string());
  if (!host_.wait(delay)) return cancelled("told to stop while waiting: " + why.message());
  delay_ = std::min<Host::Time>(2 * delay_, options_.delay_max);
  return {};
}

}  // namespace troupe::train
