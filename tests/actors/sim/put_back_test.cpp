#include <array>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <ostream>
#include <string>

#include "troupe/actors/sim/cluster.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace put_back_cases {
namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker = "/job:worker/task:0";
const std::string other_worker = "/job:worker/task:1";

Value queue_of(const Builder& b, DType dtype, const std::string& name, int64_t capacity) {
  return b.op(
      "FIFOQueueV2", {},
      {{"component_types", DTypes{dtype}},
       {"shapes", Shapes{Shape()}},
       {"capacity", capacity},
       {"shared_name", name}});
}

Value dequeue(const Builder& b, const Value& queue, DType dtype) {
  return b.op("QueueDequeueV2", {queue}, {{"component_types", DTypes{dtype}}});
}

// -- what gives the elements 0, 1, 2 and 3, on one device

Value of_iterator(const Builder& b, Values& prepare) {
  Attrs elements{{"output_types", DTypes{DType::int64}}, {"output_shapes", Shapes{Shape()}}};
  auto attrs = elements;
  attrs.insert({{"shared_name", "it"}, {"container", ""}});
  auto number = [&](int64_t value) { return b.constant(Tensor::scalar(value)); };
  auto range = b.op("RangeDataset", {number(0), number(4), number(1)}, elements);
  auto iterator = b.op("IteratorV2", {}, attrs);
  prepare = {b.op("MakeIterator", {range, iterator})};
  return b.op("IteratorGetNext", {iterator}, elements);
}

Value of_reader(const Builder& b, Values& prepare) {
  auto names = queue_of(b, DType::string, "names", 10);
  for (const auto* name : {"0", "1", "2", "3"})
    prepare.push_back(b.op("QueueEnqueueV2", {names, b.constant(Tensor::string(name))}));
  auto reader = b.op("IdentityReaderV2", {}, {{"shared_name", "reader"}});
  return b.op("ReaderReadV2", {reader, names}).output(1);
}

Value of_queue(const Builder& b, Values& prepare) {
  auto numbers = queue_of(b, DType::int64, "numbers", 10);
  for (int64_t number = 0; number < 4; ++number)
    prepare.push_back(b.op("QueueEnqueueV2", {numbers, b.constant(Tensor::scalar(number))}));
  return dequeue(b, numbers, DType::int64);
}

struct Source {
  const char* name;
  DType dtype;
  /// An element of it, and what is to be run once, in order, before it has any.
  Value (*make)(const Builder& b, Values& prepare);

  std::string element(int number) const {
    auto text = std::to_string(number);
    return dtype == DType::string ? "string[] [\"" + text + "\"]" : "int64[] [" + text + "]";
  }
};

std::ostream& operator<<(std::ostream& out, const Source& source) { return out << source.name; }

const std::array<Source, 3> sources = {{
    {"an iterator", DType::int64, of_iterator},
    {"a reader", DType::string, of_reader},
    {"a queue", DType::int64, of_queue},
}};

const std::array<const char*, 5> ends = {
    {"times out", "is cancelled", "loses a task", "loses its master", "finds a queue at its end"}};

/// A source on the parameter server, somebody there who looks what it has, and a consumer whose
/// steps take an element and have a part on another worker: it waits for what is put into a queue
/// there, and fails if that is not a number.
struct Scene {
  explicit Scene(const Source& source) {
    Values prepare;
    element = source.make(observer.graph().on(ps), prepare);
    for (const auto& each : prepare) BOOST_TEST(observer.run({}, {}, {each}).ok());
    auto on_ps = consumer.graph().on(ps), on_other = consumer.graph().on(other_worker);
    Values unused;
    taken = source.make(on_ps, unused);
    auto gate = dequeue(on_other, gate_of(on_other), DType::float32);
    passed = on_other.op("CheckNumerics", {gate}, {{"message", "the gate"}});
  }

  static Value gate_of(const Builder& b) { return queue_of(b, DType::float32, "gate", 1); }

