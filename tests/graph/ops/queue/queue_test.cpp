#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"
#include "troupe/graph/ops/handle.hpp"

using namespace troupe;

namespace queue_shapes_of_ops {
namespace {

Attrs queue_shapes(DTypes dtypes, Shapes shapes) {
  return {{"component_types", std::move(dtypes)}, {"shapes", std::move(shapes)}};
}

/// The shapes of what an op takes from a queue.
std::string dequeued(
    const Builder& b, const std::string& op, const Values& inputs, const DTypes& dtypes) {
  auto node = b.op(op, inputs, {{"component_types", dtypes}});
  if (!b.status().ok()) return b.status().message();
  std::string text;
  for (size_t i = 0; i < dtypes.size(); ++i)
    text += node.output(static_cast<int>(i)).shape().to_string();
  return text;
}

}  // namespace
}  // namespace queue_shapes_of_ops

BOOST_AUTO_TEST_SUITE(queue_shapes_of_ops)

BOOST_AUTO_TEST_CASE(what_a_queue_declares_is_the_shape_of_what_is_taken_from_it) {
  for (const std::string form : {"", "V2"}) {
    Builder b;
    auto queue = b.op(
        "PaddingFIFOQueue" + form, {},
        queue_shapes({DType::float32, DType::int32}, {{2, Shape::unknown}, {}}));
    DTypes dtypes = {DType::float32, DType::int32};
    auto n = b.placeholder(DType::int32, {});
    BOOST_TEST(queue.shape().to_string() == (form.empty() ? "[2]" : "[]"));
    BOOST_TEST(dequeued(b, "QueueDequeue" + form, {queue}, dtypes) == "[2,?][]");
    BOOST_TEST(
        dequeued(b, "QueueDequeueMany" + form, {queue, b.constant(5)}, dtypes) == "[5,2,?][5]");
    BOOST_TEST(dequeued(b, "QueueDequeueMany" + form, {queue, n}, dtypes) == "[?,2,?][?]");
    BOOST_TEST(
        dequeued(b, "QueueDequeueUpTo" + form, {queue, b.constant(5)}, dtypes) == "[?,2,?][?]");
    BOOST_TEST(b.op("QueueSize" + form, {queue}).shape().to_string() == "[]");
  }
}

BOOST_AUTO_TEST_CASE(the_priority_of_an_element_is_a_scalar_that_the_queue_does_not_declare) {
  Builder b;
  auto queue = b.op("PriorityQueueV2", {}, queue_shapes({DType::string}, {{3}}));
  BOOST_TEST(dequeued(b, "QueueDequeueV2", {queue}, {DType::int64, DType::string}) == "[][3]");
}

BOOST_AUTO_TEST_CASE(nothing_is_known_of_elements_without_declared_shapes) {
  Builder b;
  auto queue = b.op("FIFOQueueV2", {}, queue_shapes({DType::float32}, {}));
  BOOST_TEST(dequeued(b, "QueueDequeueV2", {queue}, {DType::float32}) == "<unknown>");
}

BOOST_AUTO_TEST_CASE(
    a_negative_count_is_an_error_of_the_graph_by_handle_and_of_the_step_by_reference) {
  Builder b;
  auto attrs = queue_shapes({DType::float32}, {Shape()});
  auto count = b.constant(-1);
  BOOST_TEST(
      dequeued(b, "QueueDequeueMany", {b.op("FIFOQueue", {}, attrs), count}, {DType::float32}) ==
      "[?]");
  BOOST_TEST(
      dequeued(
          b, "QueueDequeueManyV2", {b.op("FIFOQueueV2", {}, attrs), count}, {DType::float32}) ==
      "Input 'n' must be >= 0, but is -1");
}

BOOST_AUTO_TEST_CASE(a_queue_without_a_shared_name_belongs_to_a_session) {
  Builder b;
  auto attrs = queue_shapes({DType::float32}, {});
  auto own = b.op("FIFOQueueV2", {}, attrs);
  attrs["shared_name"] = "q";
  auto shared = b.op("FIFOQueue", {}, attrs);
  BOOST_TEST(is_unshared(*resource_of(b.graph().node(own.output().node))));
  auto name = *resource_of(b.graph().node(shared.output().node));
  BOOST_TEST(!is_unshared(name));
  BOOST_TEST(name.name == "q");
}

BOOST_AUTO_TEST_SUITE_END()
