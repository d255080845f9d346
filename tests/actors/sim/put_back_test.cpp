#include <boost/test/unit_test.hpp>
#include <string>

#include "troupe/actors/sim/cluster.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace put_back_cases {
namespace {

const std::string ps = "/job:ps/task:0";

/// A client whose steps take what a source gives and put it into a queue for one element.
struct PutBackFixture {
  sim::Cluster cluster{{{"ps", 1}, {"worker", 1}}, sim::Seed{5}};
  sim::Session session = cluster.session("/job:worker/task:0");
  Builder on_ps = session.graph().on(ps);

  Value queue_of(DType dtype, const std::string& name, int64_t capacity) const {
    return on_ps.op(
        "FIFOQueueV2", {},
        {{"component_types", DTypes{dtype}},
         {"shapes", Shapes{Shape()}},
         {"capacity", capacity},
         {"shared_name", name}});
  }
  Status run(const Value& target, const RunOptions& options = {}) {
    return session.run({}, {}, {target}, options).status();
  }

  /// Moves three elements; the second step ends while it waits for room.
  std::string moved(const Value& element, DType dtype) {
    auto queue = queue_of(dtype, "moved", 1);
    auto move = on_ps.op("QueueEnqueueV2", {queue, element});
    auto take = on_ps.op("QueueDequeueV2", {queue}, {{"component_types", DTypes{dtype}}});
    BOOST_TEST(run(move).ok());
    BOOST_TEST((run(move, {.timeout = 100ms}).code() == Code::deadline_exceeded));
    std::string text;
    for (int i = 0; i < 3; ++i) {
      auto taken = session.run({}, {take});
      text += taken ? (*taken)[0].to_string() + " " : taken.status().to_string();
      if (i < 2) BOOST_TEST(run(move).ok());
    }
    return text;
  }
};

}  // namespace
}  // namespace put_back_cases

BOOST_FIXTURE_TEST_SUITE(put_back, put_back_cases::PutBackFixture)

BOOST_AUTO_TEST_CASE(an_element_of_an_iterator_is_put_back_by_a_step_that_times_out) {
  Attrs elements{{"output_types", DTypes{DType::int64}}, {"output_shapes", Shapes{Shape()}}};
  auto attrs = elements;
  attrs.insert({{"shared_name", "it"}, {"container", ""}});
  auto number = [&](int64_t value) { return on_ps.constant(Tensor::scalar(value)); };
  auto range = on_ps.op("RangeDataset", {number(0), number(9), number(1)}, elements);
  auto iterator = on_ps.op("IteratorV2", {}, attrs);
  BOOST_TEST(run(on_ps.op("MakeIterator", {range, iterator})).ok());
  BOOST_TEST(
      moved(on_ps.op("IteratorGetNext", {iterator}, elements), DType::int64) ==
      "int64[] [0] int64[] [1] int64[] [2] ");
}

BOOST_AUTO_TEST_CASE(a_record_of_a_reader_is_put_back_by_a_step_that_times_out) {
  auto names = queue_of(DType::string, "names", 10);
  for (const auto* name : {"a", "b", "c"}) {
    auto text = on_ps.constant(Tensor::string(name));
    BOOST_TEST(run(on_ps.op("QueueEnqueueV2", {names, text})).ok());
  }
  auto reader = on_ps.op("IdentityReaderV2", {}, {{"shared_name", "reader"}});
  auto read = on_ps.op("ReaderReadV2", {reader, names});
  BOOST_TEST(
      moved(read.output(1), DType::string) ==
      "string[] [\"a\"] string[] [\"b\"] string[] [\"c\"] ");
}

BOOST_AUTO_TEST_SUITE_END()