  std::string next() {
    auto values = observer.run({}, {element}, {}, {.timeout = 1000ms});
    return values ? (*values)[0].to_string() : values.status().to_string();
  }

  /// Starts a step of the consumer, and has its part at the source end.
  sim::Call begin(const RunOptions& options = {}) {
    auto step = consumer.start({}, {taken, passed}, {}, options);
    cluster.run_for(500ms);
    BOOST_TEST(!step.is_done());
    return step;
  }
  void open_gate(float value) {
    auto b = observer.graph().on(other_worker);
    auto put = b.op("QueueEnqueueV2", {gate_of(b), b.constant(value)});
    BOOST_TEST(observer.run({}, {}, {put}).ok());
  }
  void close_gate() {
    auto b = observer.graph().on(other_worker);
    BOOST_TEST(observer.run({}, {}, {b.op("QueueCloseV2", {gate_of(b)})}).ok());
  }
  void bring_about(const std::string& end, const sim::Call& step) {
    if (end == "is cancelled") consumer.cancel(step);
    if (end == "loses a task") cluster.crash(other_worker);
    if (end == "loses its master") cluster.crash(worker);
    if (end == "finds a queue at its end") close_gate();
    cluster.run_for(5s);
    BOOST_TEST(step.is_done());
    BOOST_TEST(!step.status().ok());
  }

  sim::Cluster cluster{{{"ps", 1}, {"worker", 2}}, sim::Seed{5}};
  sim::Session observer = cluster.session(ps), consumer = cluster.session(worker);
  Value element, taken, passed;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(put_back)

BOOST_DATA_TEST_CASE(an_element_is_put_back_by_a_step_that_times_out, sources, source) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 1}}, sim::Seed{5});
  auto session = cluster.session(worker);
  auto b = session.graph().on(ps);
  Values prepare;
  auto element = source.make(b, prepare);
  for (const auto& each : prepare) BOOST_TEST(session.run({}, {}, {each}).ok());
  auto queue = queue_of(b, source.dtype, "moved", 1);
  auto move = b.op("QueueEnqueueV2", {queue, element});
  auto take = dequeue(b, queue, source.dtype);
  BOOST_TEST(session.run({}, {}, {move}).ok());
  auto waits_for_room = session.run({}, {}, {move}, {.timeout = 100ms}).status();
  BOOST_TEST((waits_for_room.code() == Code::deadline_exceeded));
  for (int number = 0; number < 3; ++number) {
    auto taken = session.run({}, {take});
    BOOST_TEST_REQUIRE(taken.ok());
    BOOST_TEST((*taken)[0].to_string() == source.element(number));
    if (number < 2) BOOST_TEST(session.run({}, {}, {move}).ok());
  }
}

/// The part on the device of the source has long ended when the other one does, so that only the
/// master knows what becomes of the step.
BOOST_DATA_TEST_CASE(
    an_element_is_put_back_by_a_step_that_is_given_up_after_its_part_there_has_ended, sources* ends,
    source, end) {
  Scene scene(source);
  BOOST_TEST(scene.next() == source.element(0));
  auto is_late = end == std::string("times out");
  scene.bring_about(end, scene.begin({.timeout = is_late ? 1000ms : 0ms}));
  BOOST_TEST(scene.next() == source.element(1));
  BOOST_TEST(scene.next() == source.element(2));
  BOOST_TEST(scene.cluster.leaks_of_calls().empty());
}

