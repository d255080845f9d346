#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/graph/ops/all_ops.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

const std::string directory_task = "/job:a/task:0";
const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";

/// All kernels, but that of Neg cannot be made, which is seen only when a plan is compiled.
sim::Catalogs broken_catalogs() {
  auto all = std::make_shared<const KernelCatalog>(cpu::make_kernel_catalog());
  auto kernels = std::make_shared<KernelCatalog>();
  for (const auto& op : all->ops())
    kernels->add(op, [all, op](const Node& node) -> Result<Kernel> {
      if (op == "Neg") return unimplemented("this kernel is broken");
      return all->make(node);
    });
  return {op_catalog(), kernels};
}

struct Fixture {
  sim::Cluster cluster{
      {{"a", 1}, {"worker", 2}},
      sim::Seed{5},
      {.connect_timeout = 300ms, .heartbeat_limit = 200ms, .catalogs = broken_catalogs()}};

  std::vector<ListedResource> resources() {
    return cluster.list_resources(directory_task, 1s)->resources;
  }
  /// Makes the variable through that master, without a device constraint, and says on which task it
  /// is then.
  std::string place_made_through(const std::string& master, const std::string& name) {
    auto session = cluster.session(master);
    auto variable = session.graph().variable(name, session.graph().constant(1.0f));
    auto status = session.run({}, {}, {variable.initializer}).status();
    if (!status.ok()) return status.to_string();
    for (const auto& resource : resources())
      if (resource.name.name == name) return resource.device;
    return "it is not there";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(failed_compilation, Fixture)

BOOST_AUTO_TEST_CASE(a_step_that_cannot_be_placed_claims_no_place_for_its_variable) {
  auto session = cluster.session(worker0);
  auto b = session.graph().on("/device:GPU:0");
  auto variable = b.variable("v", b.constant(0.0f));
  auto status = session.run({}, {}, {variable.initializer}).status();
  BOOST_TEST((status.code() == Code::invalid_argument), status.to_string());
  BOOST_TEST(place_made_through(worker1, "v") == worker1 + "/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(a_plan_that_does_not_compile_leaves_no_resource) {
  auto session = cluster.session(worker0);
  const auto& b = session.graph();
  auto unpinned = b.variable("v", b.neg(b.constant(0.0f)));
  auto status = session.run({}, {}, {unpinned.initializer}).status();
  BOOST_TEST((status.code() == Code::unimplemented), status.to_string());
  auto pinned = b.on(worker1).variable("w", b.on(worker1).neg(b.constant(0.0f)));
  BOOST_TEST(!session.run({}, {}, {pinned.initializer}).ok());
  BOOST_TEST(resources().empty());
  BOOST_TEST(place_made_through(worker1, "v") == worker1 + "/device:CPU:0");
  BOOST_TEST(place_made_through(worker0, "w") == worker0 + "/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(a_step_that_compiles_on_one_device_but_not_on_another_leaves_no_resource) {
  auto session = cluster.session(worker0);
  const auto& b = session.graph();
  auto variable = b.variable("v", b.constant(0.0f));
  auto elsewhere = b.on(worker1).neg(b.constant(0.0f));
  auto status = session.run({}, {elsewhere}, {variable.initializer}).status();
  BOOST_TEST((status.code() == Code::unimplemented), status.to_string());
  cluster.run_for(100ms);
  BOOST_TEST(resources().empty());
  BOOST_TEST(place_made_through(worker1, "v") == worker1 + "/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(a_step_that_only_reads_a_variable_does_not_place_it) {
  auto reader = cluster.session(worker1);
  const auto& b = reader.graph();
  auto variable = b.variable("v", b.constant(0.0f));
  auto is_initialized = b.op("VarIsInitializedOp", {variable.handle});
  auto bump = variable.assign_add(b.constant(1.0f));
  auto read = [&] { return reader.run({}, {variable.value()}); };
  BOOST_TEST((read().status().code() == Code::failed_precondition), read().status().to_string());
  BOOST_TEST((reader.run({}, {}, {bump}).status().code() == Code::failed_precondition));
  BOOST_TEST(!reader.run({}, {is_initialized})->at(0).value<bool>());
  auto callable = reader.make_callable({}, {variable.value()});
  cluster.run_until(callable.done());
  BOOST_TEST(callable.status().ok());
  BOOST_TEST(resources().empty());

  BOOST_TEST(place_made_through(worker0, "v") == worker0 + "/device:CPU:0");
  BOOST_TEST(read()->at(0).value<float>() == 1.0f);
  BOOST_TEST(reader.run({}, {is_initialized})->at(0).value<bool>());
  BOOST_TEST(reader.run({}, {}, {bump}).ok());
  auto called = reader.call(callable, {});
  cluster.run_until(called.done());
  BOOST_REQUIRE(called.status().ok());
  BOOST_TEST(called.values().at(0).value<float>() == 2.0f);
}

BOOST_AUTO_TEST_CASE(a_step_that_only_reads_a_pinned_variable_that_is_elsewhere_names_both_places) {
  BOOST_TEST(place_made_through(worker0, "v") == worker0 + "/device:CPU:0");
  auto reader = cluster.session(worker1);
  auto b = reader.graph().on(worker1);
  auto variable = b.variable("v", b.constant(0.0f));
  auto status = reader.run({}, {variable.value()}).status();
  BOOST_TEST((status.code() == Code::failed_precondition), status.to_string());
  for (const auto& task : {worker0, worker1})
    BOOST_TEST(status.message().find(task) != std::string::npos, status.to_string());
}

BOOST_AUTO_TEST_SUITE_END()
