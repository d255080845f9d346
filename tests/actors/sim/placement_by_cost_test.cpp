#include <boost/test/unit_test.hpp>
#include <set>

#include "troupe/actors/sim/cluster.hpp"
#include "troupe/graph/build/control_flow.hpp"

using namespace troupe;
using namespace std::chrono_literals;

// Sessions that place by cost, over four tasks. A prediction is that of the cost model
// (graph/place/cost_graph.hpp): in the simulation kernels take no time.

namespace placed_by_cost {
namespace {

const std::string master = "/job:worker/task:0";
const SessionOptions by_cost{.placement = placement_by_cost};

std::string task(int index) { return "/job:worker/task:" + std::to_string(index); }

/// Three products of 32 MFLOP, which take 6.4 ms each by the model, and a sum. A device for each,
/// or "" for none.
struct Products {
  std::vector<Value> products;
  Value sum;

  explicit Products(const Builder& b, const std::vector<std::string>& devices = {"", "", "", ""}) {
    auto ones = [&](const std::string& device, float value) {
      return b.on(device).fill(b.constant(Tensor::of<int32_t>({2}, {200, 200})), b.constant(value));
    };
    for (size_t i = 0; i < 3; ++i) {
      auto x = ones(devices[i], float(i + 1)), y = ones(devices[i], 0.5F);
      products.push_back(b.on(devices[i]).matmul(b.on(devices[i]).matmul(x, y), y));
    }
    auto last = b.on(devices[3]);
    sum = last.reduce_sum(last.add(last.add(products[0], products[1]), products[2]));
  }
};

struct PlacedByCostFixture {
  sim::Cluster cluster{{{"worker", 4}}, sim::Seed{3}};
  sim::Session session = cluster.session(master, by_cost);

  std::set<std::string> devices_of(const StepExplanation& explanation) {
    std::set<std::string> devices;
    for (const auto& device : explanation.devices) devices.insert(device.device);
    return devices;
  }
  StepExplanation explain(const Value& fetch) {
    auto explanation = session.explain({}, {fetch});
    BOOST_TEST_REQUIRE(explanation.ok(), explanation.status().to_string());
    return *std::move(explanation);
  }
  float run(const Value& fetch) {
    auto values = session.run({}, {fetch});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    return values->at(0).value<float>();
  }
};

}  // namespace
}  // namespace placed_by_cost

BOOST_FIXTURE_TEST_SUITE(placed_by_cost_in_a_cluster, placed_by_cost::PlacedByCostFixture)

using namespace placed_by_cost;

BOOST_AUTO_TEST_CASE(long_work_goes_to_several_tasks_and_has_the_same_result) {
  Products graph(session.graph());
  auto explanation = explain(graph.sum);
  BOOST_TEST(explanation.placement == "cost");
  BOOST_TEST(devices_of(explanation).size() >= 3U);
  auto found = run(graph.sum);
  auto plain = cluster.session(master);
  Products same(plain.graph());
  BOOST_TEST(plain.run({}, {same.sum})->at(0).value<float>() == found);
}

BOOST_AUTO_TEST_CASE(the_prediction_is_within_15_percent_of_the_best_of_all_placements) {
  Products graph(session.graph());
  auto found = explain(graph.sum).predicted;
  auto best = std::chrono::nanoseconds::max();
  for (int choice = 0; choice < 4 * 4 * 4; ++choice) {
    auto pinned = cluster.session(master);
    Products same(
        pinned.graph(), {task(choice % 4), task(choice / 4 % 4), task(choice / 16 % 4), master});
    auto explanation = pinned.explain({}, {same.sum});
    BOOST_TEST_REQUIRE(explanation.ok(), explanation.status().to_string());
    best = std::min(best, explanation->predicted);
    BOOST_TEST(pinned.close().ok());
  }
  BOOST_TEST(double(found.count()) < 1.15 * double(best.count()));
}

BOOST_AUTO_TEST_CASE(what_a_session_has_measured_places_its_steps_anew) {
  Products graph(session.graph());
  BOOST_TEST(devices_of(explain(graph.sum)).size() >= 3U);
  auto first = run(graph.sum);
  // Kernels take no time in the simulation, and that is what the session finds out.
  for (int i = 0; i < 4; ++i) BOOST_TEST(run(graph.sum) == first);
  auto measured = explain(graph.sum);
  BOOST_TEST(devices_of(measured).size() == 1U);
  for (const auto& node : measured.nodes)
    if (node.op == "MatMul") BOOST_TEST(node.measured_steps >= 3U);
  BOOST_TEST(run(graph.sum) == first);
}

BOOST_AUTO_TEST_CASE(a_task_that_is_dead_is_none_of_the_places) {
  cluster.crash(task(3));
  BOOST_TEST(cluster.run_until([&] { return !cluster.is_running(task(3)); }));
  Products graph(session.graph());
  auto devices = devices_of(explain(graph.sum));
  BOOST_TEST(devices.size() == 3U);
  BOOST_TEST(!devices.contains(task(3) + "/device:CPU:0"));
  BOOST_TEST(run(graph.sum) > 0);
}

BOOST_AUTO_TEST_CASE(an_explanation_leaves_nothing_behind) {
  auto b = session.graph();
  auto v = b.variable("v", b.constant(2.0F));
  auto explanation = explain(v.value());
  BOOST_TEST_REQUIRE(!explanation.nodes.empty());
  BOOST_TEST(explanation.nodes.front().why == "'v' is here, or will be");
  auto leaks = cluster.leaks_of_calls();
  BOOST_TEST(leaks.empty(), (leaks.empty() ? "" : leaks[0]));
  BOOST_TEST((session.run({}, {v.value()}).status().code() == Code::failed_precondition));
  BOOST_TEST(session.run({}, {}, {v.initializer}).ok());
  BOOST_TEST(run(v.value()) == 2);
}

BOOST_AUTO_TEST_CASE(a_loop_beside_long_work_stays_on_one_task) {
  auto b = session.graph();
  Products graph(b);
  auto loop = while_loop(
      b,
      [](const Builder& in, const Values& v) {
        return in.op("Less", {v[0], in.constant(10.0F)});
      },
      [](const Builder& in, const Values& v) { return Values{in.add(v[0], in.constant(1.0F))}; },
      {b.constant(0.0F)});
  auto sum = b.add(graph.sum, loop[0]);
  auto without = run(graph.sum);
  BOOST_TEST(run(sum) == without + 10);
  for (int i = 0; i < 5; ++i) BOOST_TEST(run(sum) == without + 10);
}

BOOST_AUTO_TEST_SUITE_END()
