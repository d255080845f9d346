#include "troupe/devices/resources/queue/queue.hpp"

#include <algorithm>
#include <numeric>

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/resources/queue/queue_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace queue_resource {
namespace {

constexpr QueueKind all_kinds[] = {
    QueueKind::fifo, QueueKind::random_shuffle, QueueKind::padding_fifo, QueueKind::priority};

std::string closed_error(QueueKind kind) {
  return std::string("Cancelled: ") + to_string(kind) + " 'q' is closed.";
}
std::string too_few_error(QueueKind kind, int requested, int size) {
  return std::string("OutOfRange: ") + to_string(kind) +
         " 'q' is closed and has insufficient elements (requested " + std::to_string(requested) +
         ", current size " + std::to_string(size) + ")";
}
constexpr const char* enqueue_cancelled = "Cancelled: Enqueue operation was cancelled";
constexpr const char* dequeue_cancelled = "Cancelled: Dequeue operation was cancelled";
constexpr const char* gone = "Aborted: queue 'q' is gone: its container was reset";

/// All that is in the queue, which is closed for it.
std::string rest(const QueueUser& user) {
  user.close(/*cancels=*/true);
  return user.take_up_to(1'000'000).text();
}

std::vector<int64_t> range(int64_t count) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

}  // namespace
}  // namespace queue_resource

BOOST_AUTO_TEST_SUITE(queue_resource)

// -- what each kind has in common: each op in each state

BOOST_AUTO_TEST_CASE(an_open_queue_takes_and_gives_and_waits_for_what_it_lacks) {
  for (auto kind : all_kinds) {
    QueueUser user(kind, /*capacity=*/3);
    BOOST_TEST(user.put(5).text() == "ok");
    BOOST_TEST(user.put_many({6}).text() == "ok");
    BOOST_TEST(user.queue->size() == 2);
    BOOST_TEST(!user.queue->is_closed());
    auto both = user.take_many(2).text();
    BOOST_TEST((both == "5 6" || (kind == QueueKind::random_shuffle && both == "6 5")), both);
    auto one = user.take(), many = user.take_many(2), up_to = user.take_up_to(2);
    for (const auto& call : {one, many, up_to}) BOOST_TEST(call.text() == "waits");
    user.put(1);
    BOOST_TEST(one.text() == "1");
    user.put(2);
    BOOST_TEST(many.text() == "waits");
    user.put(3);
    BOOST_TEST(many.text().size() == 3u);
    user.put(4);
    BOOST_TEST(up_to.text() == "waits");  // it takes less of a closed queue only
    user.put(5);
    BOOST_TEST(up_to.text().size() == 3u);
  }
}

BOOST_AUTO_TEST_CASE(a_full_queue_lets_enqueues_wait_for_room) {
  for (auto kind : all_kinds) {
    QueueUser user(kind, /*capacity=*/2);
    user.put_many({1, 2});
    auto one = user.put(3), many = user.put_many({4, 5, 6});
    BOOST_TEST(one.text() == "waits");
    BOOST_TEST(many.text() == "waits");
    BOOST_TEST(user.queue->size() == 2);
    user.take();
    BOOST_TEST(one.text() == "ok");
    user.take_many(2);
    BOOST_TEST(many.text() == "waits");  // two of its three are in
    user.take();
    BOOST_TEST(many.text() == "ok");
    BOOST_TEST(user.queue->size() == 2);
  }
}

BOOST_AUTO_TEST_CASE(a_close_waits_for_the_enqueues_before_it_and_fails_those_behind_it) {
  for (auto kind : all_kinds) {
    QueueUser user(kind, /*capacity=*/1);
    user.put(1);
    auto before = user.put(2), close = user.close(), behind = user.put(3);
    BOOST_TEST(close.text() == "waits");
    BOOST_TEST(!user.queue->is_closed());
    BOOST_TEST(user.take().text() == "1");
    BOOST_TEST(before.text() == "ok");
    BOOST_TEST(close.text() == "ok");
    BOOST_TEST(behind.text() == closed_error(kind));
    BOOST_TEST(user.take().text() == "2");
  }
}

BOOST_AUTO_TEST_CASE(a_closed_queue_gives_what_it_has_and_then_is_out_of_range) {
  for (auto kind : all_kinds) {
    QueueUser user(kind);
    user.put_many({1, 2, 3});
    BOOST_TEST(user.close().text() == "ok");
    BOOST_TEST(user.queue->is_closed());
    BOOST_TEST(user.close().text() == "Cancelled: Queue 'q' is already closed.");
    BOOST_TEST(user.put(4).text() == closed_error(kind));
    BOOST_TEST(user.put_many({4, 5}).text() == closed_error(kind));
    BOOST_TEST(user.take_many(4).text() == too_few_error(kind, 4, 3));
    BOOST_TEST(user.queue->size() == 3);
    user.take();
    BOOST_TEST(user.take_up_to(5).text().size() == 3u);
    BOOST_TEST(user.take().text() == too_few_error(kind, 1, 0));
    BOOST_TEST(user.take_up_to(5).text() == too_few_error(kind, 5, 0));
  }
}

