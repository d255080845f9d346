#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <future>
#include <numeric>
#include <thread>

#include "troupe/capnp/client/client.hpp"
#include "troupe/capnp/client/client_name.hpp"
#include "troupe/capnp/server/rpc_server.hpp"
#include "troupe/tests/capnp/fake_node.hpp"
#include "troupe/tests/test_timeout.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

struct RpcServerFixture {
  FakeNode node;
  std::unique_ptr<Client> client = connect();
  std::unique_ptr<Session> session = open();

  std::unique_ptr<Client> connect() {
    auto connected = Client::connect(node.target());
    BOOST_REQUIRE_MESSAGE(connected.ok(), connected.status().to_string());
    return *std::move(connected);
  }
  std::unique_ptr<Session> open() {
    auto opened = client->session();
    BOOST_REQUIRE_MESSAGE(opened.ok(), opened.status().to_string());
    return *std::move(opened);
  }
};

Tensor counted(int64_t count) {
  auto tensor = Tensor::allocate(DType::float32, {count});
  auto* data = tensor->mutable_data<float>();
  std::iota(data, data + count, 0.0f);
  return *std::move(tensor);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(rpc_server, RpcServerFixture)

BOOST_AUTO_TEST_CASE(a_step_answers_its_fetches_in_order) {
  auto values = session->run({}, {"a", "b"});
  BOOST_REQUIRE_MESSAGE(values.ok(), values.status().to_string());
  BOOST_TEST(values->size() == 2u);
  BOOST_TEST((*values)[1].value<float>() == 42.0f);
}

BOOST_AUTO_TEST_CASE(an_error_arrives_with_all_its_fields) {
  auto values = session->run({}, {"a"}, {"fail"});
  BOOST_TEST((values.status() == full_error()));
}

BOOST_AUTO_TEST_CASE(an_answer_may_come_from_any_thread) {
  for (int i = 0; i < 100; ++i) BOOST_TEST(session->run({}, {"a"}, {"thread"}).ok());
}

BOOST_AUTO_TEST_CASE(an_actor_that_forgets_a_call_does_not_leave_it_open) {
  auto values = session->run({}, {"a"}, {"forget"});
  BOOST_TEST((values.status().code() == Code::aborted));
}

BOOST_AUTO_TEST_CASE(values_of_every_kind_come_back_unchanged) {
  Tensors sent = {
      Tensor::string("a\0b"),
      Tensor::of<bool>({2}, {true, false}),
      Tensor::of<complex64>({1}, {complex64(1, 2)}),
      Tensor::of<int64_t>({0, 3}, {}),
      counted(1 << 20),
      Tensor::of<uint8_t>({3}, {1, 2, 3})};
  std::vector<Feed> feeds;
  for (const auto& value : sent) feeds.push_back({"x", value});
  auto back = session->run(feeds, {}, {"echo"});
  BOOST_REQUIRE_MESSAGE(back.ok(), back.status().to_string());
  BOOST_REQUIRE(back->size() == sent.size());
  for (size_t i = 0; i < sent.size(); ++i) BOOST_TEST(equal(sent[i], (*back)[i]));
}

BOOST_AUTO_TEST_CASE(a_hundred_mebibytes_go_there_and_back) {
  auto large = counted(25 << 20);
  for (int i = 0; i < 2; ++i) {
    auto back = session->run({{"x", large}, {"y", large}}, {}, {"echo"});
    BOOST_REQUIRE_MESSAGE(back.ok(), back.status().to_string());
    BOOST_TEST(equal(large, (*back)[1]));
  }
}

BOOST_AUTO_TEST_CASE(memory_that_a_tensor_shares_with_its_message_outlives_the_client) {
  auto large = counted(1 << 20);
  auto back = session->run({{"x", large}}, {}, {"echo"});
  session.reset();
  client.reset();
  BOOST_REQUIRE(back.ok());
  BOOST_TEST(equal(large, (*back)[0]));
}

BOOST_AUTO_TEST_CASE(an_unset_feed_is_refused_by_name) {
  auto status = session->run({{"x", Tensor()}}, {}).status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message().find("'x'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(eight_threads_run_steps_at_once) {
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      auto value = Tensor::scalar<int32_t>(i);
      for (int step = 0; step < 200; ++step) {
        auto back = session->run({{"x", value}}, {}, {step % 3 == 0 ? "thread" : "echo"});
        good += back.ok() && (step % 3 == 0 || (*back)[0].value<int32_t>() == i);
      }
    });
  for (auto& thread : threads) thread.join();
  BOOST_TEST(good == 1600);
}

