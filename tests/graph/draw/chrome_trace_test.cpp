#include "troupe/graph/draw/chrome_trace.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/draw/trace_rules.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// The parameter server sends x, the worker squares it beside another node.
struct ChromeTraceFixture {
  RunMetadata metadata{
      {{.device = "/job:ps/task:0/device:CPU:0",
        .end = 90us,
        .duration = 50us,
        .nodes =
            {{.node = "x", .op = "Const", .ready = 1us, .begin = 1us, .end = 1500ns, .bytes = 4},
             {.node = "_send/0",
              .op = "_Send",
              .ready = 2us,
              .begin = 2us,
              .end = 3us,
              .bytes = 4,
              .tensor = "x:0",
              .peer = "/job:worker/task:1/device:CPU:0"}},
        .graph = {}},
       {.device = "/job:worker/task:1/device:CPU:0",
        .end = 100us,
        .duration = 80us,
        .nodes =
            {{.node = "other", .op = "Neg", .ready = 1us, .begin = 1us, .end = 70us, .thread = 1},
             {.node = "_recv/0",
              .op = "_Recv",
              .begin = 0us,
              .end = 40us,
              .tensor = "x:0",
              .peer = "/job:ps/task:0/device:CPU:0"},
             {.node = "y", .op = "Square", .ready = 40us, .begin = 40us, .end = 45us, .thread = 2}},
        .graph = {}}}};

