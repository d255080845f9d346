#include "troupe/actors/device/device_actor.hpp"

#include "troupe/actors/device/device_plan.hpp"
#include "troupe/tests/actors/nodes_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

NodeDef arg(int64_t index) {
  return {
      .name = "_arg/" + std::to_string(index),
      .op = transfer::arg,
      .attrs = {{"T", DType::float32}, {"index", index}}};
}
NodeDef retval(const std::string& input, int64_t index, const std::string& name = "_retval/0") {
  return {
      .name = name,
      .op = transfer::retval,
      .inputs = {input},
      .attrs = {{"T", DType::float32}, {"index", index}}};
}
NodeDef recv(int64_t edge, const std::string& name = "_recv/0") {
  return {
      .name = name,
      .op = transfer::recv,
      .attrs = {
          {"tensor_type", DType::float32},
          {"edge", edge},
          {"from_device", "/job:a/task:0/device:CPU:0"}}};
}
NodeDef send(const std::string& input, int64_t edge, const std::string& to) {
  return {
      .name = "_send/" + std::to_string(edge),
      .op = transfer::send,
      .inputs = {input},
      .attrs = {{"T", DType::float32}, {"edge", edge}, {"to_device", to}}};
}
NodeDef one() {
  return {
      .name = "one",
      .op = "Const",
      .attrs = {{"value", Tensor::scalar(1.0f)}, {"dtype", DType::float32}}};
}

/// The test takes the part of session 7 of the device of task a.
struct DeviceActorFixture : NodesFixture {
  static constexpr SessionId session = 7;
  DeviceActor device = device_of(a, "a");

  Status register_plan(PlanId plan, std::vector<NodeDef> nodes) {
    return std::get<0>(ask<Status, Registered>(device, Register{session, plan, std::move(nodes)}));
  }
  void require_plan(PlanId plan, std::vector<NodeDef> nodes) {
    auto status = register_plan(plan, std::move(nodes));
    BOOST_TEST_REQUIRE(status.ok(), status.to_string());
  }
  void start(uint64_t step, PlanId plan, Tensors feeds = {}, uint64_t oldest_step = 0) {
    self->send(
        device, StartStep{
                    .step = {session, step},
                    .plan = plan,
                    .partition = 3,
                    .feeds = std::move(feeds),
                    .oldest_step = oldest_step});
  }
  void deliver(uint64_t step, EdgeId edge, Tensor value) {
    self->send(device, Deliver{{session, step}, {edge}, {std::move(value)}});
  }
  StepDone done(uint64_t step) {
    auto message = next<StepDone>();
    BOOST_TEST(message.step.number == step);
    return message;
  }
  Code code_of_done(uint64_t step) { return done(step).status.code(); }
  uint64_t late() {
    auto answer = std::make_shared<std::promise<Result<NodeInfo>>>();
    tell(a, GetNodeInfo{[answer](Result<NodeInfo> info) { answer->set_value(info); }});
    return (*answer->get_future().get()).late_messages;
  }
};

