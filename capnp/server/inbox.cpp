#include "troupe/capnp/server/inbox.hpp"

#include <utility>

namespace troupe {

bool Inbox::post(std::function<void()> work) {
  kj::Maybe<kj::Own<kj::CrossThreadPromiseFulfiller<void>>> bell;
  {
    std::lock_guard lock(mutex_);
    if (is_closed_) return false;
    works_.push_back(std::move(work));
    bell = kj::mv(bell_);
    bell_ = nullptr;
  }
  KJ_IF_MAYBE (ring, bell) (*ring)->fulfill();
  return true;
}

kj::Promise<void> Inbox::serve() {
  Works works;
  auto rung = kj::newPromiseAndCrossThreadFulfiller<void>();
  {
    std::lock_guard lock(mutex_);
    if (is_closed_) return kj::READY_NOW;
    works = std::exchange(works_, {});
    if (works.empty()) bell_ = kj::mv(rung.fulfiller);
  }
  if (works.empty()) return rung.promise.then([this] { return serve(); });
  for (auto& work : works) work();
  return kj::evalLater([this] { return serve(); });
}

void Inbox::close() {
  Works works;
  std::lock_guard lock(mutex_);
  is_closed_ = true;
  works = std::exchange(works_, {});
  bell_ = nullptr;
}

}  // namespace troupe
