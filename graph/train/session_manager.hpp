#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "troupe/graph/train/backoff.hpp"
#include "troupe/graph/train/saver.hpp"

namespace troupe::train {

/// Connects, and opens a session with an empty graph.
using OpenSession = std::function<Result<std::unique_ptr<BasicSession>>()>;

/// What a training needs of its graph before the first step of a session. Its nodes are added to
/// the builder, as the Saver's are.
struct Scaffold {
  /// For all variables that the builder has.
  explicit Scaffold(Builder builder);

  Builder builder;
  /// Those that must have values; each has its own initializer.
  std::vector<Variable> variables;
  Values is_initialized;
  /// Run in each session, by the chief and all others, before anything else.
  std::vector<Ref> local_init;
  /// Without these, what is lost begins anew.
  std::shared_ptr<Saver> saver;
  std::string checkpoint_folder;
};

/// Opens sessions whose variables have values. The chief gives them those: what is lost comes from
/// the latest checkpoint that is whole, or from the initializers where there is none; variables
/// that have values keep them, so a task that restarts never takes the others back with it. All
/// others wait for the chief.
class SessionManager {
 public:
  /// The host must outlive the manager.
  SessionManager(OpenSession open, Scaffold scaffold, Host& host, RetryOptions retry = {});

  /// For the chief.
  Result<std::unique_ptr<BasicSession>> prepare_session();
  /// For all others.
  Result<std::unique_ptr<BasicSession>> wait_for_session();

  // One attempt of each; Unavailable, also where the variables have no values yet, and Aborted are
  // worth another.
  Result<std::unique_ptr<BasicSession>> try_to_prepare_session();
  Result<std::unique_ptr<BasicSession>> try_to_find_ready_session();

  /// The variables that have no value.
  Result<std::set<std::string>> uninitialized(BasicSession& session) const;

 private:
  using Attempt = Result<std::unique_ptr<BasicSession>> (SessionManager::*)();

  Result<std::unique_ptr<BasicSession>> repeat(Attempt attempt);
  Result<std::unique_ptr<BasicSession>> open() const;
  Status recover(BasicSession& session, const std::set<std::string>& lost);
  Status restore(BasicSession& session, const std::set<std::string>& lost);
  Status initialize(BasicSession& session, const std::set<std::string>& lost) const;

  OpenSession open_;
  Scaffold scaffold_;
  Host& host_;
  RetryOptions retry_;
};

}  // namespace troupe::train
