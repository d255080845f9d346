#pragma once

#include <kj/async-io.h>
#include <kj/io.h>

#include <memory>

#include "troupe/capnp/server/guest_log.hpp"
#include "troupe/capnp/server/kj_unit.hpp"
#include "troupe/capnp/server/service.hpp"

namespace troupe {

/// Serves connections, each until it ends. One that sends what is not Cap'n Proto is dropped, with
/// a line in the log, though not more than one a second; the others never notice. Lives on the
/// event loop's thread.
class Reception final : private kj::TaskSet::ErrorHandler {
 public:
  static constexpr int connections_max = 4096;

  /// `unit` and `service` must outlive it.
  Reception(kj::LowLevelAsyncIoProvider& io, KjUnit& unit, const Service& service);

  void welcome(kj::AutoCloseFd socket);

 private:
  struct Guest;

  void taskFailed(kj::Exception&& exception) override;

  kj::LowLevelAsyncIoProvider& io_;
  KjUnit& unit_;
  const Service& service_;
  int guest_count_ = 0;
  GuestLog log_;
  kj::TaskSet tasks_;
};

}  // namespace troupe
