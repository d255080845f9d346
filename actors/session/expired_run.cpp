#include "troupe/actors/session/expired_run.hpp"

namespace troupe {

Status expired_error(std::set<std::string> running, std::set<std::string> compiling) {
  running.merge(compiling);
  std::string message = "the step was not done within its timeout";
  for (const auto& name : running)
    message += (name == *running.begin() ? "; it waits for " : ", ") + name;
  return deadline_exceeded(message);
}

void ExpiredRun::add(const std::vector<Wait>& waits) {
  for (const auto& wait : waits) {
    if (wait.node.empty()) continue;
    error_ = error_.with_note(
        "'" + wait.node + "' (" + wait.op + ") on " + wait.device + " has waited " +
        std::to_string(wait.age.count()) + " ms for " + wait.what);
  }
}

}  // namespace troupe
