#pragma once

#include <list>
#include <vector>

#include "troupe/apps/swarm/oracle/failure_oracle.hpp"
#include "troupe/apps/swarm/workload/client.hpp"

namespace troupe::swarm {

/// What a step feeds, fetches and runs.
struct StepRequest {
  std::vector<Feed> feeds;
  std::vector<Ref> fetches;
  std::vector<Ref> targets;
  RunOptions options = {};
};

/// A step of a client that was started, and maybe has ended.
class ClientStep {
 public:
  ClientStep(sim::Cluster& cluster, Client& client, const StepRequest& request)
      : client_(&client),
        session_(client.session()),
        session_number_(client.session_number()),
        has_timeout_(request.options.timeout.count() > 0),
        began_(cluster.now()),
        call_(session_.start(request.feeds, request.fetches, request.targets, request.options)) {}

  Client& client() const { return *client_; }
  const sim::Call& call() const { return call_; }
  sim::Time began() const { return began_; }

  void cancel() {
    was_cancelled_ = true;
    session_.cancel(call_);
  }
  /// Of a step that has failed: the client drops a session that a reset has closed.
  void drop_closed_session() const {
    if (session_.is_closed() && uses_present_session()) client_->lose_session();
  }
  /// What may explain the failure of the step. `resources_lost`: by a reset.
  CallConditions conditions(bool resources_lost) const {
    return {
        .time = call_.ended_at(),
        .has_timeout = has_timeout_,
        .was_cancelled = was_cancelled_ || !uses_present_session(),
        .variables_lost = resources_lost};
  }

 private:
  bool uses_present_session() const {
    return client_->has_session() && client_->session_number() == session_number_;
  }

  Client* client_;
  sim::Session session_;
  int session_number_;
  bool has_timeout_;
  bool was_cancelled_ = false;
  sim::Time began_;
  sim::Call call_;
};

/// Takes out of a list the attempts whose steps have ended, in the order of their ends.
template <class Attempt>
std::list<Attempt> take_ended(std::list<Attempt>& attempts) {
  std::list<Attempt> ended;
  for (auto next = attempts.begin(); next != attempts.end();) {
    auto attempt = next++;
    if (attempt->step.call().is_done()) ended.splice(ended.end(), attempts, attempt);
  }
  ended.sort([](const Attempt& a, const Attempt& b) {
    return a.step.call().ended_at() < b.step.call().ended_at();
  });
  return ended;
}

}  // namespace troupe::swarm
