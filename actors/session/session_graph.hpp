#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "troupe/actors/session/session_protocol.hpp"
#include "troupe/graph/graph.hpp"

namespace troupe {

/// The graph of a session. A large extension is checked beside the session actor
/// (World::run_in_background); the calls that come after it wait for it. Belongs to the session
/// actor.
///
/// A graph that something else holds is never changed, but replaced by a larger one.
class SessionGraph {
 public:
  /// Goes on with a call, or answers it with an error.
  using Proceed = std::function<void(const Status&)>;

  ~SessionGraph() { cancel_all(cancelled("the session has ended")); }

  /// The settings must outlive it. With each extension their view becomes the latest.
  void begin(SessionProtocol::pointer self, SessionSettings& settings);

  const Graph& operator*() const { return *graph_; }
  std::shared_ptr<const Graph> shared() const { return graph_; }

  void update_view(const ClusterChanged& change);
  /// Answers the call, now or when the extension has ended. None may be under way.
  void extend(Extend& call);

  bool is_extending() const { return extended_ != nullptr; }
  /// Has a call wait for the extension that is under way.
  void hold(CallId call, Proceed proceed) { held_.push_back({call, std::move(proceed)}); }
  /// Answers a call that waits. False: it does not.
  bool cancel(CallId call, const Status& why);
  /// Ends the extension, and answers it and all calls that wait.
  void cancel_all(const Status& why);

 private:
  struct Held {
    CallId call;
    Proceed proceed;
  };

  void extend_in_background(Extend& call);
  void finish(Result<std::shared_ptr<Graph>> extended);
  void was_extended();

  SessionProtocol::pointer self_ = nullptr;
  SessionSettings* settings_ = nullptr;
  std::shared_ptr<PlacementView> next_view_;  // used from the next extension on
  std::shared_ptr<Graph> graph_;
  DoneStatus extended_;  // of the extension that is under way
  uint64_t extensions_ = 0;
  std::deque<Held> held_;
};

}  // namespace troupe
