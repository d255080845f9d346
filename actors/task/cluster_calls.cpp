#include "troupe/actors/task/cluster_calls.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "troupe/actors/error.hpp"
#include "troupe/graph/cluster/device_name.hpp"

namespace troupe {
namespace {

void add(DeviceList& list, const TaskDescription& task) {
  for (const auto& device : task.devices)
    list.devices.push_back(
        {.name = DeviceName{task.job, task.task, device.type, device.index}.to_string(),
         .attributes =
             {.type = device.type,
              .index = device.index,
              .memory_limit = device.memory_limit,
              .description = device.description},
         .incarnation = task.incarnation,
         .memory_in_use = device.memory_in_use,
         .state = task.is_draining ? NodeState::draining : NodeState::serving});
}

/// One error that names all tasks that were not reset.
Status combine(const std::vector<Status>& errors) {
  if (errors.empty()) return {};
  std::string message;
  for (const auto& error : errors) message += (message.empty() ? "" : "; ") + error.message();
  return unavailable("all other tasks were reset, but " + message).at(errors[0].where());
}

}  // namespace

void ClusterCalls::begin(
    TaskProtocol::pointer self, const TaskSettings& settings, PeerMonitor& peers) {
  self_ = self;
  settings_ = &settings;
  peers_ = &peers;
}

/// Calls `each` for every task of the cluster that can be reached in time, including this one, then
/// `done` with the errors, each of which names its task.
void ClusterCalls::for_all_tasks(
    std::chrono::milliseconds timeout, Each each, std::function<void(Errors)> done) {
  auto errors = std::make_shared<Errors>();
  auto pending = std::make_shared<size_t>(1);
  auto arrived = [errors, pending, done](const Status& status) {
    if (!status.ok()) errors->push_back(status);
    if (--*pending == 0) done(*errors);
  };
  for (const auto& [job, tasks] : settings_->config.cluster.jobs())
    for (const auto& [index, address] : tasks) {
      ++*pending;
      for_task({job, index}, timeout, each, arrived);
    }
  arrived({});
}

void ClusterCalls::for_task(
    const TaskKey& key, std::chrono::milliseconds timeout, const Each& each, DoneStatus arrived) {
  peers_->check_reachable(key, timeout, [=, this](const Status& status) {
    if (status.code() == Code::not_found) return arrived(status);  // there is no such task
    if (!status.ok()) return arrived(Status(Code::unavailable, status.message(), status.where()));
    peers_->reach(key, timeout, [key, each, arrived](const Result<TaskActor>& task) {
      if (task) each(key, *task, arrived);
      else arrived(task.status());
    });
  });
}

/// Sends each task a new Hello: the description that is known may be of an earlier incarnation.
void ClusterCalls::list_devices(const ListDevices& call) {
  auto devices = std::make_shared<DeviceList>();
  for_all_tasks(
      call.timeout,
      [this, devices, timeout = call.timeout](
          const TaskKey& key, const TaskActor& task, const DoneStatus& arrived) {
        self_->request(task, timeout, peers_->hello_to(key))
            .then(
                [devices, arrived](const Status& status, const TaskDescription& found) {
                  add(*devices, found);
                  arrived(status);
                },
                [key, arrived](const caf::error& error) {
                  arrived(PeerMonitor::unreachable(key, to_status(error)));
                });
      },
      [devices, done = call.done](Errors errors) {
        std::ranges::sort(devices->devices, {}, &ListedDevice::name);
        devices->missing = std::move(errors);
        done(*devices);
      });
}

/// Asks each task for its part of a list, and answers with the whole, sorted by `order`. `of_task`
/// and `items` are the members of the answers that have the items.
template <class Request, class Part, class List, class Call, class Item, class Order>
void ClusterCalls::list(
    const Call& call, std::vector<Item> Part::*of_task, std::vector<Item> List::*items,
    Order order) {
  auto list = std::make_shared<List>();
  for_all_tasks(
      call.timeout,
      [=, this, timeout = call.timeout](
          const TaskKey& key, const TaskActor& task, const DoneStatus& arrived) {
        self_->request(task, timeout, Request{})
            .then(
                [=](Part& found) {
                  std::ranges::move(found.*of_task, std::back_inserter((*list).*items));
                  arrived({});
                },
                [key, arrived](const caf::error& error) {
                  arrived(PeerMonitor::unreachable(key, to_status(error)));
                });
      },
      [list, items, order, done = call.done](Errors errors) {
        std::ranges::sort((*list).*items, {}, order);
        list->missing = std::move(errors);
        done(*list);
      });
}

void ClusterCalls::list_resources(const ListResources& call) {
  list<ListTaskResources>(
      call, &TaskResources::resources, &ResourceList::resources, &ListedResource::name);
}

void ClusterCalls::list_runners(const ListRunners& call) {
  list<ListTaskRunners>(call, &TaskRunners::runners, &RunnerList::runners, &ListedRunner::name);
}

void ClusterCalls::list_sessions(const ListSessions& call) {
  auto by_age = [](const ListedSession& session) { return std::pair(session.task, -session.age); };
  list<ListTaskSessions>(call, &TaskSessions::sessions, &SessionList::sessions, by_age);
}

void ClusterCalls::control_runner(const ControlRunner& call) {
  auto answer = std::make_shared<std::optional<Status>>();
  for_all_tasks(
      call.timeout,
      [this, answer, call](const TaskKey& key, const TaskActor& task, const DoneStatus& arrived) {
        auto answered = [answer, arrived](const Status& status) {
          if (status.code() != Code::not_found) *answer = status;
          arrived({});
        };
        self_->request(task, call.timeout, call.what)
            .then(answered, [key, arrived](const caf::error& error) {
              arrived(PeerMonitor::unreachable(key, to_status(error)));
            });
      },
      [answer, call](const Errors& errors) {
        const auto& name = call.what.name;
        if (*answer) return call.done(**answer);
        auto none = "no task that answers has a runner '" + name.name + "'" +
                    (name.container.empty() ? "" : " of container '" + name.container + "'");
        if (errors.empty()) return call.done(not_found(none));
        call.done(unavailable(none + "; " + errors[0].message()).at(errors[0].where()));
      });
}

void ClusterCalls::reset(const Reset& call) {
  if (!call.only_task.empty()) return reset_one(call);
  for_all_tasks(call.timeout, reset_request(call), [this, call](const Errors& errors) {
    reconcile(call, combine(errors));
  });
}

void ClusterCalls::reset_one(const Reset& call) {
  auto name = DeviceName::parse(call.only_task);
  if (!name || !name->job || !name->task || name->type)
    return call.done(invalid_argument("'" + call.only_task + "' is no task, as /job:ps/task:0 is"));
  auto address = settings_->config.cluster.task_address(*name->job, *name->task);
  if (!address) return call.done(not_found(address.status().message() + ": no task was reset"));
  for_task(
      {*name->job, *name->task}, call.timeout, reset_request(call),
      [this, call](const Status& status) { reconcile(call, status); });
}

ClusterCalls::Each ClusterCalls::reset_request(const Reset& call) {
  return [this, containers = call.containers, timeout = call.timeout](
             const TaskKey& key, const TaskActor& task, const DoneStatus& arrived) {
    self_->request(task, timeout, ResetContainers{containers})
        .then(
            [arrived](const Status& status) { arrived(status); },
            [key, arrived](const caf::error& error) {
              arrived(PeerMonitor::unreachable(key, to_status(error)));
            });
  };
}

/// Has the directory service forget the dropped resources. If it cannot be reached, they stay in
/// its index, which only prevents placing them on another device.
void ClusterCalls::reconcile(const Reset& call, const Status& result) {
  self_
      ->request(
          caf::actor_cast<TaskActor>(self_), peers_->probe_timeout(), Reconcile{call.containers})
      .then(
          [result, done = call.done](const Status&) { done(result); },
          [result, done = call.done](const caf::error&) { done(result); });
}

}  // namespace troupe
