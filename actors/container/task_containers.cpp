#include "troupe/actors/container/task_containers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "troupe/actors/error.hpp"

namespace troupe {
namespace {

template <class Value>
void append(std::vector<Value>& to, std::vector<Value>& from) {
  std::ranges::move(from, std::back_inserter(to));
}

std::map<std::string, NewResources> by_container(const NewResources& resources) {
  std::map<std::string, NewResources> sorted;
  for (const auto& made : resources) sorted[made.name.container].push_back(made);
  return sorted;
}

}  // namespace

TaskContainers::~TaskContainers() {
  for (auto& [name, actor] : containers_)
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

void TaskContainers::begin(TaskProtocol::pointer self, const TaskSettings& settings) {
  self_ = self;
  settings_ = &settings;
}

ContainerActor& TaskContainers::container(const std::string& name) {
  auto& found = containers_[name];
  if (!found) found = spawn_container(self_->system(), name, settings_->resource_index);
  return found;
}

void TaskContainers::bind(const Bind& call, std::function<void(Status, Bindings)> then) {
  auto all = std::make_shared<Gather<Bindings>>(std::move(then));
  auto add = [all](const Status& status, Bindings& found) {
    all->value.resources.merge(found.resources);
    append(all->value.created, found.created);
    append(all->value.absent, found.absent);
    all->arrived(status);
  };
  std::map<std::string, std::vector<ResourceUse>> uses;
  for (const auto& use : call.uses) uses[use.name.container].push_back(use);
  for (auto& [name, used] : uses) {
    all->expect();
    if (auto found = containers_.find(name); found != containers_.end()) {
      self_->request(found->second, caf::infinite, Bind{call.device, std::move(used)})
          .then(add, [all](const caf::error& error) { all->arrived(to_status(error)); });
      continue;
    }
    auto made = bind_new(used);
    auto bindings = made ? *std::move(made) : Bindings();
    add(made.status(), bindings);
  }
  all->arrived({});
}

void TaskContainers::commit(const Commit& call, DoneStatus then) {
  auto then_all = [this, call, then = std::move(then)](const Status& status, bool) {
    if (status.ok()) return then(status);
    withdraw({call.resources}, [then, status] { then(status); });
  };
  auto all = std::make_shared<Gather<bool>>(std::move(then_all));
  for (auto& [name, resources] : by_container(call.resources)) {
    all->expect();
    self_->request(container(name), caf::infinite, Commit{call.device, resources})
        .then(
            [all](const Status& status) { all->arrived(status); },
            [all](const caf::error& error) { all->arrived(to_status(error)); });
  }
  all->arrived({});
}

void TaskContainers::withdraw(const Withdraw& call, std::function<void()> then) {
  auto all = make_count(std::move(then));
  for (auto& [name, resources] : by_container(call.resources))
    if (auto found = containers_.find(name); found != containers_.end())
      request(found->second, Withdraw{resources}, all);
  all->arrived({});
}

void TaskContainers::reset(const ContainerChoice& chosen, std::function<void()> then) {
  auto all = make_count(std::move(then));
  for (auto& [name, actor] : containers_)
    if (chosen.contains(name)) request(actor, ResetContainer{}, all);
  all->arrived({});
}

TaskContainers::Count TaskContainers::make_count(std::function<void()> then) {
  return std::make_shared<Gather<bool>>([then = std::move(then)](const Status&, bool) { then(); });
}

/// A container that has ended has dropped its resources.
template <class Message>
void TaskContainers::request(const ContainerActor& actor, Message message, const Count& all) {
  all->expect();
  self_->request(actor, caf::infinite, std::move(message))
      .then([all] { all->arrived({}); }, [all](const caf::error&) { all->arrived({}); });
}

bool TaskContainers::end_private(uint64_t session) {
  auto ended = std::erase_if(containers_, [&](const auto& entry) {
    auto is_ended = is_private_of(session, entry.first);
    if (is_ended) caf::anon_send_exit(entry.second, caf::exit_reason::user_shutdown);
    return is_ended;
  });
  return ended > 0;
}

void TaskContainers::list(std::function<void(TaskResources)> then) const {
  auto all = std::make_shared<Gather<TaskResources>>(
      [then = std::move(then)](const Status&, TaskResources found) { then(std::move(found)); });
  for (const auto& [name, actor] : containers_) {
    all->expect();
    self_->request(actor, caf::infinite, ListContainer{settings_->world->now()})
        .then(
            [all](TaskResources& found) {
              append(all->value.resources, found.resources);
              all->arrived({});
            },
            [all](const caf::error&) { all->arrived({}); });
  }
  all->arrived({});
}

void TaskContainers::list_held(std::function<void(HeldResources)> then) const {
  auto all = std::make_shared<Gather<HeldResources>>(
      [then = std::move(then)](const Status&, HeldResources held) { then(std::move(held)); });
  for (const auto& [name, actor] : containers_) {
    if (is_private(name)) continue;
    all->expect();
    self_->request(actor, caf::infinite, ListHeldResources{})
        .then(
            [all](HeldResources& held) {
              append(all->value.names, held.names);
              append(all->value.devices, held.devices);
              all->arrived({});
            },
            [all](const caf::error&) { all->arrived({}); });
  }
  all->arrived({});
}

}  // namespace troupe
