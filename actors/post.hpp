#pragma once

#include <functional>
#include <utility>

#include <caf/all.hpp>

namespace troupe {

/// Work that an actor runs when it handles this message; sent by callbacks of other threads.
struct Post {
  std::function<void()> work;
};

/// Makes a callback that may be called from any thread: it posts `then` with the answer to the
/// actor, which runs it as a message. Has no effect once the actor has ended.
template <class Answer, class Self, class Then>
std::function<void(Answer)> post_to(Self* self, Then then) {
  return [me = caf::actor_cast<caf::strong_actor_ptr>(self),
          then = std::move(then)](Answer answer) {
    Post message{[then, answer = std::move(answer)]() mutable { then(std::move(answer)); }};
    me->enqueue(nullptr, caf::make_message_id(), caf::make_message(std::move(message)), nullptr);
  };
}

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Post)
