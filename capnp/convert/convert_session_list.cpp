#include "troupe/capnp/convert/convert_session_list.hpp"

#include "troupe/capnp/convert/convert.hpp"
#include "troupe/capnp/convert/convert_tensor.hpp"

namespace troupe {

void fill(rpc::Master::ListSessionsResults::Builder to, const SessionList& list) {
  auto sessions = to.initSessions(static_cast<unsigned>(list.sessions.size()));
  for (unsigned i = 0; i < list.sessions.size(); ++i) {
    const auto& session = list.sessions[i];
    sessions[i].setId(session.id);
    sessions[i].setTask(session.task);
    sessions[i].setClient(session.client);
    sessions[i].setRunner(session.runner);
    sessions[i].setAgeMs(static_cast<uint64_t>(session.age.count()));
    sessions[i].setNodes(session.nodes);
    sessions[i].setRunningSteps(session.running_steps);
    sessions[i].setSteps(session.steps);
  }
  auto missing = to.initMissing(static_cast<unsigned>(list.missing.size()));
  for (unsigned i = 0; i < list.missing.size(); ++i) fill(missing[i], list.missing[i]);
}

Result<SessionList> to_session_list(rpc::Master::ListSessionsResults::Reader from) {
  return checked([from]() -> Result<SessionList> {
    SessionList list;
    for (auto session : from.getSessions())
      list.sessions.push_back(
          {.id = session.getId(),
           .task = session.getTask().cStr(),
           .client = session.getClient().cStr(),
           .runner = session.getRunner().cStr(),
           .age = std::chrono::milliseconds(session.getAgeMs()),
           .nodes = session.getNodes(),
           .running_steps = session.getRunningSteps(),
           .steps = session.getSteps()});
    for (auto status : from.getMissing()) list.missing.push_back(to_status(status));
    return list;
  });
}

}  // namespace troupe
