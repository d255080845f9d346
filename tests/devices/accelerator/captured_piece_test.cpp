#include "troupe/devices/accelerator/captured_piece.hpp"

#include <algorithm>

#include "troupe/tests/devices/accelerator/captured_fixture.hpp"

using namespace troupe;
using namespace troupe::accelerator;
using namespace troupe::testing;

namespace {

constexpr int64_t huge = 4 << 20;  // elements, that cost more to copy than a short piece saves

}  // namespace

BOOST_FIXTURE_TEST_SUITE(captured_piece, CapturedFixture)

BOOST_AUTO_TEST_CASE(a_piece_is_captured_at_its_second_run_and_replayed_from_then_on) {
  add_feed({10});
  add_retval(add_chain("n", "feed", 12));
  auto plan = compile(*gpu), as = compile(*plain);
  BOOST_TEST(pieces_of(*plan) == 1);
  BOOST_TEST(pieces_of(*as) == 0);
  for (int i = 0; i < 6; ++i) check_step(plan, as, counted(10, static_cast<float>(i)));
  BOOST_TEST(card->replays() == 5u);
  BOOST_TEST(says("5 replays"), gpu->describe_graphs());
  BOOST_TEST(says("1 run node by node"), gpu->describe_graphs());
  BOOST_TEST(said.empty());
}

BOOST_AUTO_TEST_CASE(the_first_run_is_left_to_the_devices_threads) {
  constexpr int64_t actors_ns = 100'000;  // that an actor's thread is used for
  add_feed({10});
  add_retval(add_chain("n", "feed", 12));
  auto plan = compile(*gpu);
  BOOST_TEST_REQUIRE(pieces_of(*plan) == 1);
  auto cost = [&] {
    int64_t of_piece = 0;
    for (size_t i = 0; i < plan->items().size(); ++i)
      if (plan->piece_of(static_cast<int32_t>(i)))
        of_piece = plan->items()[i].kernel->cost_ns(Launch(*gpu, {}, {}, {}));
    return of_piece;
  };
  BOOST_TEST(cost() > actors_ns);
  run_piece(*plan, {on_card(counted(10), *gpu)});
  BOOST_TEST(cost() < actors_ns);
}

BOOST_AUTO_TEST_CASE(each_shape_has_work_of_its_own) {
  add_feed(Shape::unknown_rank());
  add_retval(add_chain("n", "feed", 12));
  auto plan = compile(*gpu), as = compile(*plain);
  for (int i = 0; i < 4; ++i)
    for (int64_t elements : {3, 300})
      check_step(plan, as, counted(elements, static_cast<float>(i)));
  BOOST_TEST(card->replays() == 6u);
  BOOST_TEST(says("2 graphs"), gpu->describe_graphs());
}

