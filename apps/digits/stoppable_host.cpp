#include "troupe/apps/digits/stoppable_host.hpp"

#include <algorithm>
#include <cstdio>

namespace troupe::digits {

bool StoppableHost::wait(Time time) {
  constexpr Time poll_period = std::chrono::milliseconds(20);
  for (auto end = now() + time; !is_stopped() && now() < end;)
    machine_.wait(std::min(poll_period, end - now()));
  return !is_stopped();
}

void StoppableHost::log(const std::string& message) {
  std::fprintf(stderr, "digits: %s\n", message.c_str());
}

}  // namespace troupe::digits
