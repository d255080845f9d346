#include "troupe/actors/device/pending_registrations.hpp"

#include "troupe/graph/ops/handle.hpp"
#include "troupe/tests/actors/nodes_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// The test takes the part of sessions of the device of task a, which runs the directory service.
struct Fixture : NodesFixture {
  static constexpr SessionId session = 7;
  using Names = std::vector<std::string>;
  DeviceActor device = device_of(a, "a");

  /// A partition that assigns the unpinned variable "v", and more nodes.
  static std::vector<NodeDef> assignment(std::vector<NodeDef> more = {}) {
    std::vector<NodeDef> nodes = {
        {.name = "one",
         .op = "Const",
         .attrs = {{"value", Tensor::scalar(1.0f)}, {"dtype", DType::float32}}},
        {.name = "v",
         .op = "VarHandleOp",
         .attrs = {{"dtype", DType::float32}, {unpinned_attr, true}}},
        {.name = "set", .op = "AssignVariableOp", .inputs = {"v", "one"}, .attrs = {}}};
    for (auto& node : more) nodes.push_back(std::move(node));
    return nodes;
  }
  static NodeDef send(const std::string& to) {
    return {
        .name = "_send/1",
        .op = transfer::send,
        .inputs = {"one"},
        .attrs = {{"T", DType::float32}, {"edge", 1}, {"to_device", to}}};
  }

  Code register_plan(PlanId plan, std::vector<NodeDef> nodes, SessionId id = session) {
    auto [status, registered] =
        ask<Status, Registered>(device, Register{id, plan, std::move(nodes)});
    return status.code();
  }
  void run_plan(PlanId plan) {
    self->send(device, StartStep{{session, 1}, plan, /*partition=*/0, {}});
    BOOST_TEST(next<StepDone>().status.ok());
  }
  /// The resources that the containers of task a hold.
  Names held() {
    Names names;
    auto answer = std::get<0>(ask<HeldResources>(a, ListHeldResources{}));
    for (const auto& name : answer.names) names.push_back(name.name);
    return names;
  }
  /// Where the directory service has "v".
  std::string place() {
    auto [status, places] =
        ask<Status, ResourcePlaces>(a, FindResources{.names = {{"", "v"}}, .is_pinned = true});
    return places.devices.at(0);
  }
  /// Waits until neither the container nor the directory service has "v".
  void require_no_trace() {
    for (int i = 0; i < 1000 && !(held().empty() && place().empty()); ++i)
      std::this_thread::yield();
    BOOST_TEST(held() == Names());
    BOOST_TEST(place() == "");
  }
};

const std::string a_device = "/job:a/task:0/device:CPU:0";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pending_registrations, Fixture)

BOOST_AUTO_TEST_CASE(a_plan_that_compiles_places_its_resource_and_a_step_keeps_it) {
  BOOST_TEST((register_plan(1, assignment()) == Code::ok));
  BOOST_TEST(held() == Names{"v"});
  BOOST_TEST(place() == a_device);
  run_plan(1);
  self->send(device, DropPlan{session, 1});
  self->send(device, EndSession{session});
  BOOST_TEST((register_plan(1, assignment(), session + 1) == Code::ok));
  BOOST_TEST(held() == Names{"v"});
  BOOST_TEST(place() == a_device);
}

BOOST_AUTO_TEST_CASE(a_plan_that_does_not_compile_leaves_no_trace) {
  BOOST_TEST((register_plan(1, assignment({send(a_device + "3")})) == Code::not_found));
  require_no_trace();
}

BOOST_AUTO_TEST_CASE(a_plan_dropped_before_its_first_step_leaves_no_trace) {
  BOOST_TEST((register_plan(1, assignment()) == Code::ok));
  self->send(device, DropPlan{session, 1});
  require_no_trace();
}

BOOST_AUTO_TEST_CASE(a_session_that_ends_before_its_first_step_leaves_no_trace) {
  BOOST_TEST((register_plan(1, assignment()) == Code::ok));
  self->send(device, EndSession{session});
  require_no_trace();
}

BOOST_AUTO_TEST_CASE(a_resource_stays_if_another_plan_is_bound_to_it) {
  BOOST_TEST((register_plan(1, assignment()) == Code::ok));
  BOOST_TEST((register_plan(2, assignment(), session + 1) == Code::ok));
  self->send(device, EndSession{session});
  BOOST_TEST((register_plan(3, assignment(), session + 1) == Code::ok));
  BOOST_TEST(held() == Names{"v"});
}

BOOST_AUTO_TEST_CASE(a_registration_cancelled_while_it_claims_a_place_leaves_no_trace) {
  (void)spawn("b");
  world->hold();  // the directory service has to ask task b first
  auto waiting = self->request(device, 10s, Register{session, 1, assignment()});
  (void)held();  // the task has the claim
  self->send(device, DropPlan{session, 1});
  Status answer;
  waiting.receive(
      [&](Status& status, Registered&) { answer = status; },
      [](caf::error&) { BOOST_FAIL("no answer"); });
  BOOST_TEST((answer.code() == Code::cancelled));
  world->release();
  // Unpinned: answered when the index of the service is complete, so behind the claim.
  (void)ask<Status, ResourcePlaces>(a, FindResources{.names = {{"", "v"}}, .is_pinned = false});
  require_no_trace();
}

BOOST_AUTO_TEST_CASE(a_place_that_another_task_has_won_aborts_the_registration) {
  (void)spawn("b");
  PlaceResources other{.names = {{"", "v"}}, .devices = {b_device}, .is_pinned = false};
  BOOST_TEST((std::get<0>(ask<Status, ResourcePlaces>(a, other)).ok()));
  BOOST_TEST((register_plan(1, assignment()) == Code::aborted));
  BOOST_TEST(held() == Names());
  BOOST_TEST(place() == b_device);
}

BOOST_AUTO_TEST_CASE(a_plan_of_an_absent_resource_that_it_does_not_create_is_transient) {
  std::vector<NodeDef> reading = assignment();
  reading.back() = {
      .name = "read",
      .op = "ReadVariableOp",
      .inputs = {"v"},
      .attrs = {{"dtype", DType::float32}}};
  auto is_transient = [&](PlanId plan) {
    return std::get<1>(ask<Status, Registered>(device, Register{session, plan, reading}))
        .is_transient;
  };
  BOOST_TEST(is_transient(1));
  require_no_trace();
  BOOST_TEST((register_plan(2, assignment()) == Code::ok));
  BOOST_TEST(!is_transient(3));
}

BOOST_AUTO_TEST_CASE(a_plan_fails_with_the_loss_of_a_task_that_it_receives_from) {
  auto b = spawn("b");
  NodeDef received{
      .name = "_recv/0",
      .op = transfer::recv,
      .attrs = {{"tensor_type", DType::float32}, {"edge", 5}, {"from_device", b_device}}};
  BOOST_TEST_REQUIRE((register_plan(1, {received}) == Code::ok));
  self->send(device, StartStep{{session, 1}, 1, /*partition=*/0, {}});
  self->send_exit(b, caf::exit_reason::kill);
  auto done = next<StepDone>();
  BOOST_TEST((done.status.code() == Code::unavailable), done.status.to_string());
  BOOST_TEST(done.status.where().task == b_task);
}

BOOST_AUTO_TEST_SUITE_END()
