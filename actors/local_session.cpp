#include "troupe/actors/local_session.hpp"

#include <mutex>

#include "troupe/actors/local_line.hpp"
#include "troupe/actors/local_step.hpp"

namespace troupe {
namespace {

class LocalCallable final : public Callable {
 public:
  LocalCallable(SharedLine line, CallId id, const RunOptions& options)
      : line_(std::move(line)), id_(id), options_(options) {}
  ~LocalCallable() override { line_->send(Release{id_}); }

  Result<Tensors> run(const Tensors& feeds) override {
    if (line_->is_closed()) return LocalLine::closed_error();
    return line_->ask<Result<Tensors>>([&](auto done) {
      auto run = call(feeds);
      run.call = line_->next_call();
      run.done = done;
      return run;
    });
  }
  std::unique_ptr<PendingStep> start(const Tensors& feeds) override {
    return start_local_step(line_, call(feeds));
  }

 private:
  RunCallable call(const Tensors& feeds) const {
    return {.call = 0, .callable = id_, .feeds = feeds, .options = options_, .done = {}};
  }

  SharedLine line_;
  CallId id_;
  RunOptions options_;
};

class LocalPartialRun final : public PartialRun {
 public:
  LocalPartialRun(SharedLine line, CallId id) : line_(std::move(line)), id_(id) {}
  ~LocalPartialRun() override { line_->send(Release{id_}); }

  Result<Tensors> run(const std::vector<Feed>& feeds, const Refs& fetches) override {
    if (line_->is_closed()) return LocalLine::closed_error();
    return line_->ask<Result<Tensors>>([&](auto done) {
      return RunPartially{id_, named(feeds), names_of(fetches), done};
    });
  }
  void cancel() override { line_->send(CancelRun{id_}); }

 private:
  SharedLine line_;
  CallId id_;
};

class LocalSession final : public Session {
 public:
  LocalSession(caf::actor_system& system, SessionActor actor, const SessionOptions& options)
      : line_(std::make_shared<LocalLine>(system, std::move(actor))),
        warnings_(warnings_of(options)) {}
  ~LocalSession() override { (void)close(); }

  Status extend(const Graph& graph) override {
    std::lock_guard lock(extending_);
    if (line_->is_closed()) return LocalLine::closed_error();
    if (static_cast<uint64_t>(graph.size()) < sent_)
      return invalid_argument("this is not the graph that the session was given before");
    std::vector<NodeDef> nodes;
    for (auto id = static_cast<NodeId>(sent_); id < graph.size(); ++id)
      nodes.push_back(graph.def_of(id));
    auto count = nodes.size();
    auto status = line_->ask<Status>([&](auto done) {
      return Extend{std::move(nodes), sent_, done};
    });
    if (status.ok()) sent_ += count;
    return status;
  }

  Result<Tensors> run(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    if (line_->is_closed()) return LocalLine::closed_error();
    auto run = make_run(feeds, fetches, targets, options);
    run.call = line_->next_call();
    return line_->ask<Result<Tensors>>([&](auto done) {
      run.done = done;
      return std::move(run);
    });
  }

  std::unique_ptr<PendingStep> start(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    return start_local_step(line_, make_run(feeds, fetches, targets, options));
  }

  Result<std::unique_ptr<Callable>> make_callable(
      const Refs& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    auto id = make<MakeCallable>(feeds, fetches, targets, options);
    if (!id) return id.status();
    return std::unique_ptr<Callable>(std::make_unique<LocalCallable>(line_, *id, options));
  }

  Result<std::unique_ptr<PartialRun>> partial_run_setup(
      const Refs& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    auto id = make<SetUpPartialRun>(feeds, fetches, targets, options);
    if (!id) return id.status();
    return std::unique_ptr<PartialRun>(std::make_unique<LocalPartialRun>(line_, *id));
  }

  const std::vector<std::string>& warnings() const override { return warnings_; }

  Status close() override {
    if (line_->close()) return {};
    return line_->ask<Status>([&](auto done) { return Close{done}; });
  }

 private:
  /// Has the session make something of the kind that the call asks for, and returns its name.
  template <class Call>
  Result<CallId> make(
      const Refs& feeds, const Refs& fetches, const Refs& targets, const RunOptions& options) {
    if (line_->is_closed()) return LocalLine::closed_error();
    auto id = line_->next_call();
    auto status = line_->ask<Status>([&](auto done) {
      return Call{id, names_of(feeds), names_of(fetches), names_of(targets), options, done};
    });
    if (!status.ok()) return status;
    return id;
  }

  SharedLine line_;
  const std::vector<std::string> warnings_;
  std::mutex extending_;
  uint64_t sent_ = 0;
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
    caf::actor_system& system, SessionActor actor, const SessionOptions& options) {
  return std::make_unique<LocalSession>(system, std::move(actor), options);
}

}  // namespace troupe
