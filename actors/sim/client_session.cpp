#include "troupe/actors/sim/client_session.hpp"

#include <utility>

#include "troupe/actors/local/local_session.hpp"
#include "troupe/actors/sim/program/program.hpp"
#include "troupe/actors/sim/session_state.hpp"
#include "troupe/graph/sent_graph.hpp"

namespace troupe::sim {

using SharedState = std::shared_ptr<SessionState>;

class ClientStep final : public PendingStep {
 public:
  ClientStep(SharedState session, Call call)
      : session_(std::move(session)), call_(std::move(call)) {}
  ~ClientStep() override { cancel(); }

  bool done() override { return wait_for(std::chrono::milliseconds(0)); }
  bool wait_for(std::chrono::milliseconds time) override {
    session_->cluster.run_for(time, call_.done());
    return call_.is_done();
  }
  void when_done(std::function<void()> call) override {
    if (call_.is_done()) call();
    else call_.state_->when_done = std::move(call);
  }
  Result<Tensors> wait() override { return session_->await_values(call_); }
  void cancel() override {
    if (call_.is_done()) return;
    tell(session_->actor, CancelRun{call_.state_->id});
    OpenCalls::Promise(call_.state_, [this] {
      return session_->cluster.simulation.now();
    }).resolve(cancelled("the caller cancelled the step"));
  }
  RunMetadata metadata() override {
    return call_.is_done() ? call_.state_->metadata : RunMetadata();
  }

 private:
  SharedState session_;
  Call call_;
};

namespace {

class ClientCallable final : public Callable {
 public:
  ClientCallable(SharedState session, CallId id, const RunOptions& options)
      : session_(std::move(session)), id_(id), options_(options) {}
  ~ClientCallable() override { session_->release(id_); }

  Result<Tensors> run(const Tensors& feeds) override {
    return session_->await_values(session_->start(call(feeds)));
  }
  std::unique_ptr<PendingStep> start(const Tensors& feeds) override {
    return std::make_unique<ClientStep>(session_, session_->start(call(feeds)));
  }

 private:
  RunCallable call(const Tensors& feeds) const {
    return {.call = 0, .callable = id_, .feeds = feeds, .options = options_, .done = {}};
  }

  SharedState session_;
  const CallId id_;
  const RunOptions options_;
};

class ClientPartialRun final : public PartialRun {
 public:
  ClientPartialRun(SharedState session, CallId id) : session_(std::move(session)), id_(id) {}
  ~ClientPartialRun() override { session_->release(id_); }

  Result<Tensors> run(const std::vector<Feed>& feeds, const Refs& fetches) override {
    return session_->await_values(session_->ask_for_values([&](Done<Tensors> done) {
      return RunPartially{id_, named(feeds), names_of(fetches), std::move(done)};
    }));
  }
  void cancel() override {
    if (session_->actor) tell(session_->actor, CancelRun{id_});
  }

 private:
  SharedState session_;
  const CallId id_;
};

class ClientSession final : public troupe::Session {
 public:
  ClientSession(SharedState state, const SessionOptions& options)
      : state_(std::move(state)), warnings_(warnings_of(options)) {}
  ~ClientSession() override { (void)close(); }

  Status extend(const Graph& graph) override {
    if (auto status = sent_.check(graph); !status.ok()) return status;
    auto status = state_->await(state_->extend(graph));
    if (status.ok()) sent_.set(graph);
    return status;
  }

  Result<Tensors> run(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    if (auto status = sent_.check(feeds, fetches, targets); !status.ok()) return status;
    return state_->await_values(state_->start(make_run(feeds, fetches, targets, options)));
  }

  std::unique_ptr<PendingStep> start(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    if (auto status = sent_.check(feeds, fetches, targets); !status.ok())
      return make_failed_step(std::move(status));
    return std::make_unique<ClientStep>(
        state_, state_->start(make_run(feeds, fetches, targets, options)));
  }

  Result<std::unique_ptr<Callable>> make_callable(
      const Refs& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    auto id = make<MakeCallable>(feeds, fetches, targets, options);
    if (!id) return id.status();
    return std::unique_ptr<Callable>(std::make_unique<ClientCallable>(state_, *id, options));
  }

  Result<std::unique_ptr<PartialRun>> partial_run_setup(
      const Refs& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    auto id = make<SetUpPartialRun>(feeds, fetches, targets, options);
    if (!id) return id.status();
    return std::unique_ptr<PartialRun>(std::make_unique<ClientPartialRun>(state_, *id));
  }

  Result<StepExplanation> explain(
      const Refs& feeds, const Refs& fetches, const Refs& targets) override {
    auto explanation = std::make_shared<StepExplanation>();
    auto status = state_->await(state_->explain(feeds, fetches, targets, explanation));
    if (!status.ok()) return status;
    return std::move(*explanation);
  }

  Status start_runner(const std::string& name, const RunnerSpec& spec) override {
    return state_->await(state_->ask([&](DoneStatus done) {
      return StartRunner{name, spec, std::move(done)};
    }));
  }

  const std::vector<std::string>& warnings() const override { return warnings_; }

  /// A destructor of the program may call it, so it lets no Killed out.
  Status close() override {
    try {
      return state_->close();
    } catch (const Killed&) {
      return cancelled("the program was killed");
    }
  }

 private:
  /// Makes a session object with a MakeCallable or SetUpPartialRun, and returns its id.
  template <class Making>
  Result<CallId> make(
      const Refs& feeds, const Refs& fetches, const Refs& targets, const RunOptions& options) {
    if (auto status = sent_.check(feeds); !status.ok()) return status;
    if (auto status = sent_.check({}, fetches, targets); !status.ok()) return status;
    auto id = state_->next_call++;
    auto status = state_->await(state_->ask([&](DoneStatus done) {
      return Making{id,      names_of(feeds), names_of(fetches), names_of(targets),
                    options, std::move(done)};
    }));
    if (!status.ok()) return status;
    return id;
  }

  const SharedState state_;
  const std::vector<std::string> warnings_;
  SentGraph sent_;
};

}  // namespace

Result<std::unique_ptr<troupe::Session>> open_client_session(
    ClusterState& cluster, const std::shared_ptr<TaskProcess>& master,
    const SessionOptions& options) {
  auto end = std::make_shared<SessionEnd>();
  auto actor = cluster.open_session(master, options, end);
  if (!actor) return actor.status();
  return std::unique_ptr<troupe::Session>(std::make_unique<ClientSession>(
      std::make_shared<SessionState>(cluster, master, *std::move(actor), end), options));
}

}  // namespace troupe::sim