BOOST_AUTO_TEST_CASE(a_close_ends_the_dequeues_that_wait_for_what_will_not_come) {
  for (auto kind : all_kinds) {
    QueueUser user(kind);
    user.put(1);
    auto many = user.take_many(3), up_to = user.take_up_to(3), one = user.take();
    user.close();
    auto held = kind == QueueKind::priority ? 0 : 1;
    BOOST_TEST(many.text() == too_few_error(kind, 3 - held, 1 - held));
    BOOST_TEST(up_to.text() == "1");
    BOOST_TEST(one.text() == too_few_error(kind, 1, 0));
  }
}

BOOST_AUTO_TEST_CASE(a_close_with_cancel_fails_what_waits_to_go_in_and_keeps_what_is_in) {
  for (auto kind : all_kinds) {
    QueueUser user(kind, /*capacity=*/2);
    user.put(1);
    auto many = user.put_many({2, 3}), one = user.put(4), close = user.close();
    BOOST_TEST(user.close(/*cancels=*/true).text() == "ok");
    for (const auto& call : {many, one, close}) BOOST_TEST(call.text() == enqueue_cancelled);
    BOOST_TEST(user.close(/*cancels=*/true).text() == "ok");
    BOOST_TEST(user.put(5).text() == closed_error(kind));
    BOOST_TEST(user.queue->size() == 2);  // one of the two was in
    BOOST_TEST(user.take_many(2).text().size() == 3u);
  }
}

BOOST_AUTO_TEST_CASE(an_enqueue_that_is_given_up_leaves_in_what_was_in) {
  for (auto kind : all_kinds) {
    QueueUser user(kind, /*capacity=*/2);
    auto many = user.put_many({1, 2, 3}), one = user.put(4), close = user.close();
    BOOST_TEST(user.give_up(many) == enqueue_cancelled);
    user.take();
    BOOST_TEST(one.text() == "ok");
    BOOST_TEST(close.text() == "ok");
    BOOST_TEST(user.give_up(one) == "ok");  // it has ended before
    BOOST_TEST(user.queue->size() == 2);
  }
}

BOOST_AUTO_TEST_CASE(a_dequeue_that_is_given_up_puts_back_what_it_had_for_the_next) {
  for (auto kind : all_kinds) {
    QueueUser user(kind, /*capacity=*/2);
    auto many = user.take_many(5), next = user.take_many(3);
    user.put_many({1, 2, 3});
    BOOST_TEST(next.text() == "waits");
    BOOST_TEST(user.give_up(many) == dequeue_cancelled);
    auto text = next.text();
    if (kind == QueueKind::priority) {  // it takes all at once, so that never more than fits is in
      BOOST_TEST(text == "waits");
      continue;
    }
    std::ranges::sort(text);
    BOOST_TEST(text == "  123");
    if (kind != QueueKind::random_shuffle) BOOST_TEST(next.text() == "1 2 3");
  }
}

BOOST_AUTO_TEST_CASE(a_reset_of_the_container_ends_all_that_wait_and_all_that_come) {
  for (auto kind : all_kinds) {
    QueueUser full(kind, /*capacity=*/1), empty(kind);
    full.put(1);
    auto one = full.put(2), many = full.put_many({3, 4}), close = full.close();
    auto taken = empty.take(), batch = empty.take_many(3), up_to = empty.take_up_to(3);
    full.queue->drop();
    empty.queue->drop();
    for (const auto& call : {one, many, close, taken, batch, up_to})
      BOOST_TEST(call.text() == gone);
    BOOST_TEST(full.queue->is_dropped());
    BOOST_TEST(full.queue->describe().bytes == 0u);
    for (const auto& call : {full.put(5), full.take(), full.close(), full.close(true)})
      BOOST_TEST(call.text() == gone);
  }
}

BOOST_AUTO_TEST_CASE(what_was_taken_can_be_put_back_into_a_full_and_a_closed_queue) {
  for (auto kind : all_kinds) {
    QueueUser user(kind, /*capacity=*/2);
    user.put_many({1, 2});
    auto runs = user.queue->try_dequeue({.count = 2});
    BOOST_REQUIRE((runs && *runs));
    user.put_many({3, 4});
    user.close();
    user.queue->put_back(**runs);
    BOOST_TEST(user.queue->size() == 4);
    if (kind != QueueKind::random_shuffle) BOOST_TEST(rest(user) == "1 2 3 4");
  }
}

