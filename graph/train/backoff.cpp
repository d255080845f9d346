#include "troupe/graph/train/backoff.hpp"

#include <algorithm>

#include "troupe/graph/support/text.hpp"

namespace troupe::train {
namespace {

constexpr std::chrono::seconds long_wait(10), between_warnings(60);

}  // namespace

bool is_retryable(const Status& status) {
  return status.code() == Code::unavailable || status.code() == Code::aborted;
}

void Backoff::begin() {
  start_ = host_.now();
  delay_ = options_.first_delay;
  next_warning_ = *start_ + long_wait;
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
  warn_of_long_wait(why);
  host_.log("trying again in " + std::to_string(shown) + " ms: " + why.to_string());
  if (!host_.wait(delay)) return cancelled("told to stop while waiting: " + why.message());
  delay_ = std::min<Host::Time>(2 * delay_, options_.delay_max);
  return {};
}

void Backoff::warn_of_long_wait(const Status& why) {
  if (host_.now() < next_warning_) return;
  next_warning_ = host_.now() + between_warnings;
  auto waited = std::chrono::duration_cast<std::chrono::seconds>(host_.now() - *start_);
  host_.warn(
      "still waiting, since " + seconds_text(waited) + ": " + why.to_string() +
      ": gives up after " + seconds_text(options_.give_up_after));
}

}  // namespace troupe::train
