#pragma once

#include <caf/all.hpp>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "troupe/actors/client_messages.hpp"
#include "troupe/capnp/server/rpc_server.hpp"
#include "troupe/tests/capnp/fake_answers.hpp"
#include "troupe/tests/test_timeout.hpp"

namespace troupe::testing {

/// Records the messages that the fake actors receive, for the tests to wait for and inspect.
class Record {
 public:
  void add(std::string what) {
    std::lock_guard lock(mutex_);
    recorded_.push_back(std::move(what));
    changed_.notify_all();
  }
  /// False if that is not recorded in time.
  bool wait_for(const std::string& what) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(
        lock, test_timeout, [&] { return std::ranges::find(recorded_, what) != recorded_.end(); });
  }
  std::vector<NodeDef> nodes;  // of the last Extend
  RunOptions options;          // of the last callable
  SessionOptions session_options;
  RunnerSpec runner;              // of the last StartRunner
  Done<SessionActor> unanswered;  // of the last CreateSession with device filters

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> recorded_;
};

using SharedRecord = std::shared_ptr<Record>;

/// A session without a graph. It answers a step by the name of its first target: "echo" with the
/// feeds, "fail" with an error that has all fields, "wait" when it is cancelled, "thread" from
/// another thread, "forget" never, "block" after blocking the RPC thread until the record has
/// "go on"; any other with a scalar for each fetch.
struct FakeSession {
  FakeSession() = default;
  std::map<CallId, Done<Tensors>> waiting;
};

inline void fake_run(FakeSession& state, const SharedRecord& record, Run& run) {
  auto target = run.targets.empty() ? "" : run.targets[0];
  Tensors values;
  if (target == "echo")
    for (auto& [name, value] : run.feeds) values.push_back(value);
  else
    for (size_t i = 0; i < run.fetches.size(); ++i) values.push_back(Tensor::scalar<float>(42));
  if (run.on_metadata && run.options.wants_metadata()) run.on_metadata(full_metadata());
  if (target == "fail") return run.done(full_error());
  if (target == "thread") {
    std::thread([done = run.done, values] { done(values); }).detach();
    return;
  }
  if (target == "forget") return;
  if (target == "block") {
    record->add("block");
    CHECK(record->wait_for("go on"));
  }
  if (target != "wait") return run.done(values);
  state.waiting[run.call] = run.done;
  record->add("wait");
}

inline SessionActor::behavior_type fake_session(
    SessionActor::stateful_pointer<FakeSession> self, SharedRecord record) {
  auto& state = self->state;
  return {
      [record](Extend& extend) {
        record->nodes = extend.nodes;
        extend.done(extend.expected_size == 7 ? aborted("not seven") : Status());
      },
      [&state, record](Run& run) { fake_run(state, record, run); },
      [record](MakeCallable& make) {
        record->options = make.options;
        make.done(make.fetches.empty() ? invalid_argument("nothing to fetch") : Status());
      },
      [&state, record](RunCallable& run) {
        if (run.on_metadata && run.options.wants_metadata()) run.on_metadata(full_metadata());
        if (!run.feeds.empty()) return run.done(run.feeds);
        state.waiting[run.call] = run.done;
        record->add("wait");
      },
      [record](SetUpPartialRun& set_up) {
        set_up.done(set_up.feeds.empty() ? full_error() : Status());
      },
      [&state, record](RunPartially& run) {
        Tensors values;
        for (auto& [name, value] : run.feeds) values.push_back(value);
        if (!values.empty()) return run.done(values);
        state.waiting[run.partial_run] = run.done;
        record->add("wait");
      },
      [&state, record](Release& release) {
        state.waiting.erase(release.object);
        record->add("release");
      },
      [&state, record](CancelRun& cancel) {
        record->add("cancel");
        auto found = state.waiting.find(cancel.call);
        if (found == state.waiting.end()) return;
        found->second(cancelled("the step was cancelled"));
        state.waiting.erase(found);
      },
      [self, record](Close& close) {
        record->add("close");
        close.done(Status());
        self->quit();
      },
      [](ExplainSignature& call) {
        auto explanation = full_explanation();
        explanation.nodes[0].inputs = call.feeds;
        explanation.nodes[0].alternatives = call.fetches;
        explanation.nodes[0].why = call.targets.empty() ? "" : call.targets[0];
        if (call.fetches.empty()) call.done(invalid_argument("nothing to fetch"));
        else call.done(explanation);
      },
      [record](StartRunner& call) {
        record->runner = call.spec;
        call.done(call.name == "taken" ? full_error() : Status());
      }};
}

