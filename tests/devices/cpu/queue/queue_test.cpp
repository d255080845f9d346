#include <string>
#include <thread>
#include <utility>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/resources/queue/queue.hpp"
#include "troupe/graph/ops/queue/queue.hpp"
#include "troupe/tests/devices/cpu/queue/queue_steps.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace queue_ops {
namespace {

const Tensors one = {Tensor::scalar(1.0f)}, two = {Tensor::scalar(2.0f)};
const Tensors three_rows = {vec({1, 2, 3})};

Tensors number(int32_t n) { return {Tensor::scalar(n)}; }

Attrs queue_of(DTypes dtypes, Shapes shapes) {
  return {{"component_types", std::move(dtypes)}, {"shapes", std::move(shapes)}};
}

}  // namespace
}  // namespace queue_ops

BOOST_AUTO_TEST_SUITE(queue_ops)

BOOST_AUTO_TEST_CASE(each_op_works_by_handle_and_by_reference_on_one_queue) {
  for (const std::string form : {"", "V2"}) {
    QueueSteps run("FIFOQueue" + form);
    BOOST_TEST(run("QueueEnqueue", one) == "ok");
    BOOST_TEST(run("QueueEnqueueMany", three_rows) == "ok");
    BOOST_TEST(run("QueueSize") == "int32[] [4]");
    BOOST_TEST(run("QueueDequeue") == "float32[] [1]");
    BOOST_TEST(run("QueueDequeueMany", number(2)) == "float32[2] [1 2]");
    BOOST_TEST(run("QueueIsClosed") == "bool[] [0]");
    BOOST_TEST(run("QueueClose") == "ok");
    BOOST_TEST(run("QueueIsClosed") == "bool[] [1]");
    BOOST_TEST(run("QueueDequeueUpTo", number(7)) == "float32[1] [3]");
  }
}

BOOST_AUTO_TEST_CASE(all_kinds_of_queues_are_made_by_their_ops) {
  for (const std::string kind : {"FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue"})
    for (const std::string form : {"", "V2"}) {
      QueueSteps run(kind + form);
      BOOST_TEST(run("QueueEnqueue", one) == "ok");
      BOOST_TEST(run("QueueDequeue") == "float32[] [1]");
    }
  for (const std::string op : {"PriorityQueue", "PriorityQueueV2"}) {
    QueueSteps run(op);
    run("QueueEnqueue", {Tensor::scalar<int64_t>(7), Tensor::scalar(1.0f)});
    run("QueueEnqueueMany", {vec<int64_t>({3, 9}), vec({2, 3})});
    BOOST_TEST(run("QueueDequeue") == "int64[] [3]; float32[] [2]");
    BOOST_TEST(run("QueueDequeueMany", number(2)) == "int64[2] [7 9]; float32[2] [1 3]");
  }
}

BOOST_AUTO_TEST_CASE(a_reference_to_the_queue_of_a_handle_is_made_by_the_op_FakeQueue) {
  auto graph = Graph(op_catalog());
  BOOST_REQUIRE(graph
                    .add(
                        {.name = "q",
                         .op = "FIFOQueueV2",
                         .attrs = {{"component_types", DTypes{DType::float32}}}})
                    .ok());
  BOOST_REQUIRE(graph.add({.name = "r", .op = "FakeQueue", .inputs = {"q"}}).ok());
  auto size = graph.add({.name = "size", .op = "QueueSize", .inputs = {"r"}});
  BOOST_TEST(size.ok());
  auto kernel = cpu::make_kernel_catalog().make(graph.node(*graph.find("r")));
  BOOST_REQUIRE(kernel.ok());
  Tensor in = Tensor::scalar(ResourceHandle{"c", "q", nullptr}), out;
  auto device = make_cpu_device();
  Launch launch(*device, {}, {&in, 1}, {&out, 1});
  BOOST_TEST(kernel->compute(launch).ok());
  BOOST_TEST(out.value<ResourceHandle>().name == "q");
}

// -- batches

