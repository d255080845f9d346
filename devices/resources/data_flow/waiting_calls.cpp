#include "troupe/devices/resources/data_flow/waiting_calls.hpp"

#include <algorithm>

#include "troupe/graph/support/check.hpp"

namespace troupe {

uint64_t WaitingCalls::add(int line, Attempt attempt, Done done) {
  CHECK(line < 32);
  calls_.push_back(
      {.number = ++count_, .line = line, .attempt = std::move(attempt), .done = std::move(done)});
  return count_;
}

WaitingCalls::Ended WaitingCalls::run() {
  Ended ended;
  while (attempt_each(ended)) continue;
  return ended;
}

/// Whether one of them did what it wants: that may allow what another wants.
bool WaitingCalls::attempt_each(Ended& ended) {
  bool has_ended = false;
  uint32_t waiting_lines = 0;
  for (auto call = calls_.begin(); call != calls_.end();) {
    auto line = call->line == unordered ? 0u : 1u << call->line;
    auto status = waiting_lines & line ? std::nullopt : call->attempt();
    if (!status) {
      waiting_lines |= line;
      ++call;
      continue;
    }
    has_ended = true;
    ended.add(std::move(call->done), *std::move(status));
    call = calls_.erase(call);
  }
  return has_ended && !calls_.empty();
}

WaitingCalls::Ended WaitingCalls::end(uint64_t number, const Status& why) {
  Ended ended;
  auto call = std::ranges::find(calls_, number, &Call::number);
  if (call == calls_.end()) return ended;
  ended.add(std::move(call->done), why);
  calls_.erase(call);
  return ended;
}

WaitingCalls::Ended WaitingCalls::end_all(const Status& why) {
  Ended ended;
  for (auto& call : std::exchange(calls_, {})) ended.add(std::move(call.done), why);
  return ended;
}

}  // namespace troupe