/// It would be in both queues.
BOOST_DATA_TEST_CASE(
    an_element_that_a_step_has_put_into_another_queue_is_there_alone, sources* ends, source, end) {
  Scene scene(source);
  auto on_ps = scene.consumer.graph().on(ps);
  auto others = queue_of(on_ps, source.dtype, "others", 10);
  auto move = on_ps.op("QueueEnqueueV2", {others, scene.taken});
  auto is_late = end == std::string("times out");
  auto step = scene.consumer.start({}, {scene.passed}, {move}, {.timeout = is_late ? 1000ms : 0ms});
  scene.cluster.run_for(500ms);
  scene.bring_about(end, step);
  BOOST_TEST(scene.next() == source.element(1));
  auto b = scene.observer.graph().on(ps);
  auto moved = dequeue(b, queue_of(b, source.dtype, "others", 10), source.dtype);
  auto values = scene.observer.run({}, {moved}, {}, {.timeout = 1000ms});
  BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
  BOOST_TEST((*values)[0].to_string() == source.element(0));
}

/// Where the part of the step on the device of the source is when the step is given up.
const std::array<const char*, 2> parts = {"has ended", "waits"};

/// A variable there that a step of the consumer changes, which is then given up.
struct Count {
  Count(Scene& scene, const Source& source) : scene(scene) {
    auto b = scene.consumer.graph().on(ps);
    count = b.variable("count", b.constant(0.0f));
    BOOST_TEST(scene.consumer.run({}, {}, {count.initializer}).ok());
    waits = dequeue(b, queue_of(b, source.dtype, "empty", 1), source.dtype);
  }

  void give_up(const std::string& end, const std::string& part, std::vector<Ref> targets) {
    targets.push_back(scene.passed);
    if (part == "waits") targets.push_back(waits);
    auto limit = end == "times out" ? 1000ms : 0ms;
    auto step = scene.consumer.start({}, {}, targets, {.timeout = limit});
    scene.cluster.run_for(500ms);
    scene.bring_about(end, step);
  }
  std::string value() {
    auto b = scene.observer.graph().on(ps);
    auto seen = scene.observer.run({}, {b.variable("count", b.constant(0.0f)).value()});
    return seen ? (*seen)[0].to_string() : seen.status().to_string();
  }

  Scene& scene;
  Variable count;
  Value waits;
};

BOOST_DATA_TEST_CASE(
    an_element_that_a_step_has_counted_is_not_counted_again, sources* ends* parts, source, end,
    part) {
  Scene scene(source);
  Count count(scene, source);
  auto b = scene.consumer.graph().on(ps);
  count.give_up(end, part, {count.count.assign_add(b.after({scene.taken}).constant(1.0f))});
  BOOST_TEST(count.value() == "float32[] [1]");
  BOOST_TEST(scene.next() == source.element(1));
}

BOOST_DATA_TEST_CASE(
    an_element_is_put_back_by_a_step_that_has_changed_something_else, sources* ends* parts, source,
    end, part) {
  Scene scene(source);
  Count count(scene, source);
  auto b = scene.consumer.graph().on(ps);
  count.give_up(end, part, {scene.taken, count.count.assign_add(b.constant(1.0f))});
  BOOST_TEST(count.value() == "float32[] [1]");
  BOOST_TEST(scene.next() == source.element(0));
}

BOOST_DATA_TEST_CASE(
    an_element_is_not_put_back_by_a_step_of_which_a_node_fails_elsewhere, sources, source) {
  Scene scene(source);
  auto step = scene.begin();
  scene.open_gate(std::numeric_limits<float>::quiet_NaN());
  scene.cluster.run_until(step.done(), 5s);
  BOOST_TEST((step.status().code() == Code::invalid_argument), step.status().to_string());
  BOOST_TEST(scene.next() == source.element(1));
}

BOOST_DATA_TEST_CASE(
    an_element_of_a_step_that_has_succeeded_stays_taken_when_its_session_ends, sources, source) {
  Scene scene(source);
  auto step = scene.begin();
  scene.open_gate(1);
  scene.cluster.run_until(step.done(), 5s);
  BOOST_TEST(step.status().ok(), step.status().to_string());
  BOOST_TEST(scene.cluster.leaks_of_calls().empty());
  BOOST_TEST(scene.consumer.close().ok());
  BOOST_TEST(scene.next() == source.element(1));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace put_back_cases
