#pragma once

#include "troupe/actors/session/session_actor.hpp"
#include "troupe/tests/actors/nodes_fixture.hpp"
#include "troupe/tests/devices/waiting.hpp"

namespace troupe::testing {

/// A session on task a, and a fake task b with a fake device: it answers Register with ok, unless
/// the test says otherwise, and forwards all messages to the test, which answers them as the
/// device.
struct SessionFixture : NodesFixture {
  Builder b;
  std::shared_ptr<std::atomic<int>> lost_races = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<bool>> is_transient = std::make_shared<std::atomic<bool>>(false);
  SessionActor session = open();
  caf::actor device = spawn_fake_device();
  caf::actor task_b = spawn_fake_task(device);
  caf::strong_actor_ptr step_listener;  // the session actor

  ~SessionFixture() {
    caf::anon_send_exit(device, caf::exit_reason::kill);
    caf::anon_send_exit(task_b, caf::exit_reason::kill);
  }

  SessionActor open() {
    Waiting<Result<SessionActor>> opened;
    tell(a, CreateSession{opened.callback()});
    auto session = opened.wait();
    BOOST_REQUIRE(session.ok());
    return *session;
  }

  caf::actor spawn_fake_device() {
    return system.spawn(
        [test = caf::actor_cast<caf::actor>(self), lost_races = lost_races,
         is_transient = is_transient](caf::event_based_actor* me) -> caf::behavior {
          return {
              [=](Register& message) {
                me->send(
                    test, caf::actor_cast<caf::strong_actor_ptr>(me->current_sender()), message);
                auto is_lost = lost_races->load() > 0 && lost_races->fetch_sub(1) > 0;
                return std::tuple(
                    is_lost ? aborted("a race was lost") : Status(), Registered{*is_transient});
              },
              [=](StartStep& message) { me->send(test, message); },
              [=](CancelStep& message) { me->send(test, message); },
              [=](DropPlan& message) { me->send(test, message); },
              [=](EndSession& message) { me->send(test, message); },
              [=](Deliver& message) { me->send(test, message); },
              [=](const ListStepWaits&) {
                return StepWaits{{{.node = "far", .op = "Neg", .what = "its turn"}}};
              },
          };
        });
  }

  caf::actor spawn_fake_task(const caf::actor& device) {
    TaskDescription description{
        .job = "b",
        .task = 0,
        .incarnation = 1,
        .devices = {
            {.type = "CPU",
             .index = 0,
             .ops = OpSet({"Const", "Neg", "NoOp"}),
             .actor = caf::actor_cast<caf::strong_actor_ptr>(device)}}};
    auto task = system.spawn([description](caf::event_based_actor*) -> caf::behavior {
      return {
          [description](const Hello&) { return std::tuple(Status(), description); },
          [](const Ping&) { return Pong(); }};
    });
    world->serve({"b", 1}, caf::actor_cast<caf::strong_actor_ptr>(task));
    return task;
  }

  std::shared_ptr<Waiting<Status>> begin_extension() {
    std::vector<NodeDef> nodes;
    for (const auto& node : b.graph().nodes()) nodes.push_back(b.graph().def_of(node.id));
    auto extended = std::make_shared<Waiting<Status>>();
    tell(session, Extend{std::move(nodes), 0, extended->callback()});
    return extended;
  }
  void extend() { BOOST_REQUIRE(begin_extension()->wait().ok()); }

  std::shared_ptr<Waiting<Result<Tensors>>> run(
      CallId call, std::vector<std::string> fetches, std::chrono::milliseconds timeout = 0ms,
      std::vector<std::pair<std::string, Tensor>> feeds = {}) {
    auto answer = std::make_shared<Waiting<Result<Tensors>>>();
    tell(
        session, Run{.call = call,
                     .feeds = std::move(feeds),
                     .fetches = std::move(fetches),
                     .targets = {},
                     .options = {.timeout = timeout},
                     .done = answer->callback()});
    return answer;
  }

  /// A value that the fake device computes.
  std::string remote_neg() {
    auto output = b.on(b_task).named("far").neg(b.on(b_task).constant(1.0f));
    extend();
    return output.name();
  }

  PlanId next_registration() {
    PlanId plan = 0;
    self->receive(
        [&](caf::strong_actor_ptr& from, Register& message) {
          step_listener = from;
          plan = message.plan;
        },
        caf::after(test_timeout) >> [] { BOOST_FAIL("nothing was registered"); });
    return plan;
  }
  void send_done(const StartStep& started, Status status, Tensors fetches = {}) {
    self->send(
        caf::actor_cast<StepListener>(step_listener),
        StepDone{started.step, started.partition, std::move(status), std::move(fetches)});
  }
  /// The device has no such plan any more.
  void send_stale(const StartStep& started) {
    self->send(
        caf::actor_cast<StepListener>(step_listener), StepDone{
                                                          .step = started.step,
                                                          .partition = started.partition,
                                                          .status = aborted("no such plan"),
                                                          .fetches = {},
                                                          .plan_is_stale = true});
  }
};

}  // namespace troupe::testing
