#include "troupe/apps/swarm/oracle/queue_model.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::swarm;
using namespace std::chrono_literals;

namespace {

using Kind = SharedQueue::Kind;

/// A queue whose clients do one thing after the other, a microsecond each.
struct ModelUser {
  explicit ModelUser(Kind kind = Kind::fifo, bool has_faults = false, int64_t kept = 0)
      : model({.kind = kind, .name = "q", .capacity = 4, .min_after_dequeue = kept}, has_faults) {}

  sim::Time next() { return now += 1us; }
  std::string put(int64_t count) {
    auto put = model.begin_put(count, next());
    return model.end_put(put, true, next());
  }
  std::string take(const std::vector<int64_t>& numbers) {
    auto take = model.begin_take(std::ssize(numbers), false, next());
    return model.end_take(take, numbers, next());
  }
  void fail_take(int64_t count) {
    auto take = model.begin_take(count, false, next());
    model.fail_take(take, QueueModel::Failure::may_lose, next());
  }
  void give_up_take(int64_t count) {
    auto take = model.begin_take(count, false, next());
    model.fail_take(take, QueueModel::Failure::puts_back, next());
  }
  void lose() { model.lose(now, next(), /*surely=*/true), next(); }

  QueueModel model;
  sim::Time now{0};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(queue_model)

BOOST_AUTO_TEST_CASE(what_was_put_in_comes_out_once) {
  ModelUser user;
  BOOST_TEST(user.put(3) == "");
  BOOST_TEST(user.take({0, 1}) == "");
  BOOST_TEST(user.take({1}) == "QM-1: q gave element 1 twice");
  BOOST_TEST(user.take({7}) == "QM-1: q gave element 7, which nobody has put in");
}

BOOST_AUTO_TEST_CASE(an_element_is_missed_unless_a_failed_step_may_have_taken_it) {
  ModelUser user;
  user.put(2);
  BOOST_TEST(user.model.check_drained() == "QM-2: q has lost element 0");
  user.fail_take(3);  // there never were as many
  BOOST_TEST(user.model.check_drained() == "QM-2: q has lost element 0");
  user.fail_take(1);
  BOOST_TEST(user.model.check_drained() == "QM-2: q has lost element 1");
  user.fail_take(1);
  BOOST_TEST(user.model.check_drained() == "");
}

BOOST_AUTO_TEST_CASE(an_element_of_a_step_that_was_given_up_is_missed) {
  ModelUser user;
  user.put(1);
  user.give_up_take(1);
  BOOST_TEST(user.model.check_drained() == "QM-2: q has lost element 0");
}

BOOST_AUTO_TEST_CASE(an_element_may_come_again_if_the_queue_was_not_told_that_it_was_taken) {
  ModelUser user;
  user.put(3);
  auto take = user.model.begin_take(1, false, user.next());
  BOOST_TEST(user.model.end_take(take, {0}, user.next()) == "");
  user.model.leave_uncommitted(take);
  BOOST_TEST(user.take({1}) == "");
  BOOST_TEST(user.take({0}) == "");
  BOOST_TEST(user.take({0}) == "QM-1: q gave element 0 twice");
  BOOST_TEST(user.take({2}) == "");
  BOOST_TEST(user.model.check_drained() == "");
}

BOOST_AUTO_TEST_CASE(what_was_put_in_after_a_failed_step_had_ended_is_missed) {
  ModelUser user;
  user.put(1);
  user.fail_take(1);
  user.now += 1s;
  BOOST_TEST(user.take({0}) == "");
  user.put(1);
  BOOST_TEST(user.model.check_drained() == "QM-2: q has lost element 1");
}

BOOST_AUTO_TEST_CASE(a_lost_queue_may_lose_what_was_in_it_and_never_gives_it_again) {
  ModelUser user;
  user.put(2);
  user.next();
  user.lose();
  BOOST_TEST(user.model.check_drained() == "");
  BOOST_TEST(user.take({0}) == "QM-5: q gave element 0, which was lost");
}

BOOST_AUTO_TEST_CASE(a_fifo_queue_gives_elements_in_order_but_for_what_is_put_back) {
  ModelUser user;
  user.put(2);
  user.put(1);
  BOOST_TEST(user.take({2, 1}) == "QM-3: q gave element 2 before 1");
  ModelUser other;
  other.put(2);
  BOOST_TEST(other.take({1}) == "");
  BOOST_TEST(other.take({0}) == "QM-3: q gave element 1 before 0");
  ModelUser excused;
  excused.put(2);
  excused.fail_take(1);
  BOOST_TEST(excused.take({1}) == "");
  BOOST_TEST(excused.take({0}) == "");
}

BOOST_AUTO_TEST_CASE(a_priority_queue_gives_the_smallest_first) {
  ModelUser user(Kind::priority);
  user.put(4);  // of the priorities 0, 2, 4 and 1
  BOOST_TEST(user.take({0, 3, 1}) == "");
  ModelUser other(Kind::priority);
  other.put(4);
  BOOST_TEST(other.take({0, 1, 3}) == "QM-3: q gave element 1 before 3");
}

BOOST_AUTO_TEST_CASE(a_step_that_succeeds_late_may_have_what_another_one_was_given_meanwhile) {
  ModelUser user;
  user.put(2);
  auto late = user.model.begin_take(1, false, user.next());
  BOOST_TEST(user.take({0}) == "");
  user.model.leave_uncommitted(late);
  BOOST_TEST(user.model.end_take(late, {0}, user.next()) == "");
  BOOST_TEST(user.take({0}) == "QM-1: q gave element 0 twice");
}

BOOST_AUTO_TEST_CASE(a_step_that_waited_for_more_may_put_back_what_there_is_no_room_for) {
  ModelUser user;
  user.put(4);
  auto take = user.model.begin_take(6, false, user.next());
  BOOST_TEST(user.put(5) == "");
  user.model.fail_take(take, QueueModel::Failure::takes_nothing, user.next());
  BOOST_TEST(user.put(1) == "QM-4: q has 5 elements or more");
}

BOOST_AUTO_TEST_CASE(a_queue_keeps_to_its_bounds) {
  ModelUser user;
  BOOST_TEST(user.put(4) == "");
  BOOST_TEST(user.put(1) == "QM-4: q has 5 elements or more");
  ModelUser random(Kind::random_shuffle, /*has_faults=*/false, /*kept=*/2);
  random.put(3);
  BOOST_TEST(random.take({1}) == "");
  BOOST_TEST(random.take({0}) == "QM-4: q has less than 2 left");
}

BOOST_AUTO_TEST_CASE(a_closed_queue_takes_nothing) {
  ModelUser user;
  user.model.begin_close();
  auto began = user.next();
  user.model.end_close(began, user.next());
  BOOST_TEST(user.put(1) == "QM-5: q took an element after it was closed");
  user.lose();
  BOOST_TEST(user.put(1) == "");  // that one is new
}

BOOST_AUTO_TEST_SUITE_END()
