#include "troupe/actors/runner/runner_messages.hpp"

#include <caf/sec.hpp>

#include "troupe/actors/node_serialization.hpp"

namespace troupe {
namespace {

template <class Enum>
caf::error read_enum(caf::deserializer& source, Enum& value, Enum last) {
  uint8_t number = 0;
  if (auto error = source(number)) return error;
  value = static_cast<Enum>(number);
  if (value <= last) return {};
  return caf::make_error(caf::sec::invalid_argument, "no such number in an enumeration");
}

}  // namespace

caf::error inspect(caf::serializer& sink, ListedRunner& value) {
  auto state = static_cast<uint8_t>(value.state);
  auto age_ms = static_cast<int64_t>(value.age.count());
  return sink(
      value.name, value.task, state, age_ms, value.steps, value.failures, value.last_error,
      value.status);
}

caf::error inspect(caf::deserializer& source, ListedRunner& value) {
  int64_t age_ms = 0;
  if (auto error = source(value.name, value.task)) return error;
  if (auto error = read_enum(source, value.state, last_runner_state)) return error;
  auto error = source(age_ms, value.steps, value.failures, value.last_error, value.status);
  value.age = std::chrono::milliseconds(age_ms);
  return error;
}

caf::error inspect(caf::serializer& sink, ControlTaskRunner& value) {
  auto action = static_cast<uint8_t>(value.action);
  return sink(value.name, action);
}

caf::error inspect(caf::deserializer& source, ControlTaskRunner& value) {
  if (auto error = source(value.name)) return error;
  return read_enum(source, value.action, last_runner_action);
}

}  // namespace troupe
