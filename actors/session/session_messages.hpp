#pragma once

#include <vector>

#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/serializer.hpp>

#include "troupe/graph/cluster/session_list.hpp"

namespace troupe {

// The messages between tasks about sessions; part of `node_messages.hpp`.

/// Asks a task for the sessions that it is the master of.
struct ListTaskSessions {};
struct TaskSessions {
  std::vector<ListedSession> sessions;
};

caf::error inspect(caf::serializer& sink, ListedSession& value);
caf::error inspect(caf::deserializer& source, ListedSession& value);

template <class Inspector>
auto inspect(Inspector& f, ListTaskSessions&) {
  return f(caf::meta::type_name("ListTaskSessions"));
}
template <class Inspector>
auto inspect(Inspector& f, TaskSessions& x) {
  return f(caf::meta::type_name("TaskSessions"), x.sessions);
}

}  // namespace troupe
