#include "troupe/actors/session/expired_run.hpp"

namespace troupe {

void ExpiredRun::add(const std::vector<Wait>& waits) {
  for (const auto& wait : waits) {
    if (wait.node.empty()) continue;
    error_ = error_.with_note(
        "'" + wait.node + "' (" + wait.op + ") on " + wait.device + " has waited " +
        std::to_string(wait.age.count()) + " ms for " + wait.what);
  }
}

}  // namespace troupe