inline std::string text_of(const Join& request) {
  return "join " + request.cluster + " " + std::to_string(request.version) + " " + request.job +
         " " + request.address;
}

inline MasterActor::behavior_type fake_master(MasterActor::pointer self, SharedRecord record) {
  return {
      [self, record](CreateSession& create) {
        record->session_options = create.options;
        record->add("session of " + create.client);
        if (create.options.isolate_state) return create.done(resource_exhausted("no room"));
        if (!create.options.device_filters.empty()) record->unanswered = create.done;
        else create.done(SessionActor(self->spawn(fake_session, record)));
      },
      [](ListDevices& list) { list.done(fake_devices()); },
      [](ListResources& list) { list.done(fake_resources()); },
      [](ListRunners& list) { list.done(fake_runners()); },
      [](ListSessions& list) { list.done(fake_sessions()); },
      [record](ControlRunner& call) {
        const auto& [name, action] = call.what;
        record->add(
            "runner " + name.container + "/" + name.name + " " +
            std::to_string(static_cast<int>(action)) + " " + std::to_string(call.timeout.count()));
        call.done(name.name == "input" ? Status() : not_found("no runner"));
      },
      [record](Reset& reset) {
        if (reset.containers.all) {
          record->add("reset all of " + reset.only_task);
          return reset.done({});
        }
        record->add("reset " + std::to_string(reset.containers.names.size()));
        reset.done(
            reset.containers.names.empty() ? invalid_argument("nothing to reset") : Status());
      },
      [record](Drain& drain) {
        record->add("drain " + std::to_string(drain.timeout.count()));
        drain.done(deadline_exceeded("a step was cancelled"));
      },
      [record](ForgetTask& call) {
        record->add("forget " + call.task + " " + std::to_string(call.timeout.count()));
        call.done(failed_precondition("it is alive"));
      },
      [record](AdmitTask& call) {
        record->add(text_of(call.request));
        if (call.request.job == "full") return call.done(full_error());
        call.done(fake_joined());
      },
      [](ListWaitingSteps& explain) { explain.done(fake_waiting_steps()); },
      [](TraceNextStep& call) {
        if (call.session == 7) call.done(full_metadata());
        else call.done(not_found("there is no such session"));
      },
      [](GetNodeInfo& get) {
        get.done(NodeInfo{
            .job = "ps",
            .task = 1,
            .incarnation = 5,
            .protocol_version = 1,
            .cluster = *ClusterSpec::make({{"ps", {{1, "localhost:2222"}}}}),
            .sessions = 2,
            .steps = 3,
            .late_messages = 4});
      }};
}

struct FakeConfig : caf::actor_system_config {
  FakeConfig() {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", 1);
  }
};

/// A real RPC server in front of fake actors.
struct FakeNode {
  FakeNode() : rpc_server(open()) {
    auto served = rpc_server->serve(Service{
        .system = system,
        .master = master,
        .stop =
            [record = record](std::chrono::milliseconds time, const DoneStatus& drained) {
              record->add("stop " + std::to_string(time.count()));
              drained(Status());
            },
        .identity = {.job = "ps", .task = 1, .incarnation = 5, .protocol_version = 1}});
    CHECK(served.ok());
  }
  ~FakeNode() {
    rpc_server.reset();
    caf::anon_send_exit(master, caf::exit_reason::user_shutdown);
  }
  static std::unique_ptr<RpcServer> open() {
    auto opened = RpcServer::open("127.0.0.1", 0);
    CHECK(opened.ok());
    return *std::move(opened);
  }

  std::string target() const { return "troupe://127.0.0.1:" + std::to_string(rpc_server->port()); }

  FakeConfig config;
  caf::actor_system system{config};
  SharedRecord record = std::make_shared<Record>();
  MasterActor master = system.spawn(fake_master, record);
  std::unique_ptr<RpcServer> rpc_server;
};

}  // namespace troupe::testing
