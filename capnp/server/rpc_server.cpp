#include "troupe/capnp/server/rpc_server.hpp"

#include <kj/async-io.h>
#include <kj/debug.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "troupe/capnp/busy_poll_time.hpp"
#include "troupe/capnp/server/connection/connection_set.hpp"
#include "troupe/capnp/server/event_loop_execution_unit.hpp"
#include "troupe/capnp/server/link/link_streams.hpp"
#include "troupe/capnp/server/listen/acceptor.hpp"
#include "troupe/capnp/server/listen/listening_socket.hpp"
#include "troupe/capnp/server/peer/join_cluster.hpp"
#include "troupe/capnp/server/peer/probe_node.hpp"
#include "troupe/capnp/server/task_queue.hpp"
#include "troupe/capnp/stream/local_socket.hpp"

namespace troupe {
namespace {

// The loop polls its sockets at least once in so many events.
constexpr kj::uint events_between_polls = 16;

/// A callback that is called exactly once: by answer(), or with Cancelled by the destructor.
template <class Answer>
class OnceCallback {
 public:
  explicit OnceCallback(std::function<void(Result<Answer>)> done) : done_(std::move(done)) {}
  OnceCallback(const OnceCallback&) = delete;
  OnceCallback& operator=(const OnceCallback&) = delete;
  ~OnceCallback() { answer(cancelled("the node is stopping")); }

  void answer(Result<Answer> found) {
    if (auto done = std::exchange(done_, nullptr)) done(std::move(found));
  }

 private:
  std::function<void(Result<Answer>)> done_;
};

/// Starts a call to another node; runs on the loop.
template <class Answer>
using StartPeerCall = std::function<kj::Promise<Result<Answer>>(PeerNetwork& network)>;

/// The event loop of the server's thread, and all that is used on that thread only.
class ServerLoop final : private kj::TaskSet::ErrorHandler {
 public:
  ServerLoop(kj::AutoCloseFd socket, std::shared_ptr<Credentials> credentials)
      : network_(*io_.provider, std::move(credentials)), socket_(kj::mv(socket)) {
    peer_calls_.emplace(static_cast<kj::TaskSet::ErrorHandler&>(*this));
    io_.waitScope.setBusyPollInterval(events_between_polls);
  }

  const std::shared_ptr<TaskQueue>& task_queue() const { return task_queue_; }

  /// Runs the loop; where it has nothing to do, polls for a while, and sleeps then.
  void run() {
    auto serving = task_queue_->serve().eagerlyEvaluate(nullptr);
    while (!is_stopped_) {
      auto next = task_queue_->activity().next();
      // Also where events are always due. (Nothing uses the loop's Executor, which this would
      // miss.)
      io_.unixEventPort.poll();
      auto begin = Clock::now();
      if (!poll_time_.poll([&] { return next.poll(io_.waitScope); })) next.wait(io_.waitScope);
      poll_time_.waited(Clock::now() - begin);
    }
    serving = nullptr;
    end();
  }

  // Called on the loop's thread, through the task queue:
  void stop() { is_stopped_ = true; }
  void serve(Service service) {
    service_.emplace(std::move(service));
    unit_.emplace(service_->system, task_queue_);
    connections_.emplace(*io_.lowLevelProvider, *unit_, *service_);
    links_.emplace(
        io_, network_, *unit_, *service_->receive_allocator, service_->open_region,
        service_->identity.protocol_version,
        caf::actor_cast<caf::strong_actor_ptr>(service_->master), service_->tcp_only);
    for (auto& connect : std::exchange(awaiting_links_, {})) connect();
    auto unix_listening = service_->tcp_only ? nullptr : listen_unix_socket(socket_);
    acceptor_.emplace(
        kj::mv(socket_), kj::mv(unix_listening), service_->identity.incarnation,
        network_.credentials(), [this](kj::AutoCloseFd socket, Acceptor::Purpose purpose) {
          auto shared = std::make_shared<kj::AutoCloseFd>(kj::mv(socket));
          task_queue_->post([this, shared, purpose] { accept(kj::mv(*shared), purpose); });
        });
  }
  void connect(
      const Address& address, std::chrono::milliseconds timeout,
      const std::shared_ptr<OnceCallback<caf::strong_actor_ptr>>& callback) {
    if (!links_)
      return awaiting_links_.push_back([=, this] { connect(address, timeout, callback); });
    links_->connect(address, timeout, [callback](Result<caf::strong_actor_ptr> task) {
      callback->answer(std::move(task));
    });
    unit_->drain_soon();
  }
  template <class Answer>
  void start_peer_call(
      const StartPeerCall<Answer>& call, std::shared_ptr<OnceCallback<Answer>> callback) {
    peer_calls_->add(call(network_).then(
        [callback](Result<Answer> found) { callback->answer(std::move(found)); }));
  }

 private:
  using Clock = BusyPollTime::Clock;

