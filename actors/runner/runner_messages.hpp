#pragma once

#include <vector>

#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/serializer.hpp>

#include "troupe/graph/cluster/runner.hpp"

namespace troupe {

// The messages between tasks about runners; part of `node_messages.hpp`.

/// Asks a task for its runners.
struct ListTaskRunners {};
struct TaskRunners {
  std::vector<ListedRunner> runners;
};

/// Pauses, resumes or stops a runner of a task. NotFound: the task has none of that name.
struct ControlTaskRunner {
  ResourceName name;
  RunnerAction action = RunnerAction::pause;
};

caf::error inspect(caf::serializer& sink, ListedRunner& value);
caf::error inspect(caf::deserializer& source, ListedRunner& value);
caf::error inspect(caf::serializer& sink, ControlTaskRunner& value);
caf::error inspect(caf::deserializer& source, ControlTaskRunner& value);

template <class Inspector>
auto inspect(Inspector& f, ListTaskRunners&) {
  return f(caf::meta::type_name("ListTaskRunners"));
}
template <class Inspector>
auto inspect(Inspector& f, TaskRunners& x) {
  return f(caf::meta::type_name("TaskRunners"), x.runners);
}

}  // namespace troupe
