#pragma once

#include <map>
#include <memory>

#include "troupe/actors/metrics.hpp"
#include "troupe/actors/session/compiled_step.hpp"

namespace troupe {

/// The callables of a session that are not released yet. Belongs to the session actor.
class CallableSet {
 public:
  using Step = std::shared_ptr<CompiledStep>;

  struct OwnedCallable {
    StepSignature signature;
    Step step;  // null until it is compiled
    Counted counted;
  };

  OwnedCallable& add(CallId id, StepSignature signature, Counted counted) {
    return callables_[id] = {std::move(signature), nullptr, std::move(counted)};
  }

  /// Null where there is none, or it was released.
  const OwnedCallable* find(CallId id) const {
    auto found = callables_.find(id);
    return found == callables_.end() ? nullptr : &found->second;
  }

  /// Sets the step of a callable, unless the callable was released meanwhile.
  void attach(CallId id, const Step& step) {
    auto found = callables_.find(id);
    if (found == callables_.end() || found->second.step == step) return;
    detach(found->second);
    found->second.step = step;
    ++step->callables;
  }

  void release(CallId id) {
    if (auto callable = callables_.extract(id)) detach(callable.mapped());
  }

 private:
  static void detach(OwnedCallable& callable) {
    if (callable.step) --callable.step->callables;
    callable.step = nullptr;
  }

  std::map<CallId, OwnedCallable> callables_;
};

}  // namespace troupe