  void accept(kj::AutoCloseFd socket, Acceptor::Purpose purpose) {
    // The other end may have closed the connection already.
    KJ_IF_MAYBE (error, kj::runCatchingExceptions([&] {
                   if (purpose == Acceptor::Purpose::link) links_->accept(kj::mv(socket));
                   else connections_->add(kj::mv(socket));
                 }))
      taskFailed(kj::mv(*error));
  }
  /// Destroys everything that holds promises while the loop can still run their cancellation.
  void end() {
    socket_ = nullptr;
    io_.waitScope.poll();  // sends the answer of the call that stops the server
    connections_.reset();
    awaiting_links_.clear();
    links_.reset();
    peer_calls_.reset();
    io_.waitScope.poll();
    io_.waitScope.cancelAllDetached();
    io_.waitScope.poll();
    acceptor_.reset();  // last: clients must get heartbeats until their calls have ended
    task_queue_->close();
    unit_.reset();
  }
  void taskFailed(kj::Exception&& exception) override {
    spdlog::error("RPC server: {}", exception.getDescription().cStr());
  }

  kj::AsyncIoContext io_ = kj::setupAsyncIo();
  PeerNetwork network_;
  kj::AutoCloseFd socket_;
  std::shared_ptr<TaskQueue> task_queue_ = std::make_shared<TaskQueue>(io_.unixEventPort);
  bool is_stopped_ = false;
  BusyPollTime poll_time_;
  std::optional<Service> service_;
  std::optional<EventLoopExecutionUnit> unit_;
  std::optional<ConnectionSet> connections_;
  std::optional<LinkStreams> links_;
  std::vector<std::function<void()>> awaiting_links_;  // calls that came before serve()
  std::optional<Acceptor> acceptor_;
  std::optional<kj::TaskSet> peer_calls_;
};

/// Returns a function that starts a peer call on the loop's thread, and may be called on any.
template <class Answer>
auto peer_call_starter(std::shared_ptr<TaskQueue> task_queue, ServerLoop* loop) {
  return [task_queue = std::move(task_queue), loop](
             StartPeerCall<Answer> call, std::function<void(Result<Answer>)> done) {
    auto callback = std::make_shared<OnceCallback<Answer>>(std::move(done));
    task_queue->post([=, call = std::move(call), callback = std::move(callback)] {
      loop->start_peer_call(call, callback);
    });
  };
}

/// These run on the loop's thread, and may be called on any.
NodeConnections make_connections(const std::shared_ptr<TaskQueue>& task_queue, ServerLoop* loop) {
  return {
      .connect =
          [task_queue, loop](
              const Address& address, std::chrono::milliseconds timeout, World::Connected done) {
            auto callback = std::make_shared<OnceCallback<caf::strong_actor_ptr>>(std::move(done));
            task_queue->post([=] { loop->connect(address, timeout, callback); });
          },
      .probe =
          [start_peer_call = peer_call_starter<uint64_t>(task_queue, loop)](
              const Address& address, std::chrono::milliseconds timeout, World::Probed done) {
            start_peer_call(
                [=](PeerNetwork& network) { return probe_node(network, address, timeout); },
                std::move(done));
          }};
}

class ThreadedRpcServer final : public RpcServer {
 public:
  ThreadedRpcServer(BoundSocket bound, std::shared_ptr<Credentials> credentials)
      : port_(bound.port),
        file_(bound.socket),
        socket_(kj::mv(bound.socket)),
        credentials_(std::move(credentials)) {
    std::promise<ServerLoop*> started;
    auto loop = started.get_future();
    thread_ = std::thread([this, started = std::move(started)]() mutable { run(started); });
    loop_ = loop.get();
    task_queue_ = loop_->task_queue();
  }
  ~ThreadedRpcServer() noexcept override {
    stop();
    thread_.join();
  }

  int port() const override { return port_; }
  NodeConnections connections() override { return make_connections(task_queue_, loop_); }
  void join(
      const Address& address, std::chrono::milliseconds timeout, const Join& request,
      Done<Joined> done) override {
    peer_call_starter<Joined>(task_queue_, loop_)(
        [=](PeerNetwork& network) { return join_cluster(network, address, timeout, request); },
        std::move(done));
  }
  Status serve(Service service) override {
    if (auto status = start_listening(file_); !status.ok()) return status;
    task_queue_->post([loop = loop_, service = std::move(service)] { loop->serve(service); });
    return {};
  }
  Status close(std::chrono::milliseconds deadline) override {
    stop();
    if (ended_future_.wait_for(deadline) == std::future_status::ready) return Status();
    return deadline_exceeded("the RPC server did not close within its deadline");
  }

 private:
  void run(std::promise<ServerLoop*>& started) {
    {
      ServerLoop loop(kj::mv(socket_), credentials_);
      started.set_value(&loop);
      loop.run();
    }
    ended_.set_value();
  }
  void stop() {
    task_queue_->post([loop = loop_] { loop->stop(); });
  }
  const int port_;
  const int file_;          // descriptor of the socket
  kj::AutoCloseFd socket_;  // moved to the thread when that starts
  const std::shared_ptr<Credentials> credentials_;
  std::promise<void> ended_;
  std::future<void> ended_future_ = ended_.get_future();
  std::shared_ptr<TaskQueue> task_queue_;
  ServerLoop* loop_ = nullptr;  // used on its own thread only, through the task queue
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<RpcServer>> RpcServer::open(
    const std::string& bind_host, int port, std::shared_ptr<Credentials> credentials) {
  auto bound = bind_port(bind_host, port);
  if (!bound) return bound.status();
  return std::unique_ptr<RpcServer>(
      std::make_unique<ThreadedRpcServer>(*std::move(bound), std::move(credentials)));
}

}  // namespace troupe
