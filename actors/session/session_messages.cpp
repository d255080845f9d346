#include "troupe/actors/session/session_messages.hpp"

namespace troupe {

caf::error inspect(caf::serializer& sink, ListedSession& value) {
  auto age_ms = static_cast<int64_t>(value.age.count());
  return sink(
      value.id, value.task, value.client, value.runner, age_ms, value.nodes, value.running_steps,
      value.steps);
}

caf::error inspect(caf::deserializer& source, ListedSession& value) {
  int64_t age_ms = 0;
  auto error = source(
      value.id, value.task, value.client, value.runner, age_ms, value.nodes, value.running_steps,
      value.steps);
  value.age = std::chrono::milliseconds(age_ms);
  return error;
}

}  // namespace troupe