BOOST_AUTO_TEST_CASE(a_waiting_step_does_not_hold_up_others) {
  auto waiting = std::async(std::launch::async, [&] { return session->run({}, {}, {"wait"}); });
  BOOST_REQUIRE(node.record->wait_for("wait"));
  BOOST_TEST(session->run({}, {"a"}).ok());
  BOOST_TEST(node.rpc_server->close(test_timeout).ok());
  BOOST_TEST((waiting.get().status().code() == Code::unavailable));
}

BOOST_AUTO_TEST_CASE(a_session_that_is_dropped_closes) {
  session.reset();
  BOOST_TEST(node.record->wait_for("close"));
}

BOOST_AUTO_TEST_CASE(after_close_calls_fail) {
  BOOST_TEST(session->close().ok());
  auto status = session->run({}, {"a"}).status();
  BOOST_TEST((status.code() == Code::failed_precondition));
  BOOST_TEST(session->close().ok());  // it is closed, as was asked
}

BOOST_AUTO_TEST_CASE(a_graph_arrives_node_by_node) {
  auto catalog = std::make_shared<OpCatalog>();
  catalog->add(
      Op("Thing").output("y", DType::float32).attr("size", int64_t{3}).infer_shape(shapes::none()));
  Graph graph(catalog);
  BOOST_REQUIRE(
      graph.add({.name = "one", .op = "Thing", .device = "/job:ps", .inputs = {}, .attrs = {}})
          .ok());
  BOOST_TEST(session->extend(graph).ok());
  BOOST_REQUIRE(node.record->nodes.size() == 1u);
  BOOST_TEST(node.record->nodes[0].device == "/job:ps");
  BOOST_TEST(*node.record->nodes[0].attrs.at("size").get<int64_t>() == 3);
  node.record->nodes.clear();
  BOOST_TEST(session->extend(graph).ok());
  BOOST_TEST(node.record->nodes.empty());
  BOOST_TEST((session->extend(Graph(catalog)).code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_node_describes_itself_and_its_cluster) {
  auto devices = client->list_devices();
  BOOST_REQUIRE(devices.ok());
  BOOST_TEST(devices->devices[0].attributes.description == "four");
  BOOST_TEST((devices->missing[0] == unavailable("/job:ps/task:1 is away")));
  auto info = client->node_info();
  BOOST_REQUIRE(info.ok());
  BOOST_TEST(info->late_messages == 4u);
  auto cluster = client->cluster();
  BOOST_REQUIRE(cluster.ok());
  BOOST_TEST((*cluster == info->cluster));
  BOOST_TEST(client->reset({"", "mine"}).ok());
  BOOST_TEST(node.record->wait_for("reset 2"));
  BOOST_TEST((client->reset({}).code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_node_lists_the_resources_of_its_containers) {
  auto list = client->list_resources();
  BOOST_REQUIRE(list.ok());
  ListedResource variable{
      .name = {"c", "w"},
      .kind = "variable",
      .dtype = DType::float32,
      .shape = {2, 3},
      .bytes = 24,
      .device = "/job:ps/task:0/device:CPU:0",
      .idle = 1500ms};
  ListedResource queue{
      .name = {"", "examples"},
      .kind = "queue",
      .dtype = DType::string,
      .shape = {5},
      .bytes = 300,
      .device = "/job:ps/task:0/device:CPU:0",
      .queue = fake_queue_use()};
  BOOST_TEST((list->resources == std::vector{variable, queue}));
  BOOST_TEST((list->missing[0] == unavailable("/job:ps/task:1 is away")));
}

BOOST_AUTO_TEST_CASE(a_session_leaves_a_runner_with_all_that_it_was_told) {
  RunnerSpec spec{
      .container = "c",
      .enqueue_ops = {"put", "put", "put_other"},
      .close_op = "close",
      .cancel_op = "cancel",
      .end_codes = {Code::data_loss}};
  BOOST_TEST(session->start_runner("input", spec).ok());
  const auto& left = node.record->runner;
  BOOST_TEST(left.container == "c");
  BOOST_TEST((left.enqueue_ops == spec.enqueue_ops));
  BOOST_TEST(left.close_op == "close");
  BOOST_TEST(left.cancel_op == "cancel");
  BOOST_TEST((left.end_codes == spec.end_codes));
  BOOST_TEST((session->start_runner("taken", spec) == full_error()));
  spec.end_codes = {Code::ok};
  BOOST_TEST((session->start_runner("input", spec).code() == Code::invalid_argument));
  BOOST_TEST(session->close().ok());
  BOOST_TEST((session->start_runner("input", spec).code() == Code::failed_precondition));
}

BOOST_AUTO_TEST_CASE(a_client_lists_and_controls_runners) {
  auto list = client->list_runners();
  BOOST_TEST_REQUIRE(list.ok(), list.status().to_string());
  BOOST_TEST((*list == fake_runners()));
  BOOST_TEST(client->pause_runner({"c", "input"}, 1s).ok());
  BOOST_TEST(client->resume_runner({"c", "input"}, 2s).ok());
  BOOST_TEST(client->stop_runner({"c", "input"}, 3s).ok());
  for (const auto* told :
       {"runner c/input 0 1000", "runner c/input 1 2000", "runner c/input 2 3000"})
    BOOST_TEST(node.record->wait_for(told), told);
  BOOST_TEST((client->stop_runner({"", "other"}).code() == Code::not_found));
}

BOOST_AUTO_TEST_CASE(a_client_lists_the_sessions_of_all) {
  auto list = client->list_sessions();
  BOOST_TEST_REQUIRE(list.ok(), list.status().to_string());
  BOOST_TEST((*list == fake_sessions()));
}

BOOST_AUTO_TEST_CASE(a_session_is_opened_in_the_name_of_its_client) {
  auto named = Client::connect(node.target(), {.program = "train\n\x1b[31m.py"});
  BOOST_TEST_REQUIRE(named.ok(), named.status().to_string());
  BOOST_TEST((*named)->session().ok());
  auto name = client_name("train??[31m.py");
  BOOST_TEST(node.record->wait_for("session of " + name), name);
  BOOST_TEST(name.starts_with("train??[31m.py (process " + std::to_string(getpid()) + ") of "));
  auto endless = Client::connect(node.target(), {.program = std::string(1000, 'x')});
  BOOST_TEST_REQUIRE(endless.ok());
  BOOST_TEST((*endless)->session().ok());
  BOOST_TEST(node.record->wait_for("session of " + std::string(200, 'x')));
}

BOOST_AUTO_TEST_CASE(a_node_tells_the_time) {
  auto now = [] { return std::chrono::system_clock::now().time_since_epoch(); };
  auto before = now();
  auto told = client->clock();
  auto after = now();
  BOOST_TEST_REQUIRE(told.ok(), told.status().to_string());
  BOOST_TEST((before <= *told && *told <= after));
}

BOOST_AUTO_TEST_CASE(all_containers_are_reset_of_all_tasks_or_of_one) {
  BOOST_TEST(client->reset_all().ok());
  BOOST_TEST(node.record->wait_for("reset all of "));
  BOOST_TEST(client->reset_task("/job:ps/task:0").ok());
  BOOST_TEST(node.record->wait_for("reset all of /job:ps/task:0"));
}

BOOST_AUTO_TEST_CASE(a_node_explains_what_its_steps_wait_for) {
  auto steps = client->list_waiting_steps();
  BOOST_REQUIRE(steps.ok());
  BOOST_REQUIRE(steps->size() == 1u);
  BOOST_TEST(steps->at(0).session == 3u);
  BOOST_TEST(steps->at(0).step == 4u);
  BOOST_TEST((steps->at(0).age == 1500ms));
  BOOST_REQUIRE(steps->at(0).waits.size() == 1u);
  Wait wait{
      .device = "/job:ps/task:0/device:CPU:0",
      .node = "total",
      .op = "Sum",
      .what = "'x:0' from /job:worker/task:1/device:CPU:0",
      .peer = "/job:worker/task:1",
      .age = 1400ms};
  BOOST_TEST((steps->at(0).waits[0] == wait));
  BOOST_TEST(steps->at(0).runner == "c/input");
}

BOOST_AUTO_TEST_CASE(a_client_sees_the_next_step_of_a_session_of_another) {
  auto metadata = client->trace_next_step(7);
  BOOST_TEST_REQUIRE(metadata.ok(), metadata.status().to_string());
  auto expected = full_metadata();
  BOOST_TEST(metadata->clock == expected.clock);
  BOOST_TEST((metadata->launched == expected.launched));
  BOOST_TEST_REQUIRE(metadata->devices.size() == 1U);
  BOOST_TEST(metadata->devices[0].clock == "host");
  BOOST_TEST((metadata->devices[0].started == std::chrono::nanoseconds(123)));
  BOOST_TEST((metadata->devices[0].nodes == expected.devices[0].nodes));
  BOOST_TEST((client->trace_next_step(8).status().code() == Code::not_found));
}

BOOST_AUTO_TEST_CASE(a_session_explains_a_step_with_all_that_there_is) {
  auto session = client->session({.placement = "cost"});
  BOOST_TEST_REQUIRE(session.ok());
  BOOST_TEST(node.record->session_options.placement == "cost");
  auto explanation = (*session)->explain({"x:0"}, {"y:0", "z"}, {"t"});
  BOOST_TEST_REQUIRE(explanation.ok(), explanation.status().to_string());
  auto expected = full_explanation();
  expected.nodes[0].inputs = {"x:0"};
  expected.nodes[0].alternatives = {"y:0", "z"};
  expected.nodes[0].why = "t";
  BOOST_TEST((*explanation == expected));
  BOOST_TEST(((*session)->explain({}, {}).status() == invalid_argument("nothing to fetch")));
  BOOST_TEST((*session)->close().ok());
  BOOST_TEST(((*session)->explain({}, {"y"}).status().code() == Code::failed_precondition));
}

BOOST_AUTO_TEST_CASE(a_client_can_drain_and_stop_a_node) {
  BOOST_TEST((client->drain(1500ms) == deadline_exceeded("a step was cancelled")));
  BOOST_TEST(node.record->wait_for("drain 1500"));
  BOOST_TEST(client->stop(2s).ok());
  BOOST_TEST(node.record->wait_for("stop 2000"));
}

BOOST_AUTO_TEST_CASE(a_client_can_have_a_task_forgotten) {
  BOOST_TEST((client->forget_task("/job:a/task:3", 700ms) == failed_precondition("it is alive")));
  BOOST_TEST(node.record->wait_for("forget /job:a/task:3 700"));
}

BOOST_AUTO_TEST_CASE(a_lost_node_is_named) {
  BOOST_TEST(node.rpc_server->close(test_timeout).ok());
  auto status = session->run({}, {"a"}).status();
  BOOST_TEST((status.code() == Code::unavailable));
  BOOST_TEST(status.message().find(node.target()) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_port_in_use_is_named) {
  auto again = RpcServer::open("127.0.0.1", node.rpc_server->port());
  BOOST_TEST((again.status().code() == Code::unavailable));
  BOOST_TEST(
      again.status().message().find(std::to_string(node.rpc_server->port())) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_answer_to_a_join_has_all_its_fields) {
  auto other = RpcServer::open("", 0);
  BOOST_REQUIRE(other.ok());
  auto join = [&](const std::string& job) {
    std::promise<Result<Joined>> answer;
    Join request{.cluster = "mine", .version = 7, .job = job, .address = "c:1"};
    auto address = *Address::parse(node.target());
    (*other)->join(address, test_timeout, request, [&](Result<Joined> joined) {
      answer.set_value(std::move(joined));
    });
    return answer.get_future().get();
  };
  auto joined = join("worker");
  BOOST_REQUIRE_MESSAGE(joined.ok(), joined.status().to_string());
  auto expected = fake_joined();
  BOOST_TEST(joined->task == expected.task);
  BOOST_TEST((joined->cluster == expected.cluster));
  BOOST_TEST(joined->membership.version == expected.membership.version);
  BOOST_TEST((joined->membership.joined == expected.membership.joined));
  BOOST_TEST(joined->directory_job == expected.directory_job);
  BOOST_TEST(joined->directory_task == expected.directory_task);
  BOOST_TEST(node.record->wait_for("join mine 7 worker c:1"));
  BOOST_TEST((join("full").status() == full_error()));
}

BOOST_AUTO_TEST_SUITE_END()