BOOST_AUTO_TEST_CASE(batches_are_made_of_single_elements_and_of_rows_of_other_batches) {
  QueueSteps run("FIFOQueueV2", queue_of({DType::float32, DType::string}, {{2}, {}}));
  run("QueueEnqueue", {vec({1, 2}), Tensor::string("a")});
  run("QueueEnqueueMany", {vec({3, 2}, {3, 4, 5, 6, 7, 8}), vec<std::string>({"b", "c", "d"})});
  BOOST_TEST(
      run("QueueDequeueMany", number(2)) == "float32[2,2] [1 2 3 4]; string[2] [\"a\" \"b\"]");
  BOOST_TEST(run("QueueDequeue") == "float32[2] [5 6]; string[] [\"c\"]");
  BOOST_TEST(run("QueueDequeueMany", number(0)) == "float32[0,2] []; string[0] []");
  BOOST_TEST(run("QueueDequeueMany", number(1)) == "float32[1,2] [7 8]; string[1] [\"d\"]");
}

BOOST_AUTO_TEST_CASE(a_padding_queue_pads_to_the_largest_of_the_batch) {
  QueueSteps run(
      "PaddingFIFOQueueV2",
      queue_of({DType::float32, DType::string}, {{Shape::unknown, 2}, {Shape::unknown}}));
  run("QueueEnqueue", {vec({1, 2}, {1, 2}), vec<std::string>({"a", "b"})});
  run("QueueEnqueueMany",
      {vec({2, 2, 2}, {3, 4, 5, 6, 7, 8, 9, 10}), vec<std::string>({2, 1}, {"c", "d"})});
  run("QueueEnqueue", {vec({0, 2}, {}), vec<std::string>({})});
  BOOST_TEST(
      run("QueueDequeueMany", number(3)) ==
      "float32[3,2,2] [1 2 0 0 3 4 5 6 7 8 9 10]; string[3,2] [\"a\" \"b\" \"c\" \"\" \"d\" \"\"]");
  BOOST_TEST(run("QueueDequeueMany", number(0)) == "float32[0,0,2] []; string[0,0] []");
  BOOST_TEST(run("QueueDequeueMany", number(1)) == "float32[1,0,2] []; string[1,0] []");
}

BOOST_AUTO_TEST_CASE(elements_without_declared_shapes_keep_their_own_and_make_no_batches) {
  QueueSteps run("FIFOQueueV2", queue_of({DType::float32}, {}));
  run("QueueEnqueue", one);
  run("QueueEnqueue", {vec({2, 3})});
  BOOST_TEST(run("QueueDequeue") == "float32[] [1]");
  BOOST_TEST(run("QueueDequeue") == "float32[2] [2 3]");
  BOOST_TEST(
      run("QueueDequeueMany", number(1)) ==
      "InvalidArgument: FIFOQueue's DequeueMany and DequeueUpTo require the components to have "
      "specified shapes.");
}

// -- waiting

BOOST_AUTO_TEST_CASE(a_dequeue_waits_for_an_element_and_an_enqueue_for_room) {
  for (const std::string form : {"", "V2"}) {
    QueueSteps run("FIFOQueue" + form, {{"capacity", 1}});
    auto dequeue = run.start("QueueDequeue");
    BOOST_TEST(dequeue.end() == "waits");
    BOOST_TEST(dequeue.execution->waits().at(0).what == "an element of its queue");
    run("QueueEnqueue", one);
    BOOST_TEST(dequeue.end() == "float32[] [1]");

    run("QueueEnqueue", two);
    auto enqueue = run.start("QueueEnqueue", one), many = run.start("QueueEnqueueMany", three_rows);
    BOOST_TEST(enqueue.execution->waits().at(0).what == "room in its queue");
    auto close = run.start("QueueClose");
    BOOST_TEST(close.execution->waits().at(0).what == "the enqueues before it, to close its queue");
    BOOST_TEST(run("QueueDequeueMany", number(5)) == "float32[5] [2 1 1 2 3]");
    for (const auto& step : {enqueue, many, close}) BOOST_TEST(step.end() == "ok");
  }
}

