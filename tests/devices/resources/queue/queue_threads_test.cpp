#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/resources/queue/queue_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_AUTO_TEST_SUITE(queue_threads)

BOOST_AUTO_TEST_CASE(each_element_comes_out_once_with_many_threads_and_calls_that_are_given_up) {
  constexpr int64_t each = 3000, producers = 2, consumers = 2;
  QueueUser user(QueueKind::fifo, /*capacity=*/7);
  std::vector<std::atomic<int>> seen(each * producers);
  std::atomic<int64_t> taken = 0, in_order = 0;
  auto note = [&](const QueueRuns& runs) {
    for (const auto& run : runs)
      for (auto row = run.first; row < run.first + run.count; ++row, ++taken)
        ++seen[static_cast<size_t>(run.components[0].values<int64_t>()[static_cast<size_t>(row)])];
  };
  auto produce = [&](int64_t first) {
    for (int64_t i = 0; i < each; i += 3) {
      std::vector<int64_t> values = {first + i, first + i + 1, first + i + 2};
      std::atomic<bool> done = false;
      std::span<const int64_t> all(values);
      user.queue->enqueue(
          {QueueRun::rows_of({Tensor::of<int64_t>({3}, all)})}, [&](const Status& status) {
            if (status.ok()) ++in_order;
            done = true;
            done.notify_one();
          });
      done.wait(false);
    }
  };
  auto consume = [&] {
    for (int64_t i = 0; taken < each * producers; ++i) {
      std::atomic<bool> done = false;
      auto call = user.queue->dequeue({.count = 1 + i % 5}, [&](Result<QueueRuns> runs) {
        if (runs) note(*runs);
        done = true;
        done.notify_one();
      });
      if (i % 3 == 0 || taken + 10 > each * producers) user.queue->give_up(call);
      done.wait(false);
    }
  };
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < producers; ++i) threads.emplace_back(produce, i * each);
  for (int64_t i = 0; i < consumers; ++i) threads.emplace_back(consume);
  for (auto& thread : threads) thread.join();
  BOOST_TEST(in_order == each / 3 * producers);
  BOOST_TEST(std::ranges::all_of(seen, [](const auto& count) { return count == 1; }));
  BOOST_TEST(user.queue->size() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
