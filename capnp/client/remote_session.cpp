#include "troupe/capnp/client/remote_session.hpp"

#include <mutex>
#include <optional>
#include <utility>

#include "troupe/capnp/convert.hpp"

namespace troupe {
namespace {

class RemoteSession final : public Session {
 public:
  RemoteSession(std::shared_ptr<Connection> connection, rpc::Session::Client session)
      : connection_(std::move(connection)), session_(kj::mv(session)) {}
  ~RemoteSession() noexcept override {
    connection_->let_go([this] { session_.reset(); });
  }

  using Session::extend;
  Status extend(const Graph& graph) override;
  Result<Tensors> run(
      const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets, const RunOptions& options) override;
  Status close() override;

 private:
  Status send_nodes(const Graph& graph);

  std::shared_ptr<Connection> connection_;
  std::optional<rpc::Session::Client> session_;  // used and destroyed on the connection's loop
  std::mutex mutex_;                             // one extension at a time
  int sent_count_ = 0;                           // of the graph's nodes
};

Status check_feeds(const std::vector<Feed>& feeds) {
  Tensors values;
  for (const auto& feed : feeds) {
    if (!feed.value.is_set())
      return invalid_argument("the feed of '" + feed.output.name + "' holds no tensor");
    values.push_back(feed.value);
  }
  return check_sendable(values);
}

void fill_names(capnp::List<capnp::Text>::Builder to, const std::vector<Ref>& refs) {
  for (unsigned i = 0; i < refs.size(); ++i) to.set(i, refs[i].name);
}

Status RemoteSession::extend(const Graph& graph) {
  std::lock_guard lock(mutex_);
  if (graph.size() < sent_count_)
    return invalid_argument(
        "the session has " + std::to_string(sent_count_) + " nodes already, but the graph has " +
        std::to_string(graph.size()) + ": it is not the one of the calls before");
  if (graph.size() == sent_count_) return Status();
  auto status = send_nodes(graph);
  if (status.ok()) sent_count_ = graph.size();
  return status;
}

Status RemoteSession::send_nodes(const Graph& graph) {
  Status answer;
  auto status = connection_->run([&] {
    auto request = session_->extendRequest();
    request.setExpectedSize(static_cast<uint64_t>(sent_count_));
    auto nodes = request.initNodes(static_cast<unsigned>(graph.size() - sent_count_));
    Lender lender{.memory = connection_->memory().get()};
    for (auto id = sent_count_; id < graph.size(); ++id)
      fill(nodes[static_cast<unsigned>(id - sent_count_)], graph.def_of(id), lender);
    return request.send().then([&](auto response) { answer = to_status(response.getStatus()); });
  });
  return status.ok() ? answer : status;
}

Result<Tensors> RemoteSession::run(
    const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
    const std::vector<Ref>& targets, const RunOptions& options) {
  if (auto status = check_feeds(feeds); !status.ok()) return status;
  if (options.timeout.count() < 0) return invalid_argument("a timeout is not negative");
  Result<Tensors> answer = Tensors();
  auto status = connection_->run([&] {
    auto request = session_->runRequest();
    Lender lender{.memory = connection_->memory().get()};
    auto list = request.initFeeds(static_cast<unsigned>(feeds.size()));
    for (unsigned i = 0; i < feeds.size(); ++i) {
      list[i].setOutput(feeds[i].output.name);
      fill(list[i].initValue(), feeds[i].value, lender);
    }
    fill_names(request.initFetches(static_cast<unsigned>(fetches.size())), fetches);
    fill_names(request.initTargets(static_cast<unsigned>(targets.size())), targets);
    request.initOptions().setTimeoutMs(static_cast<uint64_t>(options.timeout.count()));
    auto answered = request.send().then([&](auto response) {
      auto failed = to_status(response.getStatus());
      if (!failed.ok()) answer = failed;
      else answer = to_tensors(response.getValues(), connection_->memory().get());
    });
    if (options.timeout.count() == 0) return kj::Promise<void>(kj::mv(answered));
    auto late = connection_->until_late(options.timeout).then([&] {
      answer = connection_->late(options.timeout);
    });
    return answered.exclusiveJoin(kj::mv(late));
  });
  return status.ok() ? answer : status;
}

Status RemoteSession::close() {
  Status answer;
  auto status = connection_->run([&] {
    return session_->closeRequest().send().then(
        [&](auto response) { answer = to_status(response.getStatus()); });
  });
  return status.ok() ? answer : status;
}

}  // namespace

std::unique_ptr<Session> make_remote_session(
    std::shared_ptr<Connection> connection, rpc::Session::Client session) {
  return std::make_unique<RemoteSession>(std::move(connection), kj::mv(session));
}

}  // namespace troupe