BOOST_AUTO_TEST_CASE(a_step_that_is_cancelled_gives_its_wait_up_and_loses_no_element) {
  QueueSteps run("FIFOQueueV2", {{"capacity", 2}});
  auto many = run.start("QueueDequeueMany", number(3));
  run("QueueEnqueueMany", {vec({1, 2})});
  auto enqueue = run.start("QueueEnqueueMany", {vec({3, 4, 5, 6})});
  BOOST_TEST(many.end() == "float32[3] [1 2 3]");
  BOOST_TEST(enqueue.end() == "waits");
  enqueue.cancel();
  BOOST_TEST(enqueue.end() == "Cancelled: not wanted any more");

  auto more = run.start("QueueDequeueMany", number(3));
  BOOST_TEST(run("QueueSize") == "int32[] [0]");
  more.cancel();
  BOOST_TEST(more.end() == "Cancelled: not wanted any more");
  BOOST_TEST(run("QueueDequeueMany", number(2)) == "float32[2] [4 5]");
  auto close = run.start("QueueClose");
  BOOST_TEST(close.end() == "ok");
}

BOOST_AUTO_TEST_CASE(a_close_and_a_reset_end_what_waits) {
  QueueSteps run("FIFOQueueV2", {{"capacity", 1}});
  auto dequeue = run.start("QueueDequeue");
  run("QueueClose");
  BOOST_TEST(
      dequeue.end() ==
      "OutOfRange: FIFOQueue 'q' is closed and has insufficient elements (requested 1, current "
      "size 0)");
  BOOST_TEST(run("QueueEnqueue", one) == "Cancelled: FIFOQueue 'q' is closed.");

  QueueSteps other("FIFOQueueV2", {{"capacity", 1}});
  other("QueueEnqueue", one);
  auto enqueue = other.start("QueueEnqueue", one);
  other.queue().drop();
  BOOST_TEST(enqueue.end() == "Aborted: queue 'q' is gone: its container was reset");
  BOOST_TEST(other("QueueSize") == "int32[] [0]");
  BOOST_TEST(other("QueueDequeue") == "Aborted: queue 'q' is gone: its container was reset");
}

BOOST_AUTO_TEST_CASE(what_a_step_took_is_put_back_in_order_when_the_step_is_cancelled) {
  for (auto why : {cancelled("x"), deadline_exceeded("x"), aborted("x"), unavailable("x")}) {
    QueueSteps run("FIFOQueueV2");
    run("QueueEnqueueMany", three_rows);
    auto step = run.start({{"QueueDequeueMany", number(2)}, {"QueueDequeueMany", number(2)}});
    BOOST_TEST(run("QueueSize") == "int32[] [0]");
    step.cancel(why);
    BOOST_TEST(run("QueueDequeueMany", number(3)) == "float32[3] [1 2 3]");
  }
}

/// The step has taken the element, and is given up before what follows has run.
QueueSteps::Step give_up_with_element(QueueSteps& run, const Status& why) {
  auto step = run.start("QueueDequeue");
  run("QueueEnqueue", one);
  run("QueueClose");
  auto follows = std::exchange(step.port->posted, {});
  step.execution->cancel(why);
  step.port->posted = std::move(follows);
  return step;
}

BOOST_AUTO_TEST_CASE(a_closed_queue_has_not_ended_while_an_element_is_about_to_come_back) {
  for (auto takes : {"QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo"}) {
    QueueSteps run("FIFOQueueV2");
    auto step = give_up_with_element(run, cancelled("x"));
    auto inputs = takes == std::string("QueueDequeue") ? Tensors() : number(1);
    auto next = run.start(takes, inputs), last = run.start(takes, inputs);
    BOOST_TEST(next.end() == "waits");
    BOOST_TEST(step.end() == "Cancelled: x");
    BOOST_TEST(next.end().ends_with(" [1]"));
    BOOST_TEST(starts_with(last.end(), "OutOfRange: "));
  }
}

BOOST_AUTO_TEST_CASE(a_closed_queue_has_ended_once_an_element_does_not_come_back) {
  QueueSteps run("FIFOQueueV2");
  auto failed = give_up_with_element(run, invalid_argument("x"));
  BOOST_TEST(starts_with(run("QueueDequeue"), "OutOfRange: "));
  BOOST_TEST(failed.end() == "InvalidArgument: x");
}

// It may be the element that makes the step fail: it would do so again and again.
BOOST_AUTO_TEST_CASE(what_a_step_took_is_lost_when_one_of_its_nodes_fails) {
  QueueSteps run("FIFOQueue");
  run("QueueEnqueueMany", three_rows);
  auto step = run.start({{"QueueDequeue"}, {"QueueDequeueMany", number(-1)}});
  BOOST_TEST(step.end() == "InvalidArgument: DequeueManyOp requested -1 < 0 elements");
  BOOST_TEST(run("QueueSize") == "int32[] [2]");
}

