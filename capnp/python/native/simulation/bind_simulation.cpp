#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>

#include "troupe/capnp/python/native/bind.hpp"
#include "troupe/capnp/python/native/simulation/simulated_cluster.hpp"
#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/op_library.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe::python {
namespace {

using Shared = std::shared_ptr<SimulatedCluster>;

// In the order of sim::Fault::Kind.
constexpr std::array<const char*, 10> kinds = {"crash", "restart",     "freeze",     "thaw",
                                               "cut",   "heal",        "break_link", "slow",
                                               "skew",  "limit_memory"};

sim::Fault::Kind to_kind(const std::string& name) {
  auto found = std::ranges::find(kinds, name);
  if (found == kinds.end()) raise(invalid_argument("there is no fault of the kind " + name));
  return static_cast<sim::Fault::Kind>(found - kinds.begin());
}

/// A fault is a tuple (kind, time in ns, tasks, others, number).
sim::Fault to_fault(nb::handle given) {
  using Names = std::vector<std::string>;
  return {
      .kind = to_kind(nb::cast<std::string>(given[0])),
      .time = sim::Time(nb::cast<int64_t>(given[1])),
      .tasks = nb::cast<Names>(given[2]),
      .others = nb::cast<Names>(given[3]),
      .number = nb::cast<double>(given[4])};
}

nb::list to_python(const std::vector<sim::Fault>& faults) {
  nb::list list;
  for (const auto& fault : faults)
    list.append(nb::make_tuple(
        kinds.at(static_cast<size_t>(fault.kind)), fault.time.count(), fault.tasks.names,
        fault.others.names, fault.number));
  return list;
}

/// Calls `work` with the cluster, without the GIL, and throws its error. `work` returns a value.
template <class Work>
auto query(SimulatedCluster& simulated, Work work) {
  using Value = decltype(work(std::declval<sim::Cluster&>()));
  return take(without_gil([&] {
    return simulated.call([&](sim::Cluster& cluster) -> Result<Value> { return work(cluster); });
  }));
}

/// The same for a method of the cluster without arguments.
template <auto method>
auto get(SimulatedCluster& simulated) {
  return query(simulated, [](sim::Cluster& cluster) { return (cluster.*method)(); });
}

/// Those of nodes, without functions of Python: their threads would end kernels outside of the
/// simulation.
sim::Catalogs make_catalogs() {
  auto kernels = cpu::make_kernel_catalog();
  kernels.fall_back_on([](std::string_view op) {
    return op.starts_with("PyFunc") ? KernelCatalog::Make() : loaded_kernels::find(op);
  });
  return {op_catalog(), std::make_shared<const KernelCatalog>(std::move(kernels))};
}

Shared make(const std::map<std::string, int>& jobs, uint64_t seed, nb::dict given) {
  sim::Options options{
      .memory_limit = nb::cast<uint64_t>(given["memory_limit"]),
      .accelerators = nb::cast<int>(given["accelerators"]),
      .heartbeat_limit = std::chrono::milliseconds(nb::cast<int64_t>(given["heartbeat_limit_ms"])),
      .catalogs = make_catalogs()};
  return without_gil(
      [&] { return std::make_shared<SimulatedCluster>(jobs, sim::Seed{seed}, options); });
}

nb::list draw_faults(
    SimulatedCluster& simulated, int64_t begin, int64_t end, int most,
    const std::vector<std::string>& names) {
  sim::FaultOptions options{.begin = sim::Time(begin), .end = sim::Time(end), .most = most};
  if (!names.empty()) options.kinds.clear();
  for (const auto& name : names) options.kinds.push_back(to_kind(name));
  return to_python(query(simulated, [&](sim::Cluster& cluster) {
    return sim::draw_faults(cluster.spec(), simulated.seed(), options);
  }));
}

}  // namespace

void bind_simulation(nb::module_& module) {
  nb::class_<SimulatedCluster>(module, "SimulatedCluster")
      .def(
          "apply",
          [](SimulatedCluster& self, nb::tuple given) {
            auto fault = to_fault(given);
            return query(self, [&](sim::Cluster& cluster) { return cluster.apply(fault); });
          },
          nb::arg("fault"))
      .def(
          "script",
          [](SimulatedCluster& self, nb::list given) {
            std::vector<sim::Fault> faults;
            for (auto fault : given) faults.push_back(to_fault(fault));
            query(self, [&](sim::Cluster& cluster) { return cluster.script(faults), true; });
          },
          nb::arg("faults"))
      .def(
          "draw_faults", &draw_faults, nb::arg("begin_ns"), nb::arg("end_ns"), nb::arg("most"),
          nb::arg("kinds"))
      .def(
          "faults",
          [](SimulatedCluster& self) { return to_python(get<&sim::Cluster::faults>(self)); })
      .def(
          "end_all_faults",
          [](SimulatedCluster& self) {
            query(self, [](sim::Cluster& cluster) { return cluster.end_all_faults(), true; });
          })
      .def(
          "run_for",
          [](SimulatedCluster& self, int64_t ns) {
            query(
                self, [&](sim::Cluster& cluster) { return cluster.run_for(sim::Time(ns)), true; });
          },
          nb::arg("ns"))
      .def("now_ns", [](SimulatedCluster& self) { return get<&sim::Cluster::now>(self).count(); })
      .def(
          "process_number",
          [](SimulatedCluster& self, const std::string& task) {
            return query(self, [&](sim::Cluster& cluster) { return cluster.process_number(task); });
          },
          nb::arg("task"))
      .def(
          "is_running",
          [](SimulatedCluster& self, const std::string& task) {
            return query(self, [&](sim::Cluster& cluster) { return cluster.is_running(task); });
          },
          nb::arg("task"))
      .def("trace_hash", &get<&sim::Cluster::trace_hash>)
      .def(
          "diagram",
          [](SimulatedCluster& self, size_t messages_max) {
            return query(
                self, [&](sim::Cluster& cluster) { return cluster.diagram(messages_max); });
          },
          nb::arg("messages_max"))
      .def("close", [](SimulatedCluster& self) {
        check(without_gil([&] { return self.close(); }));
      });
  module.def("make_simulated_cluster", &make, nb::arg("jobs"), nb::arg("seed"), nb::arg("options"));
}

}  // namespace troupe::python