  json trace() const {
    auto parsed = json::parse(to_chrome_trace(metadata));
    auto faults = TraceRules::faults_of(parsed);
    BOOST_TEST(faults.empty(), (faults.empty() ? "" : faults[0]) << "\n" << parsed.dump(2));
    return parsed;
  }
  static std::vector<json> events(const json& trace, const std::string& key, const json& value) {
    std::vector<json> found;
    for (const auto& event : trace["traceEvents"])
      if (event.value(key, json()) == value) found.push_back(event);
    return found;
  }
  static json slice(const json& trace, const std::string& name) {
    for (const auto& event : events(trace, "name", name))
      if (event["ph"] == "X") return event;
    BOOST_FAIL("there is no slice " << name);
    return {};
  }
  /// The names given to processes or threads, by their number.
  static std::map<int, std::string> names(
      const json& trace, const std::string& kind, const std::string& number) {
    std::map<int, std::string> found;
    for (const auto& event : events(trace, "name", kind))
      found[event[number]] = event["args"].begin().value();
    return found;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(chrome_trace, ChromeTraceFixture)

BOOST_AUTO_TEST_CASE(a_task_is_a_process_and_a_device_has_tracks) {
  auto made = trace();
  BOOST_TEST(
      (names(made, "process_name", "pid") ==
       std::map<int, std::string>{{1, "/job:ps/task:0"}, {2, "/job:worker/task:1"}}));
  BOOST_TEST(
      (names(made, "thread_name", "tid") == std::map<int, std::string>{
                                                {1, "CPU:0"},
                                                {2, "CPU:0"},
                                                {3, "CPU:0 (2)"},
                                                {4, "CPU:0 receives"},
                                                {5, "CPU:0 actor"},
                                                {6, "CPU:0 network"},
                                                {7, "CPU:0 actor"}}));
}

BOOST_AUTO_TEST_CASE(a_node_is_a_slice_on_the_masters_axis) {
  auto y = slice(trace(), "y");
  BOOST_TEST(y["cat"] == "Square");
  BOOST_TEST(y["args"]["op"] == "Square");
  BOOST_TEST(y["args"]["thread"] == 2);
  BOOST_TEST(y["ts"] == 50.0);  // the worker began after 10 us
  BOOST_TEST(y["dur"] == 5.0);
  BOOST_TEST(slice(trace(), "x")["dur"] == 0.5);
  BOOST_TEST(slice(trace(), "_recv/0")["args"]["peer"] == "/job:ps/task:0/device:CPU:0");
}

BOOST_AUTO_TEST_CASE(nodes_that_ran_at_once_lie_beside_each_other) {
  auto made = trace();
  BOOST_TEST(slice(made, "other")["tid"] == 2);
  BOOST_TEST(slice(made, "y")["tid"] == 3);
  metadata.devices[1].nodes[0].end = 40us;
  made = trace();
  BOOST_TEST(slice(made, "other")["tid"] == slice(made, "y")["tid"]);
}

BOOST_AUTO_TEST_CASE(an_arrow_leads_from_the_send_to_the_end_of_the_recv) {
  auto made = trace();
  auto begin = events(made, "ph", "s"), end = events(made, "ph", "f");
  BOOST_TEST_REQUIRE(begin.size() == 1u);
  BOOST_TEST_REQUIRE(end.size() == 1u);
  BOOST_TEST(begin[0]["name"] == "x:0");
  BOOST_TEST(begin[0]["ts"] == slice(made, "_send/0")["ts"]);
  BOOST_TEST(end[0]["ts"] == 49.999);
  BOOST_TEST(end[0]["bp"] == "e");
}

BOOST_AUTO_TEST_CASE(the_time_between_nodes_is_named) {
  metadata.devices[1].nodes[0].ready = 0us;
  metadata.devices[1].nodes[0].begin = 30us;
  metadata.devices[1].nodes[0].end = 70us;
  auto drawn = trace();
  auto queue = slice(drawn, "queue: other");
  BOOST_TEST(queue["cat"] == "queue");
  BOOST_TEST(queue["dur"] == 30.0);
  auto network = slice(drawn, "network: x:0");
  BOOST_TEST(network["cat"] == "network");
  auto recv = slice(drawn, "_recv/0"), send = slice(drawn, "_send/0");
  auto sent = send["ts"].get<double>() + send["dur"].get<double>();
  BOOST_TEST(std::abs(network["ts"].get<double>() - sent) < 0.01);
  auto arrived = recv["ts"].get<double>() + recv["dur"].get<double>();
  auto end = network["ts"].get<double>() + network["dur"].get<double>();
  BOOST_TEST(std::abs(end - arrived) < 0.01);
  // From the launch until the devices began, and from their ends until the reports were there.
  double reported = 0;
  for (const auto& event : events(drawn, "cat", "actor"))
    if (event["name"] == "actor: report")
      reported = std::max(reported, event["ts"].get<double>() + event["dur"].get<double>());
  BOOST_TEST(std::abs(reported - 100) < 0.01);
}

BOOST_AUTO_TEST_CASE(a_feed_has_the_name_that_the_client_gave_it) {
  metadata.devices[1].nodes.push_back(
      {.node = "_arg/0",
       .op = "_Arg",
       .begin = 0us,
       .end = 1us,
       .tensor = "images:0",
       .peer = "client"});
  auto feed = slice(trace(), "images:0");
  BOOST_TEST(feed["cat"] == "_Arg");
}

BOOST_AUTO_TEST_CASE(the_uncertainty_of_a_clock_stands_beside_its_task) {
  BOOST_TEST(
      (names(trace(), "process_labels", "pid") ==
       std::map<int, std::string>{{1, "clock +- 20.0 us"}, {2, "clock +- 10.0 us"}}));
}

BOOST_AUTO_TEST_CASE(clocks_that_contradict_each_other_say_so_and_have_no_arrow_back_in_time) {
  metadata.devices[0].begin = 20us;
  metadata.devices[0].nodes[1].begin = 48us;
  metadata.devices[0].nodes[1].end = 49us;
  metadata.devices[1].nodes[1].end = 2us;
  auto made = trace();
  BOOST_TEST(
      (names(made, "process_labels", "pid") ==
       std::map<int, std::string>{
           {1, "clocks contradict each other"}, {2, "clocks contradict each other"}}));
  BOOST_TEST(events(made, "ph", "s").empty());
  BOOST_TEST(slice(made, "_send/0")["ts"] == 68.0);
}

BOOST_AUTO_TEST_CASE(whatever_a_peer_told_becomes_a_valid_trace) {
  metadata.devices.push_back(
      {.device = "no \"device\"\xff",
       .nodes =
           {{.node = "\n\xff", .op = "", .begin = 5us, .end = 1us, .tensor = {}, .peer = {}},
            {.node = "_recv/0", .op = "_Recv", .begin = 5us, .end = 5us, .tensor = {}, .peer = {}},
            {.node = "_send/0",
             .op = "_Send",
             .begin = -5us,
             .end = 5us,
             .tensor = {},
             .peer = {}}},
       .graph = {}});
  trace();
  metadata.devices.clear();
  BOOST_TEST(trace()["traceEvents"].empty());
}

BOOST_AUTO_TEST_CASE(the_rules_find_what_is_wrong_with_a_trace) {
  auto faults = [](const char* events) {
    return TraceRules::faults_of(json::parse("{\"traceEvents\":[" + std::string(events) + "]}"));
  };
  auto slice = R"({"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1})";
  BOOST_TEST(faults(slice).empty());
  BOOST_TEST(TraceRules::faults_of(json::array()).size() == 1u);
  for (auto wrong :
       {R"({"ph":"X","name":"b","ts":2,"dur":2,"pid":1,"tid":1})",
        R"({"ph":"X","name":"b","ts":2,"pid":1,"tid":1})",
        R"({"ph":"X","ts":9,"dur":2,"pid":1,"tid":1})",
        R"({"ph":"Z","name":"b","ts":9,"pid":1,"tid":1})",
        R"({"ph":"s","name":"b","cat":"c","id":1,"ts":2,"pid":1,"tid":1})",
        R"({"ph":"f","name":"b","cat":"c","id":1,"ts":2,"pid":1,"tid":1})",
        R"({"ph":"s","name":"b","cat":"c","id":1,"ts":2,"pid":1,"tid":1},
           {"ph":"f","name":"b","cat":"c","id":1,"ts":1,"pid":1,"tid":1})",
        R"({"ph":"s","name":"b","cat":"c","id":1,"ts":2,"pid":1,"tid":1},
           {"ph":"f","name":"b","cat":"c","id":1,"ts":3,"pid":1,"tid":1})"})
    BOOST_TEST(faults((std::string(slice) + "," + wrong).c_str()).size() == 1u, wrong);
}

BOOST_AUTO_TEST_SUITE_END()