BOOST_AUTO_TEST_CASE(what_a_step_took_is_put_back_when_something_else_has_ended) {
  QueueSteps run("FIFOQueue");
  run("QueueEnqueueMany", three_rows);
  run("QueueClose");
  auto step = run.start({{"QueueDequeue"}, {"QueueDequeueMany", number(3)}});
  BOOST_TEST(starts_with(step.end(), "OutOfRange: "));
  BOOST_TEST(run("QueueSize") == "int32[] [3]");
  BOOST_TEST(run("QueueDequeueMany", number(3)) == "float32[3] [1 2 3]");
}

BOOST_AUTO_TEST_CASE(batches_that_are_large_are_copied_by_the_device) {
  constexpr int64_t size = 100'000;
  QueueSteps run("RandomShuffleQueueV2", queue_of({DType::float32}, {{size}}));
  auto many = run.start("QueueEnqueueMany", {varied<float>({3, size})});
  while (many.end() == "waits") std::this_thread::yield();
  auto taken = run.start("QueueDequeueMany", number(3));
  while (taken.end() == "waits") std::this_thread::yield();
  BOOST_TEST(starts_with(taken.end(), "float32[3,100000]"));
}

// -- what is refused

BOOST_AUTO_TEST_CASE(elements_that_do_not_fit_are_refused) {
  QueueSteps run("FIFOQueueV2", queue_of({DType::float32, DType::int32}, {{2}, {}}));
  auto i = Tensor::scalar<int32_t>(1);
  auto refused = [&run](const Tensors& inputs, const char* op = "QueueEnqueue") {
    auto text = run(op, inputs);
    BOOST_TEST(starts_with(text, "InvalidArgument: "));
    return text.substr(std::string("InvalidArgument: ").size());
  };
  BOOST_TEST(refused({vec({1, 2})}) == "Wrong number of components in tuple. Expected 2, got 1");
  BOOST_TEST(
      refused({vec({1, 2}), vec({1})}) ==
      "Type mismatch in tuple component 1. Expected int32, got float32");
  BOOST_TEST(
      refused({vec({1, 2, 3}), i}) == "Shape mismatch in tuple component 0. Expected [2], got [3]");
  BOOST_TEST(
      refused({vec({1, 2}, {1, 2}), vec<int32_t>({1, 2})}, "QueueEnqueueMany") ==
      "Shape mismatch in tuple component 1. Expected [1], got [2]");
  BOOST_TEST(
      refused({vec({1, 2}), i}, "QueueEnqueueMany") ==
      "component 1 is a scalar, but its rows are to be the elements");
  QueueSteps any("FIFOQueueV2", queue_of({DType::float32, DType::float32}, {}));
  BOOST_TEST(
      any("QueueEnqueueMany", {vec({1, 2}), vec({1, 2, 3})}) ==
      "InvalidArgument: All input tensors must have the same size in the 0th dimension. Component "
      "1 has 3, and should have 2");
  QueueSteps priority("PriorityQueueV2", queue_of({}, {}));
  BOOST_TEST(
      priority("QueueEnqueue", {vec<int64_t>({1, 2})}) ==
      "InvalidArgument: Shape mismatch in tuple component 0. Expected [], got [2]");
}

BOOST_AUTO_TEST_CASE(counts_dtypes_and_timeouts_that_no_dequeue_has_are_refused) {
  QueueSteps run("FIFOQueue");
  BOOST_TEST(
      run("QueueDequeueMany", number(-1)) ==
      "InvalidArgument: DequeueManyOp requested -1 < 0 elements");
  BOOST_TEST(
      run("QueueDequeueUpTo", number(-1)) ==
      "InvalidArgument: DequeueUpToOp requested -1 < 0 elements");
  BOOST_TEST(
      run("QueueDequeue", {}, {{"component_types", DTypes{DType::int32}}}) ==
      "InvalidArgument: Signature mismatch, have: int32 expected: float32");
  BOOST_TEST(
      run("QueueDequeue", {}, {{"timeout_ms", 5}}) ==
      "InvalidArgument: Timeout not supported yet.");
  QueueSteps by_handle("FIFOQueueV2");
  BOOST_TEST(
      by_handle("QueueDequeueMany", number(-1)) ==
      "InvalidArgument: Input 'n' must be >= 0, but is -1");
}