/// A tensor of that size whose memory must not be read.
Tensor large(int64_t bytes) {
  static char memory[64];
  return Tensor::alias(DType::uint8, {bytes}, memory, [] {});
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(device_actor, DeviceActorFixture)

BOOST_AUTO_TEST_CASE(functions_of_a_partition_are_checked_with_it) {
  FunctionDef f{
      .name = "f",
      .arguments = {{"x", DType::float32}},
      .results = {{"y", "n", DType::float32}},
      .nodes = {{.name = "n", .op = "Neg", .inputs = {"x"}}}};
  auto user = one();
  user.attrs["_f"] = FunctionRef("f");
  auto answer = [&](const Register& message) {
    return std::get<0>(ask<Status, Registered>(device, message)).to_string();
  };
  BOOST_TEST(answer({session, 1, {user}, "", {f}}) == "Ok");
  auto missing = answer({session, 2, {user}, "", {}});
  BOOST_TEST(missing.find("NotFound: the graph has no function 'f'") == 0, missing);
  f.nodes[0].inputs = {"z"};
  auto wrong = answer({session, 3, {one()}, "", {f}});
  BOOST_TEST(wrong.find("NotFound: in function 'f'") == 0, wrong);
}

BOOST_AUTO_TEST_CASE(a_step_is_answered_with_its_fetches) {
  require_plan(1, {arg(0), {.name = "y", .op = "Neg", .inputs = {"_arg/0"}}, retval("y", 0)});
  start(1, 1, {Tensor::scalar(2.0f)});
  auto answer = done(1);
  BOOST_TEST_REQUIRE(answer.status.ok(), answer.status.to_string());
  BOOST_TEST(answer.fetches.at(0).value<float>() == -2.0f);
  BOOST_TEST(answer.partition == 3u);
}

BOOST_AUTO_TEST_CASE(partitions_that_cannot_run_are_refused_and_the_device_goes_on) {
  auto refused = [&](std::vector<NodeDef> nodes, Code code) {
    auto status = register_plan(1, std::move(nodes));
    BOOST_TEST((status.code() == code), status.to_string());
    BOOST_TEST(status.where().task == a_task);
  };
  refused({arg(1)}, Code::invalid_argument);
  refused({arg(-1)}, Code::invalid_argument);
  refused({one(), retval("one", 0), retval("one", 2, "other")}, Code::invalid_argument);
  refused({one(), retval("one", 0), retval("one", 0, "other")}, Code::invalid_argument);
  refused({recv(1), recv(1, "other")}, Code::invalid_argument);
  refused({one(), send("one", 1, "nonsense")}, Code::invalid_argument);
  refused({one(), send("one", 1, "/job:a/task:0/device:GPU:3")}, Code::not_found);
  refused({one(), send("one", 1, "/job:none/task:0/device:CPU:0")}, Code::invalid_argument);
  refused(
      {{.name = "v", .op = "VarHandleOp", .attrs = {{"dtype", DType::float32}}},
       {.name = "_retval/0",
        .op = transfer::retval,
        .inputs = {"v"},
        .attrs = {{"T", DType::resource}, {"index", 0}}}},
      Code::invalid_argument);
  require_plan(1, {one()});
}

BOOST_AUTO_TEST_CASE(a_registration_without_a_sender_is_refused) {
  caf::anon_send(device, Register{session, 1, {one()}});
  require_plan(1, {one(), retval("one", 0)});
  start(1, 1);
  BOOST_TEST((code_of_done(1) == Code::ok));
}

BOOST_AUTO_TEST_CASE(feeds_that_are_missing_fail_the_step) {
  require_plan(1, {arg(0), retval("_arg/0", 0)});
  start(1, 1);
  BOOST_TEST((code_of_done(1) == Code::invalid_argument));
  start(2, 1, {Tensor()});
  BOOST_TEST((code_of_done(2) == Code::invalid_argument));
  start(3, 1, {Tensor::scalar(1)});  // of another dtype
  BOOST_TEST((code_of_done(3) == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_start_of_an_unknown_plan_is_aborted) {
  require_plan(1, {one()});
  start(1, 2);
  BOOST_TEST((code_of_done(1) == Code::aborted));
  self->send(device, DropPlan{session, 1});
  start(2, 1);
  BOOST_TEST((code_of_done(2) == Code::aborted));
}

BOOST_AUTO_TEST_CASE(a_tensor_may_come_before_the_start_or_after_it) {
  require_plan(1, {recv(5), retval("_recv/0", 0)});
  deliver(1, 5, Tensor::scalar(3.0f));
  start(1, 1);
  BOOST_TEST(done(1).fetches.at(0).value<float>() == 3.0f);
  start(2, 1);
  deliver(2, 5, Tensor::scalar(4.0f));
  BOOST_TEST(done(2).fetches.at(0).value<float>() == 4.0f);
}

BOOST_AUTO_TEST_CASE(a_step_that_is_started_twice_runs_once) {
  require_plan(1, {recv(0), retval("_recv/0", 0)});
  for (int i = 0; i < 2; ++i) start(1, 1);
  deliver(1, 0, Tensor::scalar(5.0f));
  BOOST_TEST((code_of_done(1) == Code::ok));
  for (uint64_t step : {1, 2}) start(step, 1);
  deliver(2, 0, Tensor::scalar(5.0f));
  BOOST_TEST((code_of_done(2) == Code::ok));  // nothing of step 1 has come before
  BOOST_TEST(late() == 2);
}

BOOST_AUTO_TEST_CASE(a_new_incarnation_of_a_master_ends_what_the_earlier_one_had) {
  const std::string master = "/job:b/task:0";
  // Without heartbeats, which would find the silent peers of this test lost anyway.
  auto task = spawn_task({.config = {cluster, "a", 0},
                          .devices = {devices.back()},
                          .catalog = catalog,
                          .world = world,
                          .connect_timeout = 5000ms,
                          .heartbeat_limit = 0ms})
                  .actor;
  tasks.push_back(task);
  auto device = device_of(task, "a");
  caf::scoped_actor earlier(system), later(system);
  auto greet = [&](const caf::scoped_actor& from, uint64_t incarnation) {
    Hello hello{
        .from_job = "b",
        .from_incarnation = incarnation,
        .version = protocol_version,
        .to_job = "a"};
    from->request(task, test_timeout, hello)
        .receive(
            [](const Status& status, const TaskDescription&) { BOOST_TEST(status.ok()); },
            [&](const caf::error& error) { BOOST_FAIL(system.render(error)); });
  };
  greet(earlier, 1);
  auto status = std::get<0>(ask<Status, Registered>(
      device, Register{session, 1, {recv(5), retval("_recv/0", 0)}, master}));
  BOOST_TEST_REQUIRE(status.ok(), status.to_string());
  self->send(device, StartStep{{session, 1}, 1, /*partition=*/3, {}});
  greet(later, 2);
  BOOST_TEST((code_of_done(1) == Code::aborted));
}

BOOST_AUTO_TEST_CASE(a_fetch_of_a_dead_value_is_an_error) {
  require_plan(1, {recv(5), retval("_recv/0", 0)});
  start(1, 1);
  deliver(1, 5, Tensor());
  BOOST_TEST((code_of_done(1) == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_step_goes_on_after_thousands_of_later_steps_have_ended) {
  require_plan(1, {recv(5), retval("_recv/0", 0)});
  require_plan(2, {one()});
  start(1, 1);
  for (uint64_t step = 2; step < 3000; ++step) {
    start(step, 2);
    BOOST_TEST_REQUIRE((code_of_done(step) == Code::ok));
  }
  deliver(1, 5, Tensor::scalar(3.0f));
  BOOST_TEST((code_of_done(1) == Code::ok));
}

BOOST_AUTO_TEST_CASE(a_cancelled_step_ends_with_the_reason) {
  require_plan(1, {recv(5), retval("_recv/0", 0)});
  start(1, 1);
  self->send(device, CancelStep{{session, 1}, deadline_exceeded("too late")});
  BOOST_TEST((code_of_done(1) == Code::deadline_exceeded));
  start(2, 1);
  self->send(device, CancelStep{{session, 2}, Status()});  // without a reason
  BOOST_TEST((code_of_done(2) == Code::cancelled));
}

BOOST_AUTO_TEST_CASE(a_step_that_is_cancelled_before_its_start_never_runs) {
  require_plan(1, {recv(5), retval("_recv/0", 0)});
  deliver(1, 5, Tensor::scalar(3.0f));
  self->send(device, CancelStep{{session, 1}, cancelled("not wanted")});
  auto before = late();
  deliver(1, 5, Tensor::scalar(3.0f));
  start(1, 1);
  auto answer = done(1);
  BOOST_TEST((answer.status.code() == Code::cancelled));
  BOOST_TEST(answer.partition == 3u);
  deliver(1, 5, Tensor::scalar(3.0f));
  start(2, 1);
  deliver(2, 5, Tensor::scalar(3.0f));
  BOOST_TEST((code_of_done(2) == Code::ok));
  BOOST_TEST(late() == before + 2);
}

BOOST_AUTO_TEST_CASE(an_unstarted_step_is_dropped_when_the_session_says_that_it_has_ended) {
  require_plan(1, {one(), retval("one", 0)});
  std::promise<void> freed;
  auto is_freed = freed.get_future();
  static char memory[64];
  deliver(1, 5, Tensor::alias(DType::uint8, {1}, memory, [&] { freed.set_value(); }));
  start(2, 1);
  BOOST_TEST((code_of_done(2) == Code::ok));
  start(3, 1, {}, /*oldest_step=*/1);
  BOOST_TEST((code_of_done(3) == Code::ok));
  BOOST_TEST((is_freed.wait_for(0s) == std::future_status::timeout));
  start(4, 1, {}, /*oldest_step=*/4);
  BOOST_TEST((code_of_done(4) == Code::ok));
  BOOST_TEST((is_freed.wait_for(test_timeout) == std::future_status::ready));
}

BOOST_AUTO_TEST_CASE(tensors_of_unstarted_steps_take_bounded_memory) {
  require_plan(1, {one()});
  for (uint64_t step = 1; step <= 3; ++step) deliver(step, 5, large(600 << 20));
  start(3, 1);
  auto answer = done(3);
  BOOST_TEST((answer.status.code() == Code::resource_exhausted));
  BOOST_TEST(answer.partition == 3u);
  require_plan(2, {recv(5), retval("_recv/0", 0)});
  start(4, 2);
  deliver(4, 6, large(int64_t{2} << 30));  // whatever its size
  deliver(4, 7, Tensor::scalar(1.0f));
  BOOST_TEST((code_of_done(4) == Code::resource_exhausted));
}

BOOST_AUTO_TEST_CASE(empty_tensors_of_unstarted_steps_count_as_memory) {
  require_plan(1, {one()});
  deliver(1, 0, large((int64_t{1} << 30) - 64 * 1024));
  for (int edge = 1; edge <= 1024; ++edge) deliver(1, edge, Tensor::of<float>({0}, {}));
  start(1, 1);
  BOOST_TEST((code_of_done(1) == Code::resource_exhausted));
}

BOOST_AUTO_TEST_CASE(a_step_that_ends_with_aborted_does_not_make_its_plan_stale) {
  require_plan(1, {recv(5), retval("_recv/0", 0)});
  start(1, 1);
  self->send(device, CancelStep{{session, 1}, aborted("as an op may say")});
  auto answer = done(1);
  BOOST_TEST((answer.status.code() == Code::aborted));
  BOOST_TEST(!answer.plan_is_stale);
  start(2, /*plan=*/9);
  BOOST_TEST(done(2).plan_is_stale);
}

BOOST_AUTO_TEST_CASE(a_plan_dropped_while_it_waits_for_peers_is_not_added) {
  spawn("b");
  world->hold();
  auto waiting =
      self->request(device, test_timeout, Register{session, 1, {one(), send("one", 1, b_device)}});
  self->send(device, DropPlan{session, 1});
  Status answer;
  waiting.receive(
      [&](Status& status, Registered&) { answer = status; },
      [](caf::error&) { BOOST_FAIL("no answer"); });
  BOOST_TEST((answer.code() == Code::cancelled));
  world->release();
  (void)device_of(a, "b");
  start(1, 1);
  BOOST_TEST((code_of_done(1) == Code::aborted));
}

BOOST_AUTO_TEST_CASE(a_large_plan_is_compiled_beside_the_actor_unless_it_is_dropped_meanwhile) {
  world->all_takes_long = true;
  world->hold();
  Register message{session, 1, {one(), retval("one", 0)}};
  std::vector<Code> codes;
  auto first = self->request(device, test_timeout, message);
  message.plan = 2;
  auto second = self->request(device, test_timeout, message);
  self->send(device, DropPlan{session, 1});
  auto take = [&codes](auto& answer) {
    answer.receive(
        [&](Status& status, Registered&) { codes.push_back(status.code()); },
        [](caf::error&) { BOOST_FAIL("no answer"); });
  };
  take(first);
  world->release();
  take(second);
  BOOST_TEST((codes == std::vector{Code::cancelled, Code::ok}));
  start(1, 1);
  BOOST_TEST((code_of_done(1) == Code::aborted));
  start(2, 2);
  BOOST_TEST((code_of_done(2) == Code::ok));
  BOOST_TEST((register_plan(3, {retval("missing", 0)}).code() == Code::not_found));
}

BOOST_AUTO_TEST_CASE(ending_a_session_cancels_its_pending_registrations) {
  world->hold();
  auto waiting =
      self->request(device, test_timeout, Register{session, 1, {one(), send("one", 1, b_device)}});
  self->send(device, EndSession{session});
  Status answer;
  waiting.receive(
      [&](Status& status, Registered&) { answer = status; },
      [](caf::error&) { BOOST_FAIL("no answer"); });
  BOOST_TEST((answer.code() == Code::cancelled));
}

BOOST_AUTO_TEST_CASE(a_step_that_sends_to_a_task_that_is_lost_fails_and_names_it) {
  auto b = spawn("b");
  (void)device_of(a, "b");
  require_plan(1, {recv(5), send("_recv/0", 1, b_device)});
  start(1, 1);
  self->send_exit(b, caf::exit_reason::kill);
  auto answer = done(1);
  BOOST_TEST((answer.status.code() == Code::unavailable));
  BOOST_TEST(answer.status.where().task == b_task);
  start(2, 1);
  BOOST_TEST((code_of_done(2) == Code::aborted));
}

BOOST_AUTO_TEST_CASE(messages_of_unknown_sessions_are_counted) {
  auto before = late();
  start(1, 1);
  deliver(1, 5, Tensor::scalar(1.0f));
  self->send(device, CancelStep{{session, 1}, cancelled("no")});
  self->send(device, EndSession{session});
  self->send(device, DropPlan{session, 1});
  BOOST_TEST((code_of_done(1) == Code::aborted));  // answered: the sender waits for StepDone
  require_plan(1, {one()});
  BOOST_TEST(late() == before + 3);
}

BOOST_AUTO_TEST_SUITE_END()
