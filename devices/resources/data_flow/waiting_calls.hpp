#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Calls that wait until the state of a resource allows what they want to do. Each is in a line:
/// those of a line are attempted in the order in which they began, and one that has to wait keeps
/// back those behind it. The mutex that guards the state guards this, too.
class WaitingCalls {
 public:
  /// Does what the call wants, or changes nothing and returns nothing, as it has to wait.
  using Attempt = std::function<std::optional<Status>()>;
  using Done = std::function<void(Status)>;

  /// The calls of this line do not keep each other back.
  static constexpr int unordered = -1;

  /// Calls that have ended, and how. To be reported when the mutex is free: what follows may use
  /// the resource.
  class Ended {
   public:
    void add(Done done, Status status) { calls_.emplace_back(std::move(done), std::move(status)); }
    void add(Ended other) {
      for (auto& [done, status] : other.calls_) add(std::move(done), std::move(status));
    }
    void report() {
      for (auto& [done, status] : std::exchange(calls_, {})) done(std::move(status));
    }

   private:
    std::vector<std::pair<Done, Status>> calls_;
  };

  /// Returns the call's number, which is never 0. It is attempted by run(). `line`: up to 31.
  uint64_t add(int line, Attempt attempt, Done done);
  /// Attempts all, until none can do what it wants.
  Ended run();
  /// Ends that one, if it still waits.
  Ended end(uint64_t call, const Status& why);
  Ended end_all(const Status& why);

 private:
  struct Call {
    uint64_t number;
    int line;
    Attempt attempt;
    Done done;
  };

  bool attempt_each(Ended& ended);

  std::list<Call> calls_;
  uint64_t count_ = 0;
};

}  // namespace troupe
