#include "troupe/actors/runner/runner_set.hpp"

#include <utility>

#include "troupe/actors/error.hpp"
#include "troupe/actors/gather.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {
namespace {

Status check_spec(const RunnerSpec& spec, const Graph& graph) {
  if (spec.enqueue_ops.empty() || spec.enqueue_ops.size() > RunnerSpec::enqueue_ops_max)
    return invalid_argument(
        "a runner has 1 to " + std::to_string(RunnerSpec::enqueue_ops_max) + " enqueue ops, not " +
        std::to_string(spec.enqueue_ops.size()));
  auto ops = spec.enqueue_ops;
  for (const auto& op : {spec.close_op, spec.cancel_op})
    if (!op.empty()) ops.push_back(op);
  for (const auto& op : ops)
    if (auto found = graph.find(op); !found) return found.status();
  return check_container(spec.container);
}

Status check_name(const ResourceName& name) {
  if (!is_graph_name(name.name))
    return invalid_argument(
        "'" + name.name + "' is no name for a runner: letters, digits and _ . - / are allowed");
  if (!name.name.starts_with('_') && !name.container.starts_with('_')) return {};
  return invalid_argument("names that begin with '_' are reserved");
}

std::string text_of(const ResourceName& name) {
  return "'" + name.name + "'" +
         (name.container.empty() ? "" : " of container '" + name.container + "'");
}

Status no_runner(const ResourceName& name) {
  return not_found("there is no runner " + text_of(name));
}

Status name_is_taken(const ResourceName& name) {
  return Status(
      Code::already_exists,
      "there is a runner " + text_of(name) +
          ", or another resource of that name: stop it, or choose another name");
}

}  // namespace

RunnerSet::~RunnerSet() {
  for (auto& [name, runner] : runners_)
    caf::anon_send_exit(runner.actor, caf::exit_reason::user_shutdown);
}

void RunnerSet::begin(
    TaskProtocol::pointer self, const TaskSettings& settings, std::string device, OpenSession open,
    CommitResource commit, WithdrawResource withdraw) {
  self_ = self;
  settings_ = &settings;
  device_ = std::move(device);
  open_ = std::move(open);
  commit_ = std::move(commit);
  withdraw_ = std::move(withdraw);
}

Status RunnerSet::check(const MakeRunner& call, const ResourceName& name) const {
  if (call.options.isolate_state)
    return invalid_argument("a session with variables of its own leaves no runners");
  if (auto status = check_name(name); !status.ok()) return status;
  if (auto status = check_spec(call.call.spec, *call.graph); !status.ok()) return status;
  if (runners_.contains(name)) return name_is_taken(name);
  if (runners_.size() < settings_->runners_max) return {};
  auto task = task_name(settings_->config.job, settings_->config.task);
  return resource_exhausted(
             task + " has " + std::to_string(runners_.size()) + " runners, and takes no more")
      .at({.task = task});
}

void RunnerSet::make(const MakeRunner& call) {
  ResourceName name{call.call.spec.container, call.call.name};
  auto status = check(call, name);
  auto session = status.ok() ? open_(call) : Result<OwnedSessionActor>(status);
  if (!session) return call.call.done(session.status());
  auto actor = spawn_runner(
      self_->system(), {.name = name,
                        .spec = call.call.spec,
                        .task = task_name(settings_->config.job, settings_->config.task),
                        .session = *session,
                        .world = settings_->world,
                        .metrics = settings_->metrics,
                        .log = settings_->log});
  self_->monitor(actor);
  sessions_.insert(session->address());
  runners_[name] = {.actor = actor, .resource = std::make_shared<RunnerResource>(actor)};
  commit(name, runners_[name], call.call.done, /*is_first=*/true);
}

/// Puts the runner into its container, then begins it. A name that is taken may be that of a
/// resource of a dead task, whose place is forgotten once the directory service looks.
void RunnerSet::commit(
    const ResourceName& name, const Entry& runner, const DoneStatus& done, bool is_first) {
  NewResources resources{{.name = name, .resource = runner.resource}};
  commit_({device_, resources}, [=, this](const Status& status) {
    if (status.code() != Code::aborted) return committed(name, runner, status, done);
    if (!is_first) return committed(name, runner, name_is_taken(name), done);
    withdraw_({resources}, [=, this] { commit(name, runner, done, /*is_first=*/false); });
  });
}

void RunnerSet::committed(
    const ResourceName& name, const Entry& runner, const Status& status, const DoneStatus& done) {
  if (status.ok()) {
    if (auto* found = find(name, runner.actor.address())) found->has_begun = true;
    self_->send(runner.actor, BeginRunner{});
  } else {
    self_->send(runner.actor, DropRunner{});
    actor_ended(runner.actor.address());
  }
  done(status);
}

RunnerSet::Entry* RunnerSet::find(const ResourceName& name, const caf::actor_addr& actor) {
  auto found = runners_.find(name);
  return found != runners_.end() && found->second.actor == actor ? &found->second : nullptr;
}

caf::result<Status> RunnerSet::control(const ControlTaskRunner& call) {
  auto found = runners_.find(call.name);
  if (found == runners_.end() || !found->second.has_begun) return no_runner(call.name);
  auto promise = self_->make_response_promise<Status>();
  auto answer = [this, call, runner = found->second, promise](const Status& status) mutable {
    if (call.action != RunnerAction::stop) return void(promise.deliver(status));
    withdraw_({{{.name = call.name, .resource = runner.resource}}}, [promise]() mutable {
      promise.deliver(Status());
    });
  };
  self_->request(found->second.actor, caf::infinite, call)
      .then(answer, [answer, call](const caf::error&) mutable { answer(no_runner(call.name)); });
  return promise;
}

caf::result<TaskRunners> RunnerSet::list() const {
  auto promise = self_->make_response_promise<TaskRunners>();
  auto all = std::make_shared<Gather<TaskRunners>>(
      [promise](const Status&, TaskRunners found) mutable { promise.deliver(std::move(found)); });
  for (const auto& [name, runner] : runners_) {
    if (!runner.has_begun) continue;
    all->expect();
    self_->request(runner.actor, caf::infinite, DescribeRunner{})
        .then(
            [all](ListedRunner& found) {
              all->value.runners.push_back(std::move(found));
              all->arrived({});
            },
            [all](const caf::error&) { all->arrived({}); });
  }
  all->arrived({});
  return promise;
}

void RunnerSet::end_all(const Status& why) {
  for (auto& [name, runner] : runners_) self_->send(runner.actor, EndRunner{why});
}

void RunnerSet::actor_ended(const caf::actor_addr& runner) {
  std::erase_if(runners_, [&](const auto& entry) { return entry.second.actor == runner; });
}

}  // namespace troupe
