#include "troupe/actors/local_session.hpp"

#include <atomic>
#include <future>
#include <mutex>

#include "troupe/actors/own_unit.hpp"

namespace troupe {
namespace {

class LocalSession final : public Session {
 public:
  LocalSession(caf::actor_system& system, SessionActor actor)
      : system_(system), actor_(std::move(actor)) {}
  ~LocalSession() override { (void)close(); }

  Status extend(const Graph& graph) override {
    std::lock_guard lock(extending_);
    if (closed_) return closed_error();
    if (static_cast<uint64_t>(graph.size()) < sent_)
      return invalid_argument("this is not the graph that the session was given before");
    std::vector<NodeDef> nodes;
    for (auto id = static_cast<NodeId>(sent_); id < graph.size(); ++id)
      nodes.push_back(graph.def_of(id));
    auto count = nodes.size();
    auto status = call<Status>([&](auto done) { return Extend{std::move(nodes), sent_, done}; });
    if (status.ok()) sent_ += count;
    return status;
  }

  Result<Tensors> run(
      const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
      const std::vector<Ref>& targets, const RunOptions& options) override {
    if (closed_) return closed_error();
    auto run = make_run(feeds, fetches, targets, options);
    run.call = next_call_++;
    return call<Result<Tensors>>([&](auto done) {
      run.done = done;
      return std::move(run);
    });
  }

  Status close() override {
    if (closed_.exchange(true)) return {};
    return call<Status>([&](auto done) { return Close{done}; });
  }

 private:
  static Status closed_error() { return failed_precondition("the session is closed"); }

  /// Sends the call that `make` makes around a callback, and waits for its answer.
  template <class Answer, class Make>
  Answer call(Make make) {
    auto promise = std::make_shared<std::promise<Answer>>();
    auto answer = promise->get_future();
    OwnUnit here(system_);
    // A session that has ended drops the call, and with it the promise: that is an answer, too.
    tell(actor_, make([promise](Answer value) { promise->set_value(std::move(value)); }), &here);
    promise.reset();
    // Only as long as it takes: an actor that others keep busy must not keep this thread.
    while (answer.wait_for(std::chrono::seconds(0)) != std::future_status::ready && !here.empty())
      here.drain(1);
    try {
      return answer.get();
    } catch (const std::future_error&) {
      return closed_error();
    }
  }

  caf::actor_system& system_;
  SessionActor actor_;
  std::atomic<bool> closed_{false};
  std::atomic<CallId> next_call_{1};
  std::mutex extending_;
  uint64_t sent_ = 0;
};

}  // namespace

Run make_run(
    const std::vector<Feed>& feeds, const std::vector<Ref>& fetches,
    const std::vector<Ref>& targets, const RunOptions& options) {
  Run run{.call = 0, .feeds = {}, .fetches = {}, .targets = {}, .options = options, .done = {}};
  for (const auto& feed : feeds) run.feeds.emplace_back(feed.output.name, feed.value);
  for (const auto& fetch : fetches) run.fetches.push_back(fetch.name);
  for (const auto& target : targets) run.targets.push_back(target.name);
  return run;
}

std::unique_ptr<Session> make_local_session(caf::actor_system& system, SessionActor actor) {
  return std::make_unique<LocalSession>(system, std::move(actor));
}

}  // namespace troupe
