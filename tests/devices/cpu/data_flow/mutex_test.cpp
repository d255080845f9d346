#include "troupe/devices/resources/data_flow/mutex.hpp"

#include "troupe/tests/devices/cpu/run_op.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Calls of one mutex, and how each has ended.
struct Locking {
  std::shared_ptr<MutexResource> mutex = std::make_shared<MutexResource>();
  std::vector<std::string> ends;
  std::vector<uint64_t> calls;

  void lock() {
    auto number = ends.size();
    ends.push_back("waits");
    calls.push_back(0);
    auto done = [this, number](const Status& status) {
      ends[number] = status.ok() ? "holds" : status.to_string();
    };
    calls[number] = mutex->lock(done);
  }
  void release() { HeldMutex held(mutex); }
};

/// Two critical sections in one step.
Result<Tensors> run_two_sections() {
  Builder b;
  auto mutex = b.op("MutexV2", {}, {{"shared_name", "m"}});
  auto first = b.op("MutexLock", {mutex}), second = b.op("MutexLock", {mutex});
  return run_graph(
      b, {}, {}, {b.op("ConsumeMutexLock", {first}), b.op("ConsumeMutexLock", {second})});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mutex_ops)

BOOST_AUTO_TEST_CASE(a_mutex_is_held_by_one_at_a_time_in_the_order_in_which_they_came) {
  Locking run;
  for (int i = 0; i < 3; ++i) run.lock();
  BOOST_TEST(run.ends == (std::vector<std::string>{"holds", "waits", "waits"}));
  run.release();
  BOOST_TEST(run.ends[1] == "holds");
  BOOST_TEST(run.ends[2] == "waits");
  run.release();
  BOOST_TEST(run.ends[2] == "holds");
}

BOOST_AUTO_TEST_CASE(a_mutex_says_whether_a_step_holds_it) {
  Locking run;
  run.lock();
  BOOST_TEST(run.mutex->state() == "held by a step");
  run.release();
  BOOST_TEST(run.mutex->state() == "free");
}

BOOST_AUTO_TEST_CASE(who_does_not_wait_for_a_mutex_any_more_lets_those_behind_it_pass) {
  Locking run;
  for (int i = 0; i < 3; ++i) run.lock();
  run.mutex->give_up(run.calls[1], cancelled("not wanted any more"));
  BOOST_TEST(run.ends[1] == "Cancelled: not wanted any more");
  run.release();
  BOOST_TEST(run.ends[2] == "holds");
}

BOOST_AUTO_TEST_CASE(a_container_that_is_reset_ends_waits_for_its_mutex) {
  Locking run;
  for (int i = 0; i < 2; ++i) run.lock();
  run.mutex->drop();
  BOOST_TEST(run.ends[1].starts_with("Aborted: "), run.ends[1]);
  run.release();
  run.lock();
  BOOST_TEST(run.ends[2].starts_with("Aborted: "), run.ends[2]);
}

BOOST_AUTO_TEST_CASE(what_consumes_a_lock_frees_it_within_its_step) {
  BOOST_TEST(show(run_two_sections()) == "");
}

BOOST_AUTO_TEST_CASE(a_lock_that_is_used_twice_is_an_error) {
  Builder b;
  auto held = b.op("MutexLock", {b.op("MutexV2", {}, {{"shared_name", "m"}})});
  auto text = show(
      run_graph(b, {}, {}, {b.op("ConsumeMutexLock", {held}), b.op("ConsumeMutexLock", {held})}));
  BOOST_TEST(text.starts_with("InvalidArgument: something else uses the held mutex"), text);
}

BOOST_AUTO_TEST_CASE(what_is_no_lock_cannot_be_consumed) {
  Builder b;
  auto list = b.op(
      "EmptyTensorList", {b.constant(int32_t{-1}), b.constant(int32_t{1})},
      {{"element_dtype", DType::float32}, {"shape_type", DType::int32}});
  BOOST_TEST(show(run_graph(b, {}, {}, {b.op("ConsumeMutexLock", {list})}))
                 .starts_with("InvalidArgument: a held mutex is needed, not tensor list"));
}

BOOST_AUTO_TEST_SUITE_END()
