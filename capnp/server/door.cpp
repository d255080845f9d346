#include "troupe/capnp/server/door.hpp"

#include <kj/async-io.h>
#include <kj/debug.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "troupe/capnp/server/find_endpoint.hpp"
#include "troupe/capnp/server/inbox.hpp"
#include "troupe/capnp/server/join_cluster.hpp"
#include "troupe/capnp/server/kj_unit.hpp"
#include "troupe/capnp/server/listen.hpp"
#include "troupe/capnp/server/porter.hpp"
#include "troupe/capnp/server/probe_endpoint.hpp"
#include "troupe/capnp/server/reception.hpp"

namespace troupe {
namespace {

// Sockets are looked after at least every so many events of the loop.
constexpr kj::uint events_between_polls = 16;

/// A callback that is called once; with Cancelled at the latest when it is let go.
template <class Answer>
class Seeker {
 public:
  explicit Seeker(std::function<void(Result<Answer>)> done) : done_(std::move(done)) {}
  Seeker(const Seeker&) = delete;
  Seeker& operator=(const Seeker&) = delete;
  ~Seeker() { answer(cancelled("the node stops")); }

  void answer(Result<Answer> found) {
    if (auto done = std::exchange(done_, nullptr)) done(std::move(found));
  }

 private:
  std::function<void(Result<Answer>)> done_;
};

/// Asks another node for something, from the loop.
template <class Answer>
using Search = std::function<kj::Promise<Result<Answer>>(kj::AsyncIoProvider& io)>;

/// What lives on the door's thread.
class Loop final : private kj::TaskSet::ErrorHandler {
 public:
  explicit Loop(kj::AutoCloseFd socket) : socket_(kj::mv(socket)) {
    searches_.emplace(static_cast<kj::TaskSet::ErrorHandler&>(*this));
    io_.waitScope.setBusyPollInterval(events_between_polls);
  }

  const std::shared_ptr<Inbox>& inbox() const { return inbox_; }

  void run() {
    auto stop = kj::newPromiseAndFulfiller<void>();
    stop_ = kj::mv(stop.fulfiller);
    inbox_->serve().exclusiveJoin(kj::mv(stop.promise)).wait(io_.waitScope);
    end();
  }

  // Called by way of the inbox:
  void stop() { stop_->fulfill(); }
  void serve(Service service) {
    service_.emplace(std::move(service));
    unit_.emplace(service_->system, inbox_);
    reception_.emplace(*io_.lowLevelProvider, *unit_, *service_);
    porter_.emplace(
        kj::mv(socket_), service_->identity.incarnation, [this](kj::AutoCloseFd socket) {
          auto shared = std::make_shared<kj::AutoCloseFd>(kj::mv(socket));
          inbox_->post([this, shared] { welcome(kj::mv(*shared)); });
        });
  }
  template <class Answer>
  void begin(const Search<Answer>& search, std::shared_ptr<Seeker<Answer>> seeker) {
    searches_->add(search(*io_.provider).then([seeker](Result<Answer> found) {
      seeker->answer(std::move(found));
    }));
  }

 private:
  void welcome(kj::AutoCloseFd socket) {
    // The other end may be gone already.
    KJ_IF_MAYBE (error, kj::runCatchingExceptions([&] { reception_->welcome(kj::mv(socket)); }))
      taskFailed(kj::mv(*error));
  }
  /// Everything that holds promises goes while the loop can still run what their end entails.
  void end() {
    socket_ = nullptr;
    io_.waitScope.poll();  // who was told to go hears the answer to that
    reception_.reset();
    searches_.reset();
    io_.waitScope.poll();
    io_.waitScope.cancelAllDetached();
    io_.waitScope.poll();
    porter_.reset();  // after the calls: their clients must not miss its heartbeats before
    inbox_->close();
    unit_.reset();
  }
  void taskFailed(kj::Exception&& exception) override {
    spdlog::error("the door: {}", exception.getDescription().cStr());
  }

  kj::AsyncIoContext io_ = kj::setupAsyncIo();
  kj::AutoCloseFd socket_;
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  kj::Own<kj::PromiseFulfiller<void>> stop_;
  std::optional<Service> service_;
  std::optional<KjUnit> unit_;
  std::optional<Reception> reception_;
  std::optional<Porter> porter_;
  std::optional<kj::TaskSet> searches_;
};

/// What begins a search on the loop's thread, from any thread.
template <class Answer>
auto beginner(std::shared_ptr<Inbox> inbox, Loop* loop) {
  return [inbox = std::move(inbox), loop](
             Search<Answer> search, std::function<void(Result<Answer>)> done) {
    auto seeker = std::make_shared<Seeker<Answer>>(std::move(done));
    inbox->post([=, search = std::move(search), seeker = std::move(seeker)] {
      loop->begin(search, seeker);
    });
  };
}

template <class Answer>
auto seek(
    const std::shared_ptr<Inbox>& inbox, Loop* loop,
    kj::Promise<Result<Answer>> (*ask)(kj::AsyncIoProvider&, Address, std::chrono::milliseconds)) {
  return [begin = beginner<Answer>(inbox, loop), ask](
             const Address& address, std::chrono::milliseconds timeout,
             std::function<void(Result<Answer>)> done) {
    begin([=](kj::AsyncIoProvider& io) { return ask(io, address, timeout); }, std::move(done));
  };
}

class ThreadDoor final : public Door {
 public:
  explicit ThreadDoor(PlacedSocket placed)
      : port_(placed.port), file_(placed.socket), socket_(kj::mv(placed.socket)) {
    std::promise<Loop*> started;
    auto loop = started.get_future();
    thread_ = std::thread([this, started = std::move(started)]() mutable { run(started); });
    loop_ = loop.get();
    inbox_ = loop_->inbox();
  }
  ~ThreadDoor() noexcept override {
    stop();
    thread_.join();
  }

  int port() const override { return port_; }
  Endpoints endpoints() override {
    return {
        .find = seek(inbox_, loop_, find_endpoint), .probe = seek(inbox_, loop_, probe_endpoint)};
  }
  void join(
      const Address& address, std::chrono::milliseconds timeout, const Join& wish,
      Done<Joined> done) override {
    beginner<Joined>(inbox_, loop_)(
        [=](kj::AsyncIoProvider& io) { return join_cluster(io, address, timeout, wish); },
        std::move(done));
  }
  Status serve(Service service) override {
    if (auto status = start_listening(file_); !status.ok()) return status;
    inbox_->post([loop = loop_, service = std::move(service)] { loop->serve(service); });
    return {};
  }
  Status close(std::chrono::milliseconds deadline) override {
    stop();
    if (ended_future_.wait_for(deadline) == std::future_status::ready) return Status();
    return deadline_exceeded("the door did not close within its deadline");
  }

 private:
  void run(std::promise<Loop*>& started) {
    {
      Loop loop(kj::mv(socket_));
      started.set_value(&loop);
      loop.run();
    }
    ended_.set_value();
  }
  void stop() {
    inbox_->post([loop = loop_] { loop->stop(); });
  }
  const int port_;
  const int file_;          // the socket's
  kj::AutoCloseFd socket_;  // until the thread has it
  std::promise<void> ended_;
  std::future<void> ended_future_ = ended_.get_future();
  std::shared_ptr<Inbox> inbox_;
  Loop* loop_ = nullptr;  // used on its own thread only, through the inbox
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Door>> Door::open(const std::string& bind_host, int port) {
  auto placed = take_port(bind_host, port);
  if (!placed) return placed.status();
  return std::unique_ptr<Door>(std::make_unique<ThreadDoor>(*std::move(placed)));
}

}  // namespace troupe
