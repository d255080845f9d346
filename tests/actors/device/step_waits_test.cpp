#include <boost/test/unit_test.hpp>
#include <string>

#include "troupe/actors/sim/cluster.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

/// A client with a queue on the parameter server.
struct StateClient {
  StateClient(sim::Cluster& cluster, const std::string& master) : session(cluster.session(master)) {
    auto b = session.graph().on("/job:ps/task:0");
    Attrs types{{"component_types", DTypes{DType::int64}}};
    auto attrs = types;
    attrs.insert(
        {{"shapes", Shapes{Shape()}}, {"capacity", int64_t{4}}, {"shared_name", "examples"}});
    auto queue = b.op("FIFOQueueV2", {}, attrs);
    put = b.op("QueueEnqueueV2", {queue, b.constant(Tensor::scalar<int64_t>(5))});
    take = b.named("take").op("QueueDequeueV2", {queue}, types);
  }

  sim::Session session;
  Value put, take;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(step_waits)

BOOST_AUTO_TEST_CASE(a_step_that_timed_out_tells_who_waits_and_how_the_queue_was_used_before) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{3});
  StateClient client(cluster, "/job:worker/task:0"), other(cluster, "/job:worker/task:1");
  for (int i = 0; i < 30; ++i) {
    BOOST_TEST(client.session.run({}, {}, {client.put}).ok());
    BOOST_TEST(client.session.run({}, {client.take}).ok());
  }
  auto waiting = other.session.start({}, {other.take});
  cluster.run_for(14s);
  auto step = client.session.start({}, {client.take}, {}, {.timeout = 2000ms});
  cluster.run_until(step.done(), 5s);
  BOOST_REQUIRE(step.status().notes().size() == 1u);
  const auto& note = step.status().notes()[0];
  for (const std::string part :
       {"FIFOQueue 'examples' has 0 of 4 elements; 0 enqueues and 2 dequeues wait; 1 producer and "
        "2 "
        "consumers are attached; 'take' of step ",
        " of a session at /job:worker/task:1 has waited 16.0 s to take out; 'take' of step ",
        " of a session at /job:worker/task:0 has waited 2.0 s to take out; ",
        "; the last enqueue was 16.", " s ago, of 30 elements in all, ",
        "; the last dequeue was 16."})
    BOOST_TEST(note.find(part) != std::string::npos, "'" << part << "' is not in: " << note);
  BOOST_TEST(!waiting.is_done());
}

BOOST_AUTO_TEST_CASE(a_producer_is_attached_to_its_queue_until_its_session_ends) {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{3});
  StateClient producer(cluster, "/job:worker/task:0"), consumer(cluster, "/job:worker/task:1");
  BOOST_TEST(producer.session.run({}, {}, {producer.put}).ok());
  BOOST_TEST(consumer.session.run({}, {consumer.take}).ok());
  auto explained = [&] {
    auto step = consumer.session.start({}, {consumer.take}, {}, {.timeout = 100ms});
    cluster.run_until(step.done(), 5s);
    return step.status().to_string();
  };
  auto note = explained();
  BOOST_TEST(note.find("; 1 producer and 1 consumer are attached; ") != std::string::npos, note);
  BOOST_TEST(producer.session.close().ok());
  note = explained();
  BOOST_TEST(note.find("; 0 producers and 1 consumer are attached; ") != std::string::npos, note);
}

BOOST_AUTO_TEST_SUITE_END()
