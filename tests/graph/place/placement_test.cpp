#include "troupe/graph/place/placement.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <numeric>

#include "troupe/graph/build/builder.hpp"

using namespace troupe;

namespace {

struct PlacementFixture {
  Builder b;
  PlacementView view{
      *ClusterSpec::parse("ps=h:1;worker=h:2,h:3"), DeviceName{"worker", 0, "CPU", 0}, {}};
  Placement::ResourceDevices resource_devices;
  OpSet ops{{"Const", "Neg", "VarHandleOp", "ReadVariableOp", "AssignVariableOp"}};
  std::vector<Candidate> candidates = {
      {{"ps", 0, "CPU", 0}, ops}, {{"worker", 0, "CPU", 0}, ops}, {{"worker", 1, "CPU", 0}, ops}};

  std::vector<NodeId> all() {
    std::vector<NodeId> ids(static_cast<size_t>(b.graph().size()));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
  }
  Result<Placement> begin() {
    BOOST_REQUIRE(b.status().ok());
    return Placement::begin(b.graph(), all(), std::make_shared<const PlacementView>(view));
  }
  Result<Placement::Tasks> tasks() {
    auto placement = begin();
    return placement ? placement->tasks() : placement.status();
  }
  Result<std::map<NodeId, DeviceName>> place_all() {
    auto placement = begin();
    if (!placement) return placement.status();
    if (auto status = placement->assign(resource_devices); !status.ok()) return status;
    return placement->devices(candidates);
  }
  std::string device_of(const Value& value) {
    auto places = place_all();
    BOOST_TEST_REQUIRE(places.ok(), places.status().to_string());
    return places->at(value.output().node).to_string();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(placement, PlacementFixture)

BOOST_AUTO_TEST_CASE(a_node_without_a_constraint_goes_to_the_masters_default_device) {
  BOOST_TEST(device_of(b.constant(1.0f)) == "/job:worker/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(in_a_soft_view_a_type_that_the_task_lacks_gives_way) {
  auto x = b.on("/job:ps/device:GPU:1").constant(1.0f);
  BOOST_TEST((place_all().status().code() == Code::invalid_argument));
  view.is_soft = true;
  BOOST_TEST(device_of(x) == "/job:ps/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(in_a_soft_view_types_of_nodes_that_share_a_device_may_differ) {
  auto variable = b.on("/cpu:0").variable("v", b.constant(1.0f));
  auto read = b.on("/gpu:0").op("ReadVariableOp", {variable.handle}, {{"dtype", DType::float32}});
  BOOST_TEST((place_all().status().code() == Code::invalid_argument));
  view.is_soft = true;
  resource_devices[{"", "v"}] = {"worker", 0, "CPU", 0};
  BOOST_TEST(device_of(read) == "/job:worker/task:0/device:CPU:0");
  (void)b.on("/job:ps/gpu:0").op("ReadVariableOp", {variable.handle}, {{"dtype", DType::float32}});
  // But tasks do not give way.
  BOOST_TEST((place_all().status().code() == Code::failed_precondition));
}

BOOST_AUTO_TEST_CASE(a_constraint_to_a_task_gets_that_tasks_device) {
  BOOST_TEST(
      device_of(b.on("/job:worker/task:1").constant(1.0f)) == "/job:worker/task:1/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(a_constraint_to_a_job_alone_means_its_first_task) {
  BOOST_TEST(device_of(b.on("/job:ps").constant(1.0f)) == "/job:ps/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(a_constraint_to_a_type_alone_stays_with_the_master) {
  BOOST_TEST(device_of(b.on("/cpu:0").constant(1.0f)) == "/job:worker/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(users_of_a_variable_go_where_it_is) {
  auto v = b.on("/job:ps/task:0").variable("v", b.constant(1.0f));
  auto read = b.op("ReadVariableOp", {v.handle}, {{"dtype", DType::float32}});
  BOOST_TEST(device_of(read) == "/job:ps/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(contradicting_constraints_around_a_variable_name_both_nodes) {
  auto v = b.on("/job:ps/task:0").variable("v", b.constant(1.0f));
  (void)b.on("/job:worker/task:1")
      .named("reader")
      .op("ReadVariableOp", {v.handle}, {{"dtype", DType::float32}});
  auto status = place_all().status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  auto text = status.to_string();
  BOOST_TEST(text.find("/job:ps/task:0") != std::string::npos, text);
  BOOST_TEST(text.find("/job:worker/task:1") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(colocation_by_name_is_followed) {
  auto there = b.named("there").on("/job:worker/task:1").constant(1.0f);
  auto y = b.op(
      "Neg", {b.constant(2.0f)},
      {{"_class", std::vector<std::string>{"loc:@" + there.node_name()}}});
  BOOST_TEST(device_of(y) == "/job:worker/task:1/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(nodes_that_are_to_be_with_a_node_that_is_not_there_share_a_device) {
  Attrs with_absent{{"_class", std::vector<std::string>{"loc:@absent"}}};
  auto x = b.op("Neg", {b.constant(2.0f)}, with_absent);
  auto y = b.on("/job:worker/task:1").op("Neg", {b.constant(3.0f)}, with_absent);
  BOOST_TEST(device_of(x) == "/job:worker/task:1/device:CPU:0");
  BOOST_TEST(device_of(y) == "/job:worker/task:1/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(an_op_that_a_device_has_on_request_goes_there_only_where_it_is_asked_for) {
  auto more = ops.names();
  more.push_back("Square");
  candidates[1].ops = OpSet(more);
  DeviceName gpu{"worker", 0, "GPU", 0};
  candidates.insert(candidates.begin(), {gpu, OpSet(ops.names(), {"Square"})});
  auto x = b.constant(1.0f);
  auto free = b.square(x), asked = b.on("/gpu:0").square(x);
  BOOST_TEST(device_of(x) == gpu.to_string());
  BOOST_TEST(device_of(free) == "/job:worker/task:0/device:CPU:0");
  BOOST_TEST(device_of(asked) == gpu.to_string());
  view.is_soft = true;
  BOOST_TEST(device_of(asked) == "/job:worker/task:0/device:CPU:0");
}

/// The master's task has a GPU, which comes first and has no kernels of some ops that its CPU has.
struct TwoDevicesFixture : PlacementFixture {
  DeviceName gpu{"worker", 0, "GPU", 0};

  TwoDevicesFixture() {
    view.master = gpu;
    auto more = ops.names();
    for (const auto* op : {"Square", "AssignAddVariableOp"}) more.push_back(op);
    candidates[1].ops = OpSet(more);
    candidates.insert(candidates.begin(), {gpu, ops});
    view.local = {candidates[0], candidates[2]};
  }
  /// Places the step of these nodes, whose unpinned resources do not exist yet.
  Result<std::map<NodeId, DeviceName>> place(const std::vector<NodeId>& nodes) {
    auto placement =
        Placement::begin(b.graph(), nodes, std::make_shared<const PlacementView>(view));
    if (!placement) return placement.status();
    auto status = placement->assign(placement->unpinned_resources());
    return status.ok() ? placement->devices(candidates) : status;
  }
  std::string place_of(const Value& value) {
    auto places = place(all());
    BOOST_TEST_REQUIRE(places.ok(), places.status().to_string());
    return places->at(value.output().node).to_string();
  }
};

BOOST_FIXTURE_TEST_CASE(a_resource_goes_where_all_that_uses_it_has_kernels, TwoDevicesFixture) {
  auto on_gpu = b.variable("v", b.constant(1.0f)), elsewhere = b.variable("w", b.constant(1.0f));
  (void)b.op("ReadVariableOp", {on_gpu.handle}, {{"dtype", DType::float32}});
  (void)elsewhere.assign_add(b.constant(1.0f));
  BOOST_TEST(place_of(on_gpu.handle) == gpu.to_string());
  BOOST_TEST(place_of(elsewhere.handle) == "/job:worker/task:0/device:CPU:0");
}

BOOST_FIXTURE_TEST_CASE(
    a_resource_goes_where_the_steps_that_come_later_have_kernels, TwoDevicesFixture) {
  auto v = b.variable("v", b.constant(1.0f));
  std::vector<NodeId> first = all();
  (void)v.assign_add(b.constant(1.0f));
  auto places = place(first);
  BOOST_TEST_REQUIRE(places.ok(), places.status().to_string());
  BOOST_TEST(places->at(v.handle.output().node).to_string() == "/job:worker/task:0/device:CPU:0");
}

BOOST_FIXTURE_TEST_CASE(what_is_to_be_beside_a_resource_counts_among_its_uses, TwoDevicesFixture) {
  auto v = b.variable("v", b.constant(1.0f));
  std::vector<NodeId> first = all();
  (void)b.op(
      "Square", {b.constant(2.0f)},
      {{"_class", std::vector<std::string>{"loc:@" + v.handle.node_name()}}});
  auto places = place(first);
  BOOST_TEST_REQUIRE(places.ok(), places.status().to_string());
  BOOST_TEST(places->at(v.handle.output().node).to_string() == "/job:worker/task:0/device:CPU:0");
  // Where a device computes that on request, the resource is on it, and asks.
  for (auto& candidate : {&candidates[0], &view.local[0]})
    candidate->ops = OpSet(ops.names(), {"Square"});
  BOOST_TEST(place_of(v.handle) == gpu.to_string());
}

BOOST_FIXTURE_TEST_CASE(
    counters_are_on_a_cpu_unless_another_device_is_asked_for, TwoDevicesFixture) {
  auto one = b.constant(int32_t{1});
  auto counter = b.variable("counter", one);
  auto there = b.on("/gpu:0").variable("there", one);
  BOOST_TEST(place_of(counter.handle) == "/job:worker/task:0/device:CPU:0");
  BOOST_TEST(place_of(there.handle) == gpu.to_string());
}

BOOST_FIXTURE_TEST_CASE(nodes_that_share_a_device_go_where_all_have_kernels, TwoDevicesFixture) {
  auto x = b.constant(1.0f);
  auto y = b.square(x);
  auto z = b.op("Neg", {x}, {{"_class", std::vector<std::string>{"loc:@" + y.node_name()}}});
  BOOST_TEST(place_of(x) == gpu.to_string());
  BOOST_TEST(place_of(z) == "/job:worker/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(a_missing_kernel_names_the_op) {
  (void)b.on("/job:ps/task:0").named("s").square(b.constant(1.0f));
  auto status = place_all().status();
  BOOST_TEST((status.code() == Code::unimplemented));
  BOOST_TEST(status.message().find("Square") != std::string::npos);
  BOOST_TEST(status.where().node == "s");
}

BOOST_AUTO_TEST_CASE(a_missing_kernel_names_the_devices_that_have_it) {
  auto more = ops.names();
  more.push_back("Square");
  candidates.back().ops = OpSet(more);
  (void)b.on("/job:ps/task:0").square(b.constant(1.0f));
  BOOST_TEST(
      place_all().status().message() ==
      "no device that fits '/job:ps/task:0' has a kernel for op Square; these have one: "
      "/job:worker/task:1/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(a_constraint_that_no_device_fits_lists_the_devices) {
  (void)b.on("/job:ps/task:0/device:GPU:0").constant(1.0f);
  auto status = place_all().status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message().find("/job:worker/task:1/device:CPU:0") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(only_the_tasks_that_constraints_name_are_asked) {
  (void)b.constant(1.0f);
  BOOST_TEST(tasks()->size() == 1u);
  (void)b.on("/job:ps").constant(1.0f);
  BOOST_TEST(tasks()->size() == 2u);
  (void)b.on("/job:ps/task:3").constant(1.0f);
  BOOST_TEST((tasks().status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(unpinned_resources_have_the_masters_default_device) {
  (void)b.on("/job:ps/task:0").variable("pinned", b.constant(1.0f));
  (void)b.container("c").variable("free", b.constant(1.0f));
  auto unpinned = begin()->unpinned_resources();
  BOOST_REQUIRE(unpinned.size() == 1u);
  BOOST_TEST((unpinned.begin()->first == ResourceName{"c", "free"}));
  BOOST_TEST((unpinned.begin()->second == view.master));
}

BOOST_AUTO_TEST_CASE(users_of_a_resource_go_to_its_device) {
  auto v = b.variable("v", b.constant(1.0f));
  resource_devices[{"", "v"}] = {"worker", 1, "CPU", 0};
  BOOST_TEST(device_of(v.value()) == "/job:worker/task:1/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(a_constraint_that_contradicts_a_resources_device_is_refused) {
  auto v = b.variable("v", b.constant(1.0f));
  (void)b.on("/job:ps/task:0")
      .named("reader")
      .op("ReadVariableOp", {v.handle}, {{"dtype", DType::float32}});
  resource_devices[{"", "v"}] = {"worker", 1, "CPU", 0};
  auto status = place_all().status();
  BOOST_TEST((status.code() == Code::failed_precondition));
  for (const auto* part : {"/job:worker/task:1/device:CPU:0", "/job:ps/task:0", "reader", "reset"})
    BOOST_TEST(status.message().find(part) != std::string::npos, status.to_string());
}

BOOST_AUTO_TEST_CASE(filters_hide_all_devices_but_those_they_name_and_the_masters) {
  view.filters = {*DeviceName::parse("/job:ps")};
  (void)b.constant(1.0f);
  (void)b.on("/job:ps/task:0").constant(1.0f);
  BOOST_TEST(tasks()->size() == 2u);
  (void)b.on("/job:worker/task:1").named("hidden").constant(1.0f);
  auto status = tasks().status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.where().node == "hidden");
  BOOST_TEST(status.message().find("filters") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
