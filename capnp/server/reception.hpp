#pragma once

#include <kj/async-io.h>

#include <memory>

#include "troupe/capnp/server/kj_unit.hpp"
#include "troupe/capnp/server/service.hpp"

namespace troupe {

/// Takes connections and serves each until it ends. One that sends what is not Cap'n Proto is
/// dropped, with a line in the log; the others never notice. Lives on the event loop's thread.
class Reception final : private kj::TaskSet::ErrorHandler {
 public:
  static constexpr int connections_max = 4096;

  /// `unit` and `service` must outlive it.
  Reception(
      kj::Timer& timer, kj::Own<kj::ConnectionReceiver> listener, KjUnit& unit,
      const Service& service);

 private:
  struct Guest;

  kj::Promise<void> accept_next();
  void welcome(kj::Own<kj::AsyncIoStream> socket);
  void taskFailed(kj::Exception&& exception) override;

  kj::Timer& timer_;
  kj::Own<kj::ConnectionReceiver> listener_;
  KjUnit& unit_;
  const Service& service_;
  int guest_count_ = 0;
  kj::TaskSet tasks_;
};

}  // namespace troupe
