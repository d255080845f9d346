#include "troupe/capnp/server/listen/tls_tunnels.hpp"

#include <kj/async-io.h>
#include <sys/socket.h>

#include <array>
#include <future>
#include <string>
#include <utility>

#include "troupe/capnp/server/listen/rate_limited_log.hpp"

namespace troupe {
namespace {

using OwnStream = kj::Own<kj::AsyncIoStream>;

constexpr size_t buffer_bytes = size_t{64} << 10;

/// Passes on all that comes from one stream to the other, which then ends, too.
class Pump {
 public:
  Pump(kj::AsyncIoStream& from, kj::AsyncIoStream& to) : from_(from), to_(to) {}

  kj::Promise<void> run() {
    return from_.tryRead(buffer_.begin(), 1, buffer_.size())
        .then([this](size_t bytes) -> kj::Promise<void> {
          if (bytes == 0) {
            to_.shutdownWrite();
            return kj::READY_NOW;
          }
          return to_.write(buffer_.begin(), bytes).then([this] { return run(); });
        });
  }

 private:
  kj::AsyncIoStream& from_;
  kj::AsyncIoStream& to_;
  kj::Array<kj::byte> buffer_ = kj::heapArray<kj::byte>(buffer_bytes);
};

/// Ends where an end fails, or the server's is closed and all that it wrote is passed on.
kj::Promise<void> tunnel(OwnStream peer, OwnStream server) {
  auto in = kj::heap<Pump>(*peer, *server), out = kj::heap<Pump>(*server, *peer);
  auto read = in->run().then([]() -> kj::Promise<void> { return kj::NEVER_DONE; });
  auto written = out->run().then([&server = *server] { return server.whenWriteDisconnected(); });
  return read.exclusiveJoin(kj::mv(written))
      .attach(kj::mv(in), kj::mv(out), kj::mv(peer), kj::mv(server));
}

}  // namespace

class TlsTunnels::Loop final : private kj::TaskSet::ErrorHandler {
 public:
  explicit Loop(Credentials& credentials) : credentials_(credentials) {}

  void run() { stopped_.promise.wait(io_.waitScope); }
  void stop() { stopped_.fulfiller->fulfill(); }

  void open(kj::AutoCloseFd connection, kj::AutoCloseFd inner) {
    auto peer = io_.lowLevelProvider->wrapSocketFd(kj::mv(connection));
    auto server = io_.lowLevelProvider->wrapSocketFd(kj::mv(inner));
    auto& closed = *server;
    auto secured =
        credentials_.as_server(kj::mv(peer))
            .catch_([this](kj::Exception&& error) -> kj::Promise<OwnStream> {
              log_.warn(std::string("refused a connection: TLS: ") + error.getDescription().cStr());
              return kj::mv(error);
            });
    auto given_up = closed.whenWriteDisconnected().then([]() -> kj::Promise<OwnStream> {
      return KJ_EXCEPTION(DISCONNECTED, "the server has closed the connection");
    });
    tasks_.add(secured.exclusiveJoin(kj::mv(given_up))
                   .then([server = kj::mv(server)](OwnStream secure) mutable {
                     return tunnel(kj::mv(secure), kj::mv(server));
                   }));
  }

 private:
  void taskFailed(kj::Exception&&) override {}  // an end is gone, which closes the other one

  Credentials& credentials_;
  RateLimitedLog log_;
  kj::AsyncIoContext io_ = kj::setupAsyncIo();
  kj::PromiseFulfillerPair<void> stopped_ = kj::newPromiseAndFulfiller<void>();
  kj::TaskSet tasks_{*this};
};

TlsTunnels::TlsTunnels(std::shared_ptr<Credentials> credentials)
    : credentials_(std::move(credentials)) {
  std::promise<void> started;
  thread_ = std::thread([this, &started] {
    Loop loop(*credentials_);
    executor_ = kj::getCurrentThreadExecutor().addRef();
    loop_ = &loop;
    started.set_value();
    loop.run();
  });
  started.get_future().wait();
}

TlsTunnels::~TlsTunnels() noexcept {
  executor_->executeSync([this] { loop_->stop(); });
  thread_.join();
}

kj::AutoCloseFd TlsTunnels::open(kj::AutoCloseFd connection) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return nullptr;
  kj::AutoCloseFd outer(ends[0]), inner(ends[1]);
  executor_->executeSync([&] { loop_->open(kj::mv(connection), kj::mv(inner)); });
  return outer;
}

}  // namespace troupe