BOOST_AUTO_TEST_CASE(queues_that_cannot_be_are_refused) {
  auto make = [](const char* op, Attrs attrs) { return QueueSteps(op, attrs)("QueueSize"); };
  Attrs random = {{"capacity", 4}, {"min_after_dequeue", 4}};
  BOOST_TEST(
      make("RandomShuffleQueueV2", random) ==
      "InvalidArgument: min_after_dequeue 4 must be < capacity 4");
  BOOST_TEST(
      make("RandomShuffleQueueV2", {{"min_after_dequeue", -1}}) ==
      "InvalidArgument: min_after_dequeue -1 must be >= 0");
  BOOST_TEST(
      make("PaddingFIFOQueueV2", queue_of({DType::float32}, {})) ==
      "InvalidArgument: Shapes must be provided for all components, but received 1 dtypes and 0 "
      "shapes.");
  BOOST_TEST(
      make("PaddingFIFOQueueV2", queue_of({DType::float32}, {Shape::unknown_rank()})) ==
      "InvalidArgument: shape <unknown> must have known rank.");
  BOOST_TEST(starts_with(
      make("FIFOQueueV2", queue_of({DType::float32}, {{Shape::unknown}})),
      "InvalidArgument: the shapes of a FIFOQueue must be known"));
  BOOST_TEST(starts_with(
      make("FIFOQueueV2", queue_of({DType::float32}, {{}, {}})),
      "InvalidArgument: Different number of component types."));
  BOOST_TEST(
      make("FIFOQueueV2", queue_of({DType::resource}, {{}})) ==
      "Unimplemented: there are no queues of resource");
}

BOOST_AUTO_TEST_CASE(a_queue_is_not_taken_for_one_that_differs) {
  QueueSteps run("RandomShuffleQueueV2", {{"capacity", 10}, {"seed", 3}});
  run("QueueSize");
  auto refused = [&](const char* op, const Attrs& attrs) {
    auto text = run.declare(op, attrs);
    BOOST_TEST(starts_with(text, "InvalidArgument: Shared queue 'q' has "));
    return text.substr(
        std::min(text.size(), std::string("InvalidArgument: Shared queue 'q' has ").size()));
  };
  BOOST_TEST(run.declare("RandomShuffleQueueV2", {}) == "ok");
  BOOST_TEST(run.declare("RandomShuffleQueue", {{"seed", 0}}) == "ok");
  BOOST_TEST(
      refused("FIFOQueueV2", {}) ==
      "type 'RandomShuffleQueue' that does not match type of Node 'other': FIFOQueueV2");
  constexpr const char* random = "RandomShuffleQueueV2";
  BOOST_TEST(refused(random, {{"capacity", 15}}) == "capacity 10 but requested capacity was 15");
  BOOST_TEST(
      refused(random, {{"component_types", DTypes{DType::int32}}}) ==
      "component types [float32] but requested component types were [int32]");
  BOOST_TEST(
      refused(random, {{"shapes", Shapes{{2}}}}) ==
      "component shapes [[]] but requested component shapes were [[2]]");
  BOOST_TEST(
      refused(random, {{"min_after_dequeue", 2}}) ==
      "min_after_dequeue 0 but requested min_after_dequeue was 2");
  BOOST_TEST(
      refused(random, {{"seed", 4}}) ==
      "random seeds (3, 0) but requested random seeds were (4, 0)");
  BOOST_TEST(starts_with(
      refused(random, {{queue::capacity_bytes_attr, 8}}), "capacity in bytes 0 but requested"));
}

BOOST_AUTO_TEST_CASE(a_limit_in_bytes_is_an_attribute_of_the_node) {
  QueueSteps run("FIFOQueueV2", {{queue::capacity_bytes_attr, 8}});
  run("QueueEnqueueMany", {vec({1, 2})});
  auto third = run.start("QueueEnqueue", one);
  BOOST_TEST(third.end() == "waits");
  run("QueueDequeue");
  BOOST_TEST(third.end() == "ok");
}

BOOST_AUTO_TEST_SUITE_END()
