#include "troupe/devices/pieces/find_pieces.hpp"

#include <random>

#include "troupe/tests/devices/accelerator/captured_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_FIXTURE_TEST_SUITE(find_pieces, CapturedFixture)

BOOST_AUTO_TEST_CASE(few_launches_are_no_piece) {
  add_feed({10});
  add_retval(add_chain("n", "feed", 7));
  BOOST_TEST(pieces_of(*compile(*gpu)) == 0);
}

BOOST_AUTO_TEST_CASE(what_waits_for_a_value_is_in_another_piece_than_what_it_may_come_from) {
  add_feed({10});
  add_send(add_chain("before", "feed", 8), 1);
  add_recv("back", 2);
  add({.name = "sum", .op = "AddV2", .inputs = {"feed", "back"}});
  add_retval(add_chain("after", "sum", 8));
  auto plan = compile(*gpu);
  BOOST_TEST(pieces_of(*plan) == 2);
  for (int i = 0; i < 4; ++i) {
    port->fed = counted(10, static_cast<float>(i));
    port->sent.clear();
    std::optional<Status> end;
    auto execution = start(plan, port, [&end](const Status& status) { end = status; });
    run_until_idle();
    BOOST_TEST_REQUIRE(port->sent.size() == 1u);
    auto value = std::exchange(port->sent[0].second, Tensor());
    port->arrive({2, {}}, std::move(value));
    run_until_idle();
    BOOST_TEST((end && end->ok()));
  }
  BOOST_TEST(card->replays() == 6u);
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(a_value_that_is_sent_does_not_wait_for_what_follows) {
  add_feed({10});
  add_retval(add_chain("n", "feed", 30));
  add_send("n9", 1);
  add_send("n12", 2);
  auto plan = compile(*gpu), as = compile(*plain);
  BOOST_TEST(pieces_of(*plan) == 3);
  for (int i = 0; i < 4; ++i) check_step(plan, as, counted(10, static_cast<float>(i)));
  BOOST_TEST(card->replays() == 9u);
}

BOOST_AUTO_TEST_CASE(branches_of_a_switch_are_pieces_of_their_own) {
  add_feed({10});
  add(
      {.name = "choice",
       .op = transfer::arg,
       .attrs = {{"T", DType::boolean}, {"index", 1}, {"shape", Shape()}}});
  add({.name = "switch", .op = "Switch", .inputs = {"feed", "choice"}});
  auto on_false = add_chain("false", "switch:0", 8), on_true = add_chain("true", "switch:1", 9);
  add({.name = "merge", .op = "Merge", .inputs = {on_false, on_true}});
  add_retval("merge");
  struct Port final : StepPort {
    Tensor value, choice, fetched;
    std::deque<std::function<void()>> posted;
    Tensor feed(int index) override { return index == 0 ? value : choice; }
    void fetch(int, Tensor got) override { fetched = std::move(got); }
    Status send(const EdgeKey&, Tensor) override { return {}; }
    std::optional<Result<Tensor>> try_receive(const EdgeKey&) override { return {}; }
    void receive(const EdgeKey&, Arrived) override {}
    void fail(const Status&) override {}
    void post(std::function<void()> work) override { posted.push_back(std::move(work)); }
  };
  auto run = [&](const std::shared_ptr<const Plan>& plan, const Tensor& value, bool choice) {
    auto chosen = std::make_shared<Port>();
    chosen->value = value;
    chosen->choice = Tensor::scalar(choice);
    std::optional<Status> end;
    auto execution = start(plan, chosen, [&end](const Status& status) { end = status; });
    for (int round = 0; round < 10; ++round) {
      run_until_idle();
      while (!chosen->posted.empty()) {
        auto work = std::move(chosen->posted.front());
        chosen->posted.pop_front();
        work();
      }
    }
    BOOST_TEST_REQUIRE((end && end->ok()));
    return chosen->fetched;
  };
  auto plan = compile(*gpu), as = compile(*plain);
  BOOST_TEST(pieces_of(*plan) == 2);
  for (int i = 0; i < 8; ++i) {
    auto value = counted(10, static_cast<float>(i));
    auto choice = i % 3 == 0;
    BOOST_TEST(equal(run(plan, value, choice), run(as, value, choice)), "step " << i);
  }
  BOOST_TEST(card->replays() == 6u);
  BOOST_TEST(cards.fault() == "");
}

/// Graphs of nodes that repeat and some that do not, with edges at random: each step ends, and
/// gives what it gives node by node.
BOOST_AUTO_TEST_CASE(steps_of_any_graph_end_with_the_values_that_they_have_node_by_node) {
  int pieces = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    CapturedFixture fixture;
    fixture.add_feed({16});
    std::vector<std::string> names{"feed"};
    auto pick = [&] {
      auto back = std::min<size_t>(names.size(), 1 + random() % 12);
      return names[names.size() - back];
    };
    for (int i = 0; i < 60; ++i) {
      NodeDef node{.name = "n" + std::to_string(i), .op = "Neg", .inputs = {pick()}};
      auto kind = random() % 12;
      if (kind < 4) node.op = "AddV2", node.inputs.push_back(pick());
      if (kind == 4) node.op = "Identity";
      if (kind == 5) node.op = "Sign";
      if (random() % 6 == 0) node.inputs.push_back("^" + pick());
      names.push_back(node.name);
      fixture.add(std::move(node));
    }
    fixture.add_retval(names.back());
    auto plan = fixture.compile(*fixture.gpu), as = fixture.compile(*fixture.plain);
    pieces += pieces_of(*plan);
    BOOST_TEST_CONTEXT("seed " << seed)
    for (int i = 0; i < 4; ++i)
      fixture.check_step(plan, as, counted(16, static_cast<float>(seed + i) / 100));
  }
  BOOST_TEST(pieces > 40);
}

BOOST_AUTO_TEST_SUITE_END()