BOOST_AUTO_TEST_CASE(what_leaves_a_piece_is_not_overwritten_by_its_next_run) {
  add_feed({10});
  add_retval(add_chain("n", "feed", 12));
  auto plan = compile(*gpu), as = compile(*plain);
  std::vector<std::pair<Tensor, Tensor>> kept;
  for (int i = 0; i < 6; ++i) {
    auto value = counted(10, static_cast<float>(i));
    auto expected = step(as, value);
    BOOST_TEST_REQUIRE(expected.ok());
    kept.emplace_back(run_piece(*plan, {on_card(value, *gpu)})[0], *expected);
  }
  for (const auto& [on_gpu, expected] : kept) {
    auto back = fetch(*gpu, on_gpu);
    BOOST_TEST_REQUIRE(back.ok());
    BOOST_TEST(equal(*back, expected));
  }
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(steps_that_run_at_once_have_their_own_values) {
  add_feed({10});
  add_retval(add_chain("n", "feed", 12));
  auto plan = compile(*gpu), as = compile(*plain);
  for (int i = 0; i < 3; ++i) check_step(plan, as, counted(10, static_cast<float>(i)));
  std::vector<std::shared_ptr<TestPort>> ports;
  std::vector<std::shared_ptr<Execution>> steps;
  for (int i = 0; i < 4; ++i) {
    ports.push_back(std::make_shared<TestPort>());
    ports.back()->fed = counted(10, static_cast<float>(10 * i));
    steps.push_back(
        start(plan, ports.back(), [](const Status& status) { BOOST_TEST(status.ok()); }));
  }
  for (int round = 0; round < 10; ++round) {
    run_until_idle();
    for (auto& each : ports) each->run_posted();
  }
  for (int i = 0; i < 4; ++i) {
    auto expected = step(as, counted(10, static_cast<float>(10 * i)));
    BOOST_TEST_REQUIRE(ports[static_cast<size_t>(i)]->fetched.is_set());
    BOOST_TEST(equal(ports[static_cast<size_t>(i)]->fetched, *expected));
  }
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(an_input_is_read_in_place_while_it_stays_and_copied_once_it_has_moved) {
  add_feed({10});
  add_feed_as("weights", {10});
  add({.name = "sum", .op = "AddV2", .inputs = {"feed", "weights"}});
  add_retval(add_chain("n", "sum", 12));
  auto plan = compile(*gpu);
  auto weights = on_card(counted(10, 7), *gpu);
  std::vector<Tensor> others;
  auto before = card->launches();
  for (int i = 0; i < 5; ++i) {
    others.push_back(on_card(counted(10, static_cast<float>(i)), *gpu));
    run_piece(*plan, {others.back(), weights});
  }
  // Of each replay, 13 kernels, a copy of the feed, and one of what it gives.
  BOOST_TEST(card->launches() - before == 13u + 4 * 15);
  auto moved = on_card(counted(10, 8), *gpu);
  run_piece(*plan, {others.back(), moved});
  BOOST_TEST(says("1 update"), gpu->describe_graphs());
  auto got = run_piece(*plan, {others.back(), weights});
  BOOST_TEST(says("1 capture, 1 update"), gpu->describe_graphs());
  auto back = fetch(*gpu, got[0]);
  auto as = fetch(*gpu, run_piece_plainly(*plan, {others.back(), weights})[0]);
  BOOST_TEST(equal(*back, *as));
}

BOOST_AUTO_TEST_CASE(work_that_cannot_be_changed_is_captured_as_new) {
  card->allow_updates(false);
  add_feed({10});
  add_retval(add_chain("n", "feed", 12));
  auto plan = compile(*gpu);
  auto one = on_card(counted(10, 1), *gpu), two = on_card(counted(10, 2), *gpu);
  for (int i = 0; i < 3; ++i) run_piece(*plan, {one});
  for (int i = 0; i < 3; ++i) run_piece(*plan, {two});
  BOOST_TEST(says("2 captures, 0 updates"), gpu->describe_graphs());
  cards.run();
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(a_piece_whose_large_inputs_always_move_is_run_node_by_node) {
  add_feed({huge});
  add_chain("n", "feed", 8);
  add({.name = "shape", .op = "Shape", .inputs = {"n7"}});
  add_retval("shape");
  auto plan = compile(*gpu);
  auto one = on_card(counted(huge, 1), *gpu), two = on_card(counted(huge, 2), *gpu);
  for (int i = 0; i < 6; ++i) run_piece(*plan, {i % 2 ? one : two});
  BOOST_TEST_REQUIRE(said.size() == 1u);
  BOOST_TEST(
      said[0] ==
      "the piece of 9 nodes from 'n0' to 'shape' runs node by node: its large inputs lie elsewhere "
      "in each step");
}

BOOST_AUTO_TEST_CASE(a_piece_that_gives_more_than_is_worth_a_copy_is_run_node_by_node) {
  add_feed({huge});
  add_retval(add_chain("n", "feed", 8));
  auto plan = compile(*gpu), as = compile(*plain);
  for (int i = 0; i < 3; ++i) check_step(plan, as, counted(huge, static_cast<float>(i)));
  BOOST_TEST(says("to copy what it takes and gives would cost more"), gpu->describe_graphs());
  BOOST_TEST(card->replays() == 0u);
}

BOOST_AUTO_TEST_CASE(work_that_cannot_be_captured_is_run_node_by_node_and_the_reason_is_told_once) {
  add_feed({10});
  auto last = add_chain("n", "feed", 12);
  add({.name = "log", .op = "Log", .inputs = {last}});
  add_retval("log");
  auto plan = compile(*gpu), as = compile(*plain);
  for (int i = 0; i < 5; ++i) check_step(plan, as, counted(10, static_cast<float>(i)));
  BOOST_TEST_REQUIRE(said.size() == 1u);
  BOOST_TEST(
      said[0].find("'log' runs node by node: there is other work in a capture") !=
      std::string::npos);
  BOOST_TEST(says("1 refusal"), gpu->describe_graphs());
}

BOOST_AUTO_TEST_CASE(a_replay_that_cannot_be_started_is_run_node_by_node) {
  add_feed({10});
  add_retval(add_chain("n", "feed", 12));
  auto plan = compile(*gpu), as = compile(*plain);
  for (int i = 0; i < 3; ++i) check_step(plan, as, counted(10, static_cast<float>(i)));
  card->fail_next_replay(internal("no room for the graph"));
  check_step(plan, as, counted(10, 7));
  check_step(plan, as, counted(10, 8));
  BOOST_TEST(says("no room for the graph"), gpu->describe_graphs());
}

BOOST_AUTO_TEST_CASE(an_error_of_the_card_in_a_replay_ends_the_step_and_marks_the_device) {
  add_feed({10});
  auto last = add_chain("n", "feed", 12);
  add({.name = "root", .op = "Rsqrt", .inputs = {last}});
  add_retval("root");
  auto plan = compile(*gpu);
  for (int i = 0; i < 3; ++i) BOOST_TEST(step(plan, counted(10)).ok());
  breaks = true;
  BOOST_TEST(step(plan, counted(10)).status().message() == "an illegal address");
  auto status = step(plan, counted(10)).status();
  BOOST_TEST((status.code() == Code::unavailable));  // AC-1
  BOOST_TEST(status.message().find("restart this task") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(as_much_is_kept_as_the_options_say_and_the_last_that_was_used) {
  gpu = make_gpu({.count_max = 2});
  add_feed(Shape::unknown_rank());
  add_retval(add_chain("n", "feed", 12));
  auto plan = compile(*gpu), as = compile(*plain);
  for (int64_t elements : {10, 20, 10, 30})
    for (int i = 0; i < 2; ++i) check_step(plan, as, counted(elements));
  BOOST_TEST(says("2 graphs"), gpu->describe_graphs());
  auto replays = card->replays();
  check_step(plan, as, counted(10));
  check_step(plan, as, counted(30));
  BOOST_TEST(card->replays() == replays + 2);
  check_step(plan, as, counted(20));
  BOOST_TEST(card->replays() == replays + 2);
}

BOOST_AUTO_TEST_CASE(work_that_needs_too_much_memory_is_not_kept) {
  gpu = make_gpu({.bytes_max = 1 << 20});
  add_feed({100'000});
  add_chain("n", "feed", 200);
  add({.name = "shape", .op = "Shape", .inputs = {"n199"}});
  add_retval("shape");
  auto plan = compile(*gpu);
  auto value = on_card(counted(100'000), *gpu);
  for (int i = 0; i < 3; ++i) run_piece(*plan, {value});
  BOOST_TEST(
      says("its memory is more than the 0 MiB that captured work may have"),
      gpu->describe_graphs());
}

BOOST_AUTO_TEST_CASE(memory_of_captured_work_is_named_and_given_up_before_a_tensor_gets_none) {
  add_feed({1 << 20});
  add_chain("n", "feed", 40);
  add({.name = "shape", .op = "Shape", .inputs = {"n39"}});
  add_retval("shape");
  auto plan = compile(*gpu);
  auto value = on_card(counted(1 << 20), *gpu);
  for (int i = 0; i < 3; ++i) run_piece(*plan, {value});
  cards.run();
  BOOST_TEST(
      gpu->describe_memory().find("by captured work") != std::string::npos, gpu->describe_memory());
  std::vector<Tensor> all;
  for (int i = 0; i < 31; ++i) {
    auto more = Tensor::allocate(DType::float32, {1 << 20}, gpu->allocator());
    BOOST_TEST_REQUIRE(more.ok(), more.status().to_string());
    all.push_back(*more);
  }
  BOOST_TEST(says("0 graphs"), gpu->describe_graphs());
  cards.run();
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(all_memory_of_a_piece_is_given_back_with_its_plan) {
  add_feed({10});
  add_retval(add_chain("n", "feed", 12));
  auto plan = compile(*gpu);
  for (int i = 0; i < 3; ++i) BOOST_TEST(step(plan, counted(10)).ok());
  BOOST_TEST(gpu->allocator().use().bytes_in_use > 0u);
  plan = nullptr;
  BOOST_TEST(gpu->allocator().use().bytes_in_use == 0u);
}

BOOST_AUTO_TEST_CASE(what_a_piece_passes_on_or_knows_from_shapes_is_given_as_it_is) {
  add_feed({2, 6});
  add_const("sizes", Tensor::of<int32_t>({2}, {3, 4}));
  auto last = add_chain("n", "feed", 12);
  add({.name = "flat", .op = "Reshape", .inputs = {"feed", "sizes"}});
  add({.name = "shape", .op = "Shape", .inputs = {last}});
  add_send("flat", 1);
  add_send("shape", 2);
  add_retval(last);
  auto plan = compile(*gpu), as = compile(*plain);
  for (int i = 0; i < 4; ++i) {
    port->sent.clear();
    auto value = counted(12, static_cast<float>(i)).reshaped({2, 6});
    check_step(plan, as, value);
    BOOST_TEST_REQUIRE(port->sent.size() == 4u);
    for (const auto& [edge, sent] : port->sent)
      if (edge == 1) BOOST_TEST(equal(sent, value.reshaped({3, 4})));
      else BOOST_TEST(sent.to_string() == "int32[2] [2 6]");
  }
  BOOST_TEST(card->replays() == 3u);
}

BOOST_AUTO_TEST_CASE(a_traced_step_runs_node_by_node) {
  add_feed({10});
  add_retval(add_chain("n", "feed", 12));
  auto plan = compile(*gpu);
  for (int i = 0; i < 3; ++i) BOOST_TEST(step(plan, counted(10)).ok());
  auto replays = card->replays();
  auto trace = std::make_shared<StepTrace>([this] { return cards.now(); });
  std::optional<Status> end;
  auto execution = start(
      plan, port, [&end](const Status& status) { end = status; }, trace);
  run_until_idle();
  BOOST_TEST((end && end->ok()));
  BOOST_TEST(card->replays() == replays);
  auto run = trace->take(*plan);
  BOOST_TEST(std::ranges::count(run.nodes, "Neg", &NodeRun::op) == 6);
  // The copy of the last to the host has its name, too.
  BOOST_TEST(std::ranges::count(run.nodes, "Exp", &NodeRun::op) == 7);
}

BOOST_AUTO_TEST_CASE(an_error_of_a_member_names_its_node) {
  add_feed({20 << 20});
  add({.name = "sum", .op = "AddV2", .inputs = {add_chain("n", "feed", 12), "feed"}});
  add_retval("sum");
  auto plan = compile(*gpu);
  auto status = step(plan, counted(20 << 20)).status();
  BOOST_TEST((status.code() == Code::resource_exhausted));
  BOOST_TEST(status.where().node == "n0");
}

BOOST_AUTO_TEST_SUITE_END()