BOOST_AUTO_TEST_CASE(what_is_put_back_goes_to_where_it_was) {
  QueueUser user(QueueKind::fifo);
  user.put_many({1, 2, 3, 4, 5, 6});
  auto first = user.queue->try_dequeue({.count = 2}), second = user.queue->try_dequeue({});
  auto waiting = user.take_many(5);
  BOOST_TEST(waiting.text() == "waits");  // it has 4 5 6
  user.queue->put_back(**first);
  BOOST_TEST(waiting.text() == "1 2 4 5 6");
  user.put(7);
  user.queue->put_back(**second);
  BOOST_TEST(user.take_many(2).text() == "3 7");
}

BOOST_AUTO_TEST_CASE(waiting_calls_are_served_in_the_order_in_which_they_came) {
  for (auto kind : all_kinds) {
    QueueUser user(kind, /*capacity=*/1);
    auto large = user.take_many(2), small = user.take();
    user.put(1);
    BOOST_TEST(small.text() == "waits");  // it does not overtake
    if (kind == QueueKind::priority) continue;
    user.put(2);
    BOOST_TEST(large.text().size() == 3u);
    user.put(3);
    BOOST_TEST(small.text() == "3");
  }
}

// -- what is special to a kind

BOOST_AUTO_TEST_CASE(a_fifo_queue_keeps_the_order_of_elements_and_of_batches) {
  QueueUser user(QueueKind::fifo, /*capacity=*/4);
  user.put(1);
  user.put_many({2, 3, 4});
  auto more = user.put_many({5, 6, 7});
  BOOST_TEST(user.take_many(2).text() == "1 2");
  BOOST_TEST(user.take().text() == "3");
  BOOST_TEST(user.take_many(4).text() == "4 5 6 7");
  BOOST_TEST(more.text() == "ok");
}

BOOST_AUTO_TEST_CASE(a_dequeue_may_want_more_than_the_queue_can_hold) {
  QueueUser user(QueueKind::fifo, /*capacity=*/2);
  auto many = user.take_many(5);
  BOOST_TEST(user.put_many({1, 2, 3, 4, 5, 6}).text() == "ok");
  BOOST_TEST(many.text() == "1 2 3 4 5");
}

BOOST_AUTO_TEST_CASE(the_random_order_of_a_seed_is_that_of_tensorflow) {
  QueueUser user(QueueSpec{.kind = QueueKind::random_shuffle, .seed = 87654321, .seed2 = 42});
  user.put_many(range(10));
  BOOST_TEST(user.take_many(10).text() == "2 1 5 7 6 3 0 9 8 4");
}

BOOST_AUTO_TEST_CASE(queues_without_a_seed_have_orders_of_their_own) {
  QueueUser one(QueueKind::random_shuffle), other(QueueKind::random_shuffle);
  one.put_many(range(50));
  other.put_many(range(50));
  BOOST_TEST(one.take_many(50).text() != other.take_many(50).text());
}

