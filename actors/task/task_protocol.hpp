#pragma once

#include <functional>
#include <utility>

#include <caf/all.hpp>

#include "troupe/actors/task/task_actor.hpp"

namespace troupe {

/// Work that the task actor runs when it handles this message; sent by callbacks of other threads.
struct Post {
  std::function<void()> work;
};

/// The heartbeat timer has expired: Pings are due, or a peer has been silent for too long.
struct HeartbeatTick {};

/// All that a task actor handles: the calls of clients (MasterActor), the messages of other tasks
/// and of this process (TaskActor), and these, which it sends to itself.
using TaskProtocol = TaskActor::extend<caf::reacts_to<Post>, caf::reacts_to<HeartbeatTick>>;

/// Makes a callback that may be called from any thread: it posts `then` with the answer to the
/// actor, which runs it as a message. Has no effect once the actor has ended.
template <class Answer, class Then>
std::function<void(Answer)> post_to(TaskProtocol::pointer self, Then then) {
  return [me = caf::actor_cast<TaskProtocol>(self), then = std::move(then)](Answer answer) {
    caf::anon_send(
        me, Post{[then, answer = std::move(answer)]() mutable { then(std::move(answer)); }});
  };
}

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Post)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::HeartbeatTick)
