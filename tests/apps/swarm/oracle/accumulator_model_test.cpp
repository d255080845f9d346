#include "troupe/apps/swarm/oracle/accumulator_model.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::swarm;
using namespace std::chrono_literals;

namespace {

/// An accumulator whose clients do one thing after the other, a microsecond each.
struct GradientUser {
  explicit GradientUser(bool is_mean = false)
      : model({.name = "a", .is_mean = is_mean}, /*has_faults=*/false) {}

  sim::Time next() { return now += 1us; }
  void apply(bool is_of_first_step = false) {
    auto place = model.begin_apply(is_of_first_step, next());
    model.end_apply(place, true, next());
  }
  std::string take(int64_t required, const std::map<int64_t, double>& sum) {
    auto take = model.begin_take(required, next());
    return model.end_take(take, sum, next());
  }

  AccumulatorModel model;
  sim::Time now{0};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(accumulator_model)

BOOST_AUTO_TEST_CASE(a_gradient_is_in_one_sum_once) {
  GradientUser user;
  user.apply();
  user.apply();
  BOOST_TEST(user.take(1, {{0, 1}, {1, 2}}).find("AM-1: a gave gradient 1 2.0") == 0u);
  BOOST_TEST(user.take(1, {{0, 1}}) == "AM-1: a gave gradient 0 twice");
  BOOST_TEST(user.take(1, {{5, 1}}) == "AM-1: a gave gradient 5, which nobody has applied");
}

BOOST_AUTO_TEST_CASE(a_mean_is_that_of_all_gradients_and_has_enough) {
  GradientUser user(/*is_mean=*/true);
  for (int i = 0; i < 4; ++i) user.apply();
  BOOST_TEST(user.take(2, {{0, 0.5}, {1, 0.5}}) == "");
  BOOST_TEST(user.take(3, {{2, 0.5}, {3, 0.5}}) == "AM-2: a gave the sum of 2 gradients");
}

BOOST_AUTO_TEST_CASE(a_gradient_is_missed_unless_a_failed_step_may_have_taken_it) {
  GradientUser user;
  user.apply();
  BOOST_TEST(user.model.check_drained() == "AM-3: a has lost gradient 0");
  user.model.fail_take(user.model.begin_take(2, user.next()), user.next());
  BOOST_TEST(user.model.check_drained() == "AM-3: a has lost gradient 0");
  user.model.fail_take(user.model.begin_take(1, user.next()), user.next());
  BOOST_TEST(user.model.check_drained() == "");
}

BOOST_AUTO_TEST_CASE(a_stale_gradient_is_in_no_sum) {
  GradientUser user;
  user.apply();
  BOOST_TEST(user.take(1, {{0, 1}}) == "");
  user.apply(/*is_of_first_step=*/true);
  BOOST_TEST(user.model.check_drained() == "");
  BOOST_TEST(user.take(1, {{1, 1}}) == "AM-4: a gave gradient 1, which was stale");
}

BOOST_AUTO_TEST_SUITE_END()
