#include "troupe/capnp/python/native/simulation/simulated_cluster.hpp"

#include <algorithm>

#include "troupe/graph/sent_graph.hpp"

namespace troupe::python {
namespace {

using Shared = std::shared_ptr<SimulatedCluster>;

/// What a session has made. Destroys it while no call of the cluster runs.
template <class T>
class Held {
 public:
  Held(Shared cluster, std::unique_ptr<T> made)
      : cluster_(std::move(cluster)), made_(std::move(made)) {}
  Held(Held&&) = default;
  ~Held() {
    if (made_) cluster_->lock([this] { made_.reset(); });
  }

  T* operator->() const { return made_.get(); }
  SimulatedCluster& cluster() const { return *cluster_; }
  const Shared& shared() const { return cluster_; }

 private:
  Shared cluster_;
  std::unique_ptr<T> made_;
};

class SimulatedStep final : public PendingStep {
 public:
  SimulatedStep(Shared cluster, std::unique_ptr<PendingStep> step)
      : step_(std::move(cluster), std::move(step)) {}

  bool done() override {
    bool is_done = false;
    step_.cluster().lock([&] { is_done = step_->done(); });
    return is_done;
  }
  /// Waits until the step has ended: what time passes in the cluster meanwhile is not the caller's.
  bool wait_for(std::chrono::milliseconds) override {
    (void)wait();
    return true;
  }
  /// Runs the cluster until the step has ended, as nothing else would.
  void when_done(std::function<void()> call) override {
    (void)wait();
    call();
  }
  Result<Tensors> wait() override {
    // The client has given up a step that was not answered: it does not wait for that once more.
    if (!failure_.ok()) return failure_;
    auto values = step_.cluster().call([&](sim::Cluster&) { return step_->wait(); });
    failure_ = values.status();
    return values;
  }
  void cancel() override {
    step_.cluster().lock([&] { step_->cancel(); });
  }
  RunMetadata metadata() override { return step_->metadata(); }

 private:
  Held<PendingStep> step_;
  Status failure_;
};

/// Starts a step by `start`; one that has failed where the cluster refuses the call.
template <class Start>
std::unique_ptr<PendingStep> start_step(const Shared& cluster, Start start) {
  auto started =
      cluster->call([&](sim::Cluster&) -> Result<std::unique_ptr<PendingStep>> { return start(); });
  if (!started) return make_failed_step(started.status());
  return std::make_unique<SimulatedStep>(cluster, *std::move(started));
}

class SimulatedCallable final : public Callable {
 public:
  explicit SimulatedCallable(Held<Callable> callable) : callable_(std::move(callable)) {}

  Result<Tensors> run(const Tensors& feeds) override {
    return callable_.cluster().call([&](sim::Cluster&) { return callable_->run(feeds); });
  }
  std::unique_ptr<PendingStep> start(const Tensors& feeds) override {
    return start_step(callable_.shared(), [&] { return callable_->start(feeds); });
  }

 private:
  Held<Callable> callable_;
};

class SimulatedPartialRun final : public PartialRun {
 public:
  explicit SimulatedPartialRun(Held<PartialRun> run) : run_(std::move(run)) {}

  Result<Tensors> run(const std::vector<Feed>& feeds, const Refs& fetches) override {
    return run_.cluster().call([&](sim::Cluster&) { return run_->run(feeds, fetches); });
  }
  void cancel() override {
    run_.cluster().lock([&] { run_->cancel(); });
  }

 private:
  Held<PartialRun> run_;
};

class SimulatedSession final : public Session {
 public:
  explicit SimulatedSession(Held<Session> session) : session_(std::move(session)) {}

  Status extend(const Graph& graph) override {
    return call([&] { return session_->extend(graph); });
  }
  Result<Tensors> run(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    return call([&] { return session_->run(feeds, fetches, targets, options); });
  }
  std::unique_ptr<PendingStep> start(
      const std::vector<Feed>& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    return start_step(
        session_.shared(), [&] { return session_->start(feeds, fetches, targets, options); });
  }
  Result<std::unique_ptr<Callable>> make_callable(
      const Refs& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    auto made = call([&] { return session_->make_callable(feeds, fetches, targets, options); });
    if (!made) return made.status();
    return std::unique_ptr<Callable>(
        std::make_unique<SimulatedCallable>(Held(session_.shared(), *std::move(made))));
  }
  Result<std::unique_ptr<PartialRun>> partial_run_setup(
      const Refs& feeds, const Refs& fetches, const Refs& targets,
      const RunOptions& options) override {
    auto made = call([&] { return session_->partial_run_setup(feeds, fetches, targets, options); });
    if (!made) return made.status();
    return std::unique_ptr<PartialRun>(
        std::make_unique<SimulatedPartialRun>(Held(session_.shared(), *std::move(made))));
  }
  Result<StepExplanation> explain(
      const Refs& feeds, const Refs& fetches, const Refs& targets) override {
    return call([&] { return session_->explain(feeds, fetches, targets); });
  }
  Status start_runner(const std::string& name, const RunnerSpec& spec) override {
    return call([&] { return session_->start_runner(name, spec); });
  }
  const std::vector<std::string>& warnings() const override { return session_->warnings(); }
  Status close() override {
    return call([&] { return session_->close(); });
  }

 private:
  template <class Work>
  auto call(Work work) -> decltype(work()) {
    return session_.cluster().call([&](sim::Cluster&) { return work(); });
  }

  Held<Session> session_;
};

}  // namespace

Status SimulatedCluster::check_thread() const {
  if (std::this_thread::get_id() != owner_)
    return failed_precondition(
        "a simulated cluster is driven by the thread that made it, and this is another one: the "
        "order of calls would not follow from the seed");
  if (is_closed_) return failed_precondition("the simulated cluster is closed");
  return {};
}

Status SimulatedCluster::close() {
  if (is_closed_) return {};
  auto status = call([](sim::Cluster&) { return Status(); });
  if (std::this_thread::get_id() == owner_) is_closed_ = true;
  return status;
}

Result<std::unique_ptr<Session>> SimulatedCluster::open_session(
    const std::string& task, const SessionOptions& options) {
  auto opened = call([&](sim::Cluster& cluster) -> Result<std::unique_ptr<Session>> {
    if (!std::ranges::count(sim::task_names(cluster.spec()), task))
      return invalid_argument("the simulated cluster has no task " + task);
    return cluster.open_session(task, options);
  });
  if (!opened) return opened.status();
  return std::unique_ptr<Session>(
      std::make_unique<SimulatedSession>(Held(shared_from_this(), *std::move(opened))));
}

}  // namespace troupe::python
