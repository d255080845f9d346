#include "troupe/actors/task/session_set.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "troupe/actors/session/session_view.hpp"
#include "troupe/devices/local_devices.hpp"

namespace troupe {

void SessionSet::begin(
    TaskProtocol::pointer self, const TaskSettings& settings, std::vector<Candidate> devices) {
  self_ = self;
  settings_ = &settings;
  devices_ = std::move(devices);
}

SessionSet::~SessionSet() {
  for (auto& [address, session] : sessions_)
    caf::anon_send_exit(session.actor, caf::exit_reason::user_shutdown);
}

std::string SessionSet::own_name() const {
  return task_name(settings_->config.job, settings_->config.task);
}

Result<OwnedSessionActor> SessionSet::open(const CreateSession& call, const MakeRunner* runner) {
  auto options = call.options;
  if (auto status = check_options(options); !status.ok()) return status;
  if (settings_->sessions_max > 0 && size() >= settings_->sessions_max)
    return resource_exhausted(
               own_name() + " has " + std::to_string(size()) +
               " sessions, and takes no more than " + std::to_string(settings_->sessions_max))
        .at({.task = own_name()});
  auto view = make_view(options, settings_->config.cluster, devices_);
  if (!view) return view.status();
  if (runner) options.operation_timeout = {};
  auto use = std::make_shared<SessionCounters>();
  Entry entry;
  entry.id = settings_->world->random();
  entry.client = call.client;
  entry.runner = runner ? runner->call.spec.container + "/" + runner->call.name : "";
  entry.opened = settings_->world->now();
  entry.use = use;
  entry.actor = spawn_session(
      self_->system(), caf::actor_cast<TaskActor>(self_),
      {.id = entry.id,
       .runner = entry.runner,
       .graph = runner ? runner->graph : nullptr,
       .view = *std::move(view),
       .catalog = settings_->catalog,
       .connect_timeout = settings_->connect_timeout,
       .world = settings_->world,
       .metrics = settings_->metrics,
       .options = std::move(options),
       .end = call.end,
       .use = std::move(use),
       .idle_limit = runner ? std::chrono::milliseconds(0) : settings_->session_idle_limit,
       .log = settings_->log,
       .device = find_host_device(settings_->devices),
       .dump_graphs = settings_->dump_graphs});
  auto session = entry.actor;
  sessions_.emplace(session.address(), std::move(entry));
  self_->monitor(session);
  return session;
}

void SessionSet::close(
    const std::string& closed_by,
    const std::function<bool(const caf::actor_addr&)>& is_chosen) const {
  for (const auto& [address, session] : sessions_)
    if (is_chosen(address)) self_->send(session.actor, CloseByTask{closed_by});
}

TaskSessions SessionSet::list() const {
  TaskSessions list;
  for (const auto& [address, session] : sessions_)
    list.sessions.push_back(
        {.id = session.id,
         .task = own_name(),
         .client = session.client,
         .runner = session.runner,
         .age = std::chrono::duration_cast<std::chrono::milliseconds>(
             settings_->world->now() - session.opened),
         .nodes = session.use->nodes,
         .running_steps = static_cast<uint64_t>(session.use->runs.load()),
         .steps = session.use->steps});
  return list;
}

void SessionSet::list_waiting_steps(const ListWaitingSteps& call) const {
  // Each session answers on the thread that it runs on.
  struct Answers {
    std::mutex mutex;
    std::vector<WaitingStep> steps;
  };
  auto answers = std::make_shared<Answers>();
  // Each callback owns a share; the call is answered when the last one is released, even if a
  // session ends without answering.
  std::shared_ptr<void> last(
      nullptr, [answers, done = call.done](void*) { done(std::move(answers->steps)); });
  send_all(ListWaitingSteps{call.timeout, [answers, last](auto found) {
                              if (!found) return;
                              std::lock_guard lock(answers->mutex);
                              std::ranges::move(*found, std::back_inserter(answers->steps));
                            }});
}

/// Asks all sessions: each knows whether it is meant. The first answer counts; there is none when
/// no session has kept the call.
void SessionSet::trace_next_step(const TraceNextStep& call) const {
  auto is_answered = std::make_shared<std::atomic<bool>>(false);
  auto done = [is_answered, done = call.done](Result<RunMetadata> metadata) {
    if (!is_answered->exchange(true)) done(std::move(metadata));
  };
  auto which = call.session == 0 ? "no session" : "no session " + std::to_string(call.session);
  auto none = own_name() + " has " + which + ", or it has ended";
  std::shared_ptr<void> last(nullptr, [done, none](void*) { done(not_found(none)); });
  send_all(TraceNextStep{
      call.session, call.options, [done, last](auto metadata) { done(std::move(metadata)); }});
}

}  // namespace troupe
