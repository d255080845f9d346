#include "troupe/actors/local/local_session.hpp"

#include <mutex>

#include "troupe/actors/local/local_step.hpp"
#include "troupe/actors/local/session_handle.hpp"
#include "troupe/graph/sent_graph.hpp"

namespace troupe {
namespace {

class LocalCallable final : public Callable {
 public:
  LocalCallable(SharedLocalSession session, CallId id, const RunOptions& options)
      : session_(std::move(session)), id_(id), options_(options) {}
  ~LocalCallable() override { session_->send(Release{id_}); }

  Result<Tensors> run(const Tensors& feeds) override {
    if (session_->is_closed()) return session_->closed_error();
    return session_->ask<Result<Tensors>>([&](auto done) {
      auto run = call(feeds);
      run.call = session_->next_call();
      run.done = done;
      return run;
    });
  }
  std::unique_ptr<PendingStep> start(const Tensors& feeds) override {
    return start_local_step(session_, call(feeds));
  }

 private:
  RunCallable call(const Tensors& feeds) const {
    return {.call = 0, .callable = id_, .feeds = feeds, .options = options_, .done = {}};
  }

  SharedLocalSession session_;
  CallId id_;
  RunOptions options_;
};

class LocalPartialRun final : public PartialRun {
 public:
  LocalPartialRun(SharedLocalSession session, CallId id) : session_(std::move(session)), id_(id) {}
  ~LocalPartialRun() override { session_->send(Release{id_}); }

  Result<Tensors> run(const std::vector<Feed>& feeds, const Refs& fetches) override {
    if (session_->is_closed()) return session_->closed_error();
    return session_->ask<Result<Tensors>>([&](auto done) {
      return RunPartially{id_, named(feeds), names_of(fetches), done};
    });
  }
  void cancel() override { session_->send(CancelRun{id_}); }

 private:
  SharedLocalSession session_;
  CallId id_;
};

class LocalSession final : public Session {
 public:
  LocalSession(
      caf::actor_system& system, SessionActor actor, std::shared_ptr<const SessionEnd> end,
      const SessionOptions& options)
      : session_(std::make_shared<LocalSessionHandle>(system, std::move(actor), std::move(end))),
        warnings_(warnings_of(options)) {}
  ~LocalSession() override { (void)close(); }

  Status extend(const Graph& graph) override {
    std::lock_guard lock(extend_mutex_);
    if (session_->is_closed()) return session_->closed_error();
    if (auto status = sent_.check(graph); !status.ok()) return status;
    std::vector<NodeDef> nodes;
    for (auto id = sent_.size(); id < graph.size(); ++id) nodes.push_back(graph.def_of(id));
    auto functions = graph.library().defs_from(sent_.functions());
    auto status = session_->ask<Status>([&](auto done) {
      return Extend{
          std::move(nodes), static_cast<uint64_t>(sent_.size()), done, std::move(functions)};
    });
    if (status.ok()) sent_.set(graph);
    return status;
  }

  Result<Tensors> run(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    if (session_->is_closed()) return session_->closed_error();
    if (auto status = sent_.check(feeds, fetches, targets); !status.ok()) return status;
    auto run = make_run(feeds, fetches, targets, options);
    run.call = session_->next_call();
    return session_->ask<Result<Tensors>>([&](auto done) {
      run.done = done;
      return std::move(run);
    });
  }

  std::unique_ptr<PendingStep> start(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    if (auto status = sent_.check(feeds, fetches, targets); !status.ok())
      return make_failed_step(std::move(status));
    return start_local_step(session_, make_run(feeds, fetches, targets, options));
  }

  Result<std::unique_ptr<Callable>> make_callable(
      const Refs& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    auto id = make<MakeCallable>(feeds, fetches, targets, options);
    if (!id) return id.status();
    return std::unique_ptr<Callable>(std::make_unique<LocalCallable>(session_, *id, options));
  }

  Result<std::unique_ptr<PartialRun>> partial_run_setup(
      const Refs& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    auto id = make<SetUpPartialRun>(feeds, fetches, targets, options);
    if (!id) return id.status();
    return std::unique_ptr<PartialRun>(std::make_unique<LocalPartialRun>(session_, *id));
  }

  Result<StepExplanation> explain(
      const Refs& feeds, const Refs& fetches, const Refs& targets) override {
    if (session_->is_closed()) return session_->closed_error();
    if (auto status = sent_.check(feeds); !status.ok()) return status;
    if (auto status = sent_.check({}, fetches, targets); !status.ok()) return status;
    return session_->ask<Result<StepExplanation>>([&](auto done) {
      return ExplainSignature{names_of(feeds), names_of(fetches), names_of(targets), done};
    });
  }

  Status start_runner(const std::string& name, const RunnerSpec& spec) override {
    if (session_->is_closed()) return session_->closed_error();
    return session_->ask<Status>([&](auto done) { return StartRunner{name, spec, done}; });
  }

  const std::vector<std::string>& warnings() const override { return warnings_; }

  Status close() override {
    // One that has ended already is closed, as was asked.
    if (!session_->close()) (void)session_->ask<Status>([&](auto done) { return Close{done}; });
    return {};
  }

 private:
  /// Makes a session object with a MakeCallable or SetUpPartialRun, and returns its id.
  template <class Call>
  Result<CallId> make(
      const Refs& feeds, const Refs& fetches, const Refs& targets, const RunOptions& options) {
    if (session_->is_closed()) return session_->closed_error();
    if (auto status = sent_.check(feeds); !status.ok()) return status;
    if (auto status = sent_.check({}, fetches, targets); !status.ok()) return status;
    auto id = session_->next_call();
    auto status = session_->ask<Status>([&](auto done) {
      return Call{id, names_of(feeds), names_of(fetches), names_of(targets), options, done};
    });
    if (!status.ok()) return status;
    return id;
  }

  SharedLocalSession session_;
  const std::vector<std::string> warnings_;
  std::mutex extend_mutex_;
  SentGraph sent_;
};

}  // namespace

std::vector<std::string> names_of(const Refs& refs) {
  std::vector<std::string> names;
  names.reserve(refs.size());
  for (const auto& ref : refs) names.push_back(ref.name);
  return names;
}

std::vector<std::pair<std::string, Tensor>> named(const std::vector<Feed>& feeds) {
  std::vector<std::pair<std::string, Tensor>> values;
  values.reserve(feeds.size());
  for (const auto& feed : feeds) values.emplace_back(feed.output.name, feed.value);
  return values;
}

Run make_run(
    const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
    const RunOptions& options) {
  return {
      .call = 0,
      .feeds = named(feeds),
      .fetches = names_of(fetches),
      .targets = names_of(targets),
      .options = options,
      .done = {}};
}

std::unique_ptr<Session> make_local_session(
    caf::actor_system& system, SessionActor actor, std::shared_ptr<const SessionEnd> end,
    const SessionOptions& options) {
  return std::make_unique<LocalSession>(system, std::move(actor), std::move(end), options);
}

}  // namespace troupe
