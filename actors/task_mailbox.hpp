#pragma once

#include <functional>
#include <utility>

#include <caf/all.hpp>

#include "troupe/actors/task_actor.hpp"

namespace troupe {

/// Something for the actor's own turn, that was waited for outside of it.
struct Continue {
  std::function<void()> work;
};

/// It is time to ask the peers whether they live.
struct Beat {};

/// What a task actor also hears from itself.
using TaskMailbox = TaskActor::extend<caf::reacts_to<Continue>, caf::reacts_to<Beat>>;

/// A callback for any thread: has the actor call `then` with the answer, in its own turn, unless it
/// has ended.
template <class Answer, class Then>
std::function<void(Answer)> in_turn_of(TaskMailbox::pointer self, Then then) {
  return [me = caf::actor_cast<TaskMailbox>(self), then = std::move(then)](Answer answer) {
    caf::anon_send(
        me, Continue{[then, answer = std::move(answer)]() mutable { then(std::move(answer)); }});
  };
}

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Continue)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Beat)
