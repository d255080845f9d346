#pragma once

#include <kj/async.h>

#include <caf/execution_unit.hpp>
#include <deque>
#include <memory>

#include "troupe/capnp/server/inbox.hpp"

namespace troupe {

/// The thread of a KJ event loop as an execution unit of CAF: actors that a call wakes run right on
/// the thread that took the call, and its answer needs no hop between threads. Made and used on
/// that thread; what is left when it is destroyed goes to CAF's own threads.
class KjUnit final : public caf::execution_unit, private kj::TaskSet::ErrorHandler {
 public:
  /// `inbox` is the one of this thread's loop.
  KjUnit(caf::actor_system& system, std::shared_ptr<Inbox> inbox);
  ~KjUnit() noexcept override;

  /// For CAF, which may call it while drain() runs an actor.
  void exec_later(caf::resumable* job) override;

  /// Runs the actors that are ready, up to a bound; those beyond it have their turn after the
  /// sockets.
  void drain();
  /// drain(), but not from within the caller, which may be a destructor.
  void drain_soon();

  /// By which other threads reach this one.
  const std::shared_ptr<Inbox>& inbox() const { return inbox_; }

 private:
  void taskFailed(kj::Exception&& exception) override;

  std::shared_ptr<Inbox> inbox_;
  std::deque<caf::resumable*> jobs_;  // each holds a reference
  bool is_draining_ = false;
  bool is_drain_due_ = false;
  kj::TaskSet tasks_;
};

}  // namespace troupe
