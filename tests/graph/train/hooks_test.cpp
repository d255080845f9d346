#include "troupe/graph/train/hooks.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "troupe/tests/graph/train/fake_host.hpp"
#include "troupe/tests/graph/train/fake_session.hpp"
#include "troupe/tests/temporary_folder.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

struct HooksFixture {
  FakeHost host;
  FakeCluster cluster;
  FakeSession session{cluster};

  /// A step of training with that hook: true if it asked for the last.
  Result<bool> step(train::SessionHook& hook) {
    train::StepRequest request;
    train::StepContext context(session, request);
    auto fetches = hook.before_run(context).fetches;
    auto fetched = session.run({}, fetches, {"train"}, {});
    auto status = hook.after_run(context, *fetched);
    if (!status.ok()) return status;
    return context.is_stop_requested();
  }
  int steps_until_stop(train::SessionHook& hook) {
    for (int i = 1; i < 100; ++i)
      if (*step(hook)) return i;
    return 0;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(hooks, HooksFixture)

BOOST_AUTO_TEST_CASE(training_stops_at_the_last_step) {
  auto hook = train::stop_at_step("global_step", {.last_step = 7});
  cluster.global_step = 3;
  BOOST_TEST(hook->begin().ok());
  BOOST_TEST(hook->after_create_session(session).ok());
  BOOST_TEST(steps_until_stop(*hook) == 4);
}

BOOST_AUTO_TEST_CASE(training_stops_after_so_many_steps_also_in_another_session) {
  auto hook = train::stop_at_step("global_step", {.num_steps = 5});
  cluster.global_step = 3;
  BOOST_TEST(hook->after_create_session(session).ok());
  BOOST_TEST(!*step(*hook));
  BOOST_TEST(hook->after_create_session(session).ok());
  BOOST_TEST(steps_until_stop(*hook) == 4);
}

BOOST_AUTO_TEST_CASE(the_last_step_is_given_in_one_way) {
  BOOST_TEST(!train::stop_at_step("global_step", {})->begin().ok());
  BOOST_TEST(!train::stop_at_step("global_step", {.last_step = 1, .num_steps = 1})->begin().ok());
}

BOOST_AUTO_TEST_CASE(a_checkpoint_is_saved_at_the_start_each_period_and_the_end) {
  TemporaryFolder folder;
  Builder b;
  b.variable("w", b.constant(1.0f));
  auto saver = std::make_shared<train::Saver>(b, host);
  auto hook = train::checkpoint_saver(
      host, {.saver = saver,
             .prefix = folder / "model",
             .global_step = "global_step",
             .period = {.steps = 3}});
  BOOST_TEST(hook->after_create_session(session).ok());
  for (int i = 0; i < 7; ++i) BOOST_TEST(step(*hook).ok());
  BOOST_TEST(hook->end(session).ok());
  BOOST_TEST(
      saver->last_checkpoints() ==
      (std::vector<std::string>{
          folder / "model-0", folder / "model-3", folder / "model-6", folder / "model-7"}));
  BOOST_TEST(hook->end(session).ok());
  BOOST_TEST(host.messages.size() == 4U);  // the step is saved already
  cluster.global_step = 2;                 // what was restored
  BOOST_TEST(step(*hook).ok());
  BOOST_TEST(saver->last_checkpoints().back() == folder / "model-3");
}

BOOST_AUTO_TEST_CASE(each_checkpoint_is_told_and_an_error_of_who_is_told_is_that_of_the_step) {
  TemporaryFolder folder;
  Builder b;
  b.variable("w", b.constant(1.0f));
  std::vector<std::string> told;
  Status answer;
  auto hook = train::checkpoint_saver(
      host, {.saver = std::make_shared<train::Saver>(b, host),
             .prefix = folder / "model",
             .global_step = "global_step",
             .period = {.steps = 2},
             .saved = [&](const std::string& path) {
               told.push_back(path);
               return answer;
             }});
  BOOST_TEST(hook->after_create_session(session).ok());
  BOOST_TEST(step(*hook).ok());
  answer = invalid_argument("no room");
  BOOST_TEST((step(*hook).status().message() == "no room"));
  BOOST_TEST(told == (std::vector<std::string>{folder / "model-0", folder / "model-2"}));
}

BOOST_AUTO_TEST_CASE(a_checkpoint_is_saved_when_its_time_has_come) {
  TemporaryFolder folder;
  Builder b;
  b.variable("w", b.constant(1.0f));
  auto saver = std::make_shared<train::Saver>(b, host);
  auto hook = train::checkpoint_saver(
      host, {.saver = saver,
             .prefix = folder / "model",
             .global_step = "global_step",
             .period = {.time = 10s}});
  BOOST_TEST(hook->after_create_session(session).ok());
  for (auto time : {9s, 1s, 9s, 1s}) {
    host.time += time;
    BOOST_TEST(step(*hook).ok());
  }
  BOOST_TEST(saver->last_checkpoints().size() == 3U);
}

BOOST_AUTO_TEST_CASE(steps_are_counted_against_the_clock) {
  auto hook = train::step_counter(host, "global_step", {.steps = 4});
  for (int i = 0; i < 9; ++i) {
    host.time += 500ms;
    BOOST_TEST(step(*hook).ok());
  }
  BOOST_TEST(
      host.messages ==
      (std::vector<std::string>{
          "global step 5: 2.000000 a second", "global step 9: 2.000000 a second"}));
}

BOOST_AUTO_TEST_CASE(a_loss_that_is_no_number_ends_the_training) {
  auto strict = train::nan_guard(host, "loss");
  auto lenient = train::nan_guard(host, "loss", /*fail=*/false);
  BOOST_TEST(!*step(*strict));
  cluster.fetched["loss"] = Tensor::scalar(std::numeric_limits<float>::quiet_NaN());
  BOOST_TEST(step(*strict).status().to_string() == "InvalidArgument: the loss 'loss' is NaN");
  BOOST_TEST(*step(*lenient));
}

BOOST_AUTO_TEST_CASE(values_are_logged_each_period) {
  auto hook = train::value_logger(host, {"a", "b"}, {.steps = 2});
  cluster.fetched["b"] = Tensor::scalar(2.5f);
  for (int i = 0; i < 4; ++i) BOOST_TEST(step(*hook).ok());
  BOOST_TEST(
      host.messages == (std::vector<std::string>(2, "a = float32[] [0], b = float32[] [2.5]")));
}

BOOST_AUTO_TEST_SUITE_END()