BOOST_AUTO_TEST_CASE(a_random_queue_keeps_its_minimum_while_it_is_open) {
  QueueUser user(
      QueueSpec{.kind = QueueKind::random_shuffle, .capacity = 10, .min_after_dequeue = 3});
  user.put_many({1, 2, 3});
  auto one = user.take(), many = user.take_many(2);
  BOOST_TEST(one.text() == "waits");
  user.put(4);
  BOOST_TEST(one.text() != "waits");
  user.put(5);
  BOOST_TEST(many.text() == "waits");
  BOOST_TEST(user.queue->size() == 3);
  user.close();
  BOOST_TEST(many.text().size() == 3u);
  BOOST_TEST(user.take_many(2).text().size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_priority_queue_gives_the_smallest_first_and_equal_ones_as_they_came) {
  QueueUser user(QueueKind::priority);
  for (auto value : {3, -7, 5, 0}) user.put(value);
  BOOST_TEST(user.take().text() == "-7");
  user.put(-1);
  BOOST_TEST(user.take_many(4).text() == "-1 0 3 5");

  auto first = QueueRun{.components = {Tensor::scalar<int64_t>(1)}}, second = first, third = first;
  second.components = {Tensor::scalar<int64_t>(1)};
  third.components = {Tensor::scalar<int64_t>(1)};
  const void* order[] = {
      first.components[0].raw(), second.components[0].raw(), third.components[0].raw()};
  for (auto* run : {&first, &second, &third}) user.queue->try_enqueue(*run);
  auto taken = user.queue->try_dequeue({.count = 2});
  user.queue->put_back(**taken);
  auto runs = user.queue->try_dequeue({.count = 3});
  for (size_t i = 0; i < 3; ++i) BOOST_TEST((**runs)[i].components[0].raw() == order[i]);
}

// -- bytes and what is seen

BOOST_AUTO_TEST_CASE(a_queue_may_be_limited_in_bytes_and_takes_one_that_is_larger_by_itself) {
  QueueUser user(QueueSpec{.capacity_bytes = 20});
  BOOST_TEST(user.put(1).text() == "ok");
  auto many = user.put_many({2, 3});
  BOOST_TEST(many.text() == "waits");
  BOOST_TEST(user.queue->describe().bytes == 16u);
  BOOST_TEST(user.take().text() == "1");
  BOOST_TEST(many.text() == "ok");

  QueueUser small(QueueSpec{.capacity_bytes = 4});
  BOOST_TEST(small.put(1).text() == "ok");
  auto next = small.put(2);
  BOOST_TEST(next.text() == "waits");
  BOOST_TEST(small.take().text() == "1");
  BOOST_TEST(next.text() == "ok");
}

BOOST_AUTO_TEST_CASE(bytes_of_strings_count_their_characters) {
  QueueSpec spec{.dtypes = {DType::string}};
  QueueResource queue(spec);
  QueueRun run = QueueRun::rows_of({Tensor::of<std::string>({2}, {"abc", "defgh"})});
  BOOST_REQUIRE((queue.try_enqueue(run) == Status()));
  BOOST_TEST(queue.describe().bytes == 2 * sizeof(std::string) + 8);
  BOOST_TEST(queue.try_dequeue({}).has_value());
  BOOST_TEST(queue.describe().bytes == sizeof(std::string) + 5);
}

BOOST_AUTO_TEST_CASE(a_queue_describes_itself) {
  QueueUser user(QueueKind::fifo, /*capacity=*/2);
  BOOST_TEST(
      user.queue->state() == "FIFOQueue 'q' has 0 of 2 elements; 0 enqueues and 0 dequeues wait");
  user.put_many({1, 2});
  auto waiting = user.put(3);
  auto facts = user.queue->describe();
  BOOST_TEST((facts.shape == Shape{2}));
  BOOST_TEST(facts.bytes == 16u);
  auto use = user.queue->queue_use(5s);
  BOOST_REQUIRE(use.has_value());
  BOOST_TEST(use->capacity == 2);
  BOOST_TEST(use->enqueues.elements == 2);
  BOOST_TEST(use->enqueues.waiting == 1);
  BOOST_TEST((use->enqueues.waiters == std::vector<QueueWaiter>{{"", 5s}}));
  BOOST_TEST(use->dequeues.waiting == 0);
  BOOST_TEST(!use->dequeues.idle.has_value());
  BOOST_TEST(
      user.queue->state() == "FIFOQueue 'q' has 2 of 2 elements; 1 enqueue and 0 dequeues wait");
  BOOST_TEST(QueueUser(QueueKind::fifo).queue->queue_use(0s)->capacity == -1);
}

// -- how fast elements come and go

BOOST_AUTO_TEST_CASE(what_was_never_used_has_no_rate) {
  QueueActivity activity;
  BOOST_TEST(activity.total() == 0);
  BOOST_TEST(!activity.latest());
  BOOST_TEST(activity.per_second(5s) == 0);
}

BOOST_AUTO_TEST_CASE(the_rate_is_that_of_the_last_seconds) {
  QueueActivity activity;
  for (int second = 0; second < 60; ++second)
    activity.add(second < 30 ? 100 : 4, 1000s + second * 1s);
  BOOST_TEST(activity.total() == 30 * 100 + 30 * 4);
  BOOST_TEST((activity.latest() == 1059s));
  BOOST_TEST(activity.per_second(1060s) > 3.5);
  BOOST_TEST(activity.per_second(1060s) < 4.5);
}

BOOST_AUTO_TEST_CASE(the_rate_falls_to_nothing_while_nothing_happens) {
  QueueActivity activity;
  for (int second = 0; second < 10; ++second) activity.add(8, second * 1s);
  BOOST_TEST(activity.per_second(10s) == 8);
  BOOST_TEST(activity.per_second(15s) > 4);
  BOOST_TEST(activity.per_second(15s) < 8);
  BOOST_TEST(activity.per_second(40s) == 0);
  BOOST_TEST(activity.total() == 80);
}

BOOST_AUTO_TEST_CASE(the_first_elements_are_not_taken_for_a_high_rate) {
  QueueActivity activity;
  activity.add(5, 7s);
  BOOST_TEST(activity.per_second(7s) == 5);
}

BOOST_AUTO_TEST_SUITE_END()
