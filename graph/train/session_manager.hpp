#pragma once

#include <chrono>
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

/// The parts of a graph that training needs before the first step of a session. Its nodes are added
/// to the builder, as the Saver's are.
struct Scaffold {
  /// For all variables that the builder has.
  explicit Scaffold(Builder builder);

  Builder builder;
  /// The variables that must have values; each has its own initializer.
  std::vector<Variable> variables;
  Values is_initialized;
  /// Run in each session, by the chief and all others, before anything else.
  std::vector<Ref> local_init;
  /// If not set, variables without values are initialized instead of restored.
  std::shared_ptr<Saver> saver;
  std::string checkpoint_folder;
  /// What the chief's first session does with variables that have values.
  enum class Start {
    adopt,   // keeps them, of a program before this one, and tells it in the log
    resume,  // keeps them: this program gave them
    anew,    // initializes all
  };
  Start start = Start::adopt;
};

/// Opens sessions whose variables have values. The chief restores variables without values from the
/// latest complete checkpoint, or initializes them if there is none. Variables that have values
/// keep them, so that the restart of one task does not roll back the others; that all have values
/// when the chief starts is told in its log. All other workers wait for the chief.
class SessionManager {
 public:
  /// The host must outlive the manager.
  SessionManager(OpenSession open, Scaffold scaffold, Host& host, RetryOptions retry = {});

  /// For the chief.
  Result<std::unique_ptr<BasicSession>> prepare_session();
  /// For all other workers.
  Result<std::unique_ptr<BasicSession>> wait_for_session();

  // One attempt of each. Unavailable (also if variables have no values yet) and Aborted are
  // retryable. After the limit it does not wait any longer for tasks that do not tell whether their
  // variables have values: DeadlineExceeded; 0: no limit.
  Result<std::unique_ptr<BasicSession>> try_to_prepare_session(std::chrono::milliseconds limit);
  Result<std::unique_ptr<BasicSession>> try_to_find_ready_session(std::chrono::milliseconds limit);

  /// The variables that have no value.
  Result<std::set<std::string>> uninitialized(
      BasicSession& session, std::chrono::milliseconds limit = {}) const;

 private:
  using Attempt =
      Result<std::unique_ptr<BasicSession>> (SessionManager::*)(std::chrono::milliseconds);

  Result<std::unique_ptr<BasicSession>> repeat(Attempt attempt);
  /// What is left of an attempt's limit (0: none) that began at `start`.
  std::chrono::milliseconds left_of(std::chrono::milliseconds limit, Host::Time start) const;
  Result<std::unique_ptr<BasicSession>> open() const;
  Status begin(BasicSession& session, const std::set<std::string>& lost);
  Status recover(BasicSession& session, const std::set<std::string>& lost);
  Status restore(BasicSession& session, const std::set<std::string>& lost);
  Status initialize(BasicSession& session, const std::set<std::string>& lost) const;

  OpenSession open_;
  Scaffold scaffold_;
  Host& host_;
  RetryOptions retry_;
  bool is_started_ = false;
};

}  // namespace troupe::train
