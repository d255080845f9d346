#pragma once

#include <exception>
#include <functional>
#include <string>
#include <utility>

#include <caf/all.hpp>

#include "troupe/graph/support/happens_before.hpp"
#include "troupe/graph/types/status.hpp"

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
    Post message{
        after_now([then, answer = std::move(answer)]() mutable { then(std::move(answer)); })};
    me->enqueue(nullptr, caf::make_message_id(), caf::make_message(std::move(message)), nullptr);
  };
}

/// The status of work that runs on another thread; Internal where it throws, as for want of memory.
template <class Work>
Status status_of(Work&& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return internal(std::string("it threw: ") + error.what());
  }
}

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Post)
