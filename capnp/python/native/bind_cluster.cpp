#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/convert.hpp"
#include "troupe/graph/cluster/cluster_spec.hpp"
#include "troupe/graph/cluster/server_def.hpp"
#include "troupe/graph/cluster/tf_config.hpp"

namespace troupe::python {
namespace {

using Jobs = std::map<std::string, std::map<int, std::string>>;

ClusterSpec make_cluster(const Jobs& jobs) {
  std::map<std::string, JobTasks> tasks;
  for (const auto& [job, addresses] : jobs) tasks.emplace(job, JobTasks(addresses));
  return take(ClusterSpec::make(tasks));
}

Jobs jobs_of(const ClusterSpec& spec) {
  Jobs jobs;
  for (const auto& [job, tasks] : spec.jobs()) {
    auto& addresses = jobs[job];
    for (const auto& [index, address] : tasks) addresses.emplace(index, address.to_string());
  }
  return jobs;
}

ServerDef make_server_def(
    const ClusterSpec& cluster, const std::string& job, std::optional<int> task,
    const std::string& protocol) {
  return {.cluster = cluster, .job = job, .task = task, .protocol = protocol};
}

nb::dict to_dict(const Role& role) {
  nb::dict fields;
  fields["cluster"] = nb::cast(role.task.cluster);
  fields["job"] = role.task.job;
  fields["task"] = role.task.task;
  fields["is_chief"] = role.is_chief;
  fields["is_evaluator"] = role.is_evaluator;
  fields["is_ps"] = role.is_ps;
  fields["num_ps"] = role.num_ps;
  fields["num_workers"] = role.num_workers;
  return fields;
}

}  // namespace

void bind_cluster(nb::module_& module) {
  nb::class_<ClusterSpec>(module, "ClusterSpec")
      .def_static("make", &make_cluster, nb::arg("jobs"))
      .def_static(
          "parse", [](const std::string& text) { return take(ClusterSpec::parse(text)); },
          nb::arg("text"))
      .def("jobs", &jobs_of)
      .def(
          "num_tasks",
          [](const ClusterSpec& s, const std::string& j) { return take(s.num_tasks(j)); })
      .def(
          "task_indices",
          [](const ClusterSpec& s, const std::string& j) { return take(s.task_indices(j)); })
      .def(
          "task_address", [](const ClusterSpec& s, const std::string& j,
                             int task) { return take(s.task_address(j, task)).to_string(); })
      .def("to_json", &ClusterSpec::to_json)
      .def(
          "__eq__", [](const ClusterSpec& a, const ClusterSpec& b) { return a == b; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"));
  nb::class_<ServerDef>(module, "ServerDef")
      .def_static(
          "make", &make_server_def, nb::arg("cluster"), nb::arg("job"), nb::arg("task").none(),
          nb::arg("protocol"))
      .def_ro("cluster", &ServerDef::cluster)
      .def_ro("job", &ServerDef::job)
      .def_ro("task", &ServerDef::task)
      .def_ro("protocol", &ServerDef::protocol)
      .def(
          "or_else",
          [](const ServerDef& one, const ServerDef& other) { return one.or_else(other); })
      .def("resolve", [](const ServerDef& def) {
        auto task = take(def.resolve());
        return ServerDef{task.cluster, task.job, task.task, def.protocol};
      });
  module.def(
      "tf_config",
      [](const std::string& json) {
        auto config = take(TfConfig::parse(json));
        auto role = to_dict(take(Role::of(config)));
        return nb::make_tuple(config.server, config.environment, role);
      },
      nb::arg("json"));
}

}  // namespace troupe::python
