#include "troupe/capnp/server/server.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "troupe/tests/capnp/servers.hpp"
#include "troupe/tests/process_usage.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// 600 KiB of ones.
Value filled(Builder& b, const std::string& device) {
  return b.on(device).fill(b.constant(Tensor::of<int32_t>({1}, {150 * 1024})), b.constant(1.0f));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(server)

BOOST_AUTO_TEST_CASE(a_server_that_is_not_started_does_not_serve) {
  auto cluster = cluster_of({{"local", 1}});
  auto made = make_server(cluster, "local", 0);
  auto refused = Client::connect(made->target(), {.timeout = 50ms}).status();
  BOOST_TEST((refused.code() == Code::unavailable), refused.to_string());
  BOOST_TEST(made->join().ok());
  BOOST_TEST(made->stop(test_timeout).ok());
  BOOST_TEST((made->drain(1s).code() == Code::failed_precondition));
  BOOST_TEST(made->start().ok());
  BOOST_TEST(made->start().ok());
  BOOST_TEST(TestClient(*made).step().ok());
}

BOOST_AUTO_TEST_CASE(a_job_without_tasks_holds_no_resources) {
  auto cluster = ClusterSpec::make({{"empty", JobTasks()}, {"local", {"127.0.0.1:0"}}});
  BOOST_REQUIRE(cluster.ok());
  auto made = make_server(*cluster, "local", 0);
  BOOST_REQUIRE(made->start().ok());
  auto client = connect(*made);
  auto session = open(*client);
  Builder b;
  auto x = b.variable("x", b.constant(1.0f));
  BOOST_REQUIRE(session->extend(b).ok());
  auto status = session->run({}, {}, {x.initializer}).status();
  BOOST_TEST(status.ok(), status.to_string());
}

BOOST_AUTO_TEST_CASE(a_definition_that_names_no_task_is_refused) {
  auto status =
      Server::create({.cluster = cluster_of({{"ps", 2}}), .job = {}, .task = {}, .protocol = {}})
          .status();
  BOOST_TEST(status.message() == "no task index is given, and job 'ps' has: 0-1");
}

BOOST_AUTO_TEST_CASE(it_tells_what_it_is_and_where) {
  auto server = start_local();
  auto def = server->server_def();
  BOOST_TEST(def.job == "local");
  BOOST_TEST(*def.task == 0);
  BOOST_TEST(def.protocol == "troupe");
  auto address = def.cluster.task_address("local", 0);
  BOOST_TEST(address->port != 0);
  BOOST_TEST(server->target() == "troupe://" + address->to_string());
}

BOOST_AUTO_TEST_CASE(one_whose_port_is_in_use_names_it_and_can_be_tried_again) {
  auto taken = std::make_unique<BoundSocket>(*listen_on("", 0));
  auto address = "127.0.0.1:" + std::to_string(taken->port);
  auto made = make_server(*ClusterSpec::make({{"local", {address}}}), "local", 0);
  auto status = made->start();
  BOOST_TEST((status.code() == Code::unavailable));
  BOOST_TEST(says(status, address), status.to_string());
  BOOST_TEST(made->join().ok());
  taken.reset();
  BOOST_TEST(made->start().ok());
  BOOST_TEST(TestClient(*made).step().ok());
}

BOOST_AUTO_TEST_CASE(three_in_one_process_run_steps_at_once_each_with_its_threads) {
  auto cluster = cluster_of({{"ps", 1}, {"worker", 2}});
  std::vector<std::unique_ptr<Server>> servers;
  int threads = 1;
  for (const auto& [job, tasks] : cluster.jobs())
    for (const auto& [task, address] : tasks)
      servers.push_back(make_server(cluster, job, task, few_threads(threads++)));
  for (auto& server : servers) BOOST_TEST(server->start().ok());
  auto devices = connect(*servers[0])->list_devices();
  BOOST_REQUIRE(devices.ok());
  BOOST_REQUIRE(devices->devices.size() == 3u);
  for (size_t i = 0; i < 3; ++i)
    BOOST_TEST(devices->devices[i].attributes.description == std::to_string(i + 1) + " threads");

  std::vector<TestClient> users;  // made here, as Boost.Test checks only work on this thread
  for (auto& server : servers) users.emplace_back(*server);
  std::vector<std::future<Status>> clients;
  for (auto& user : users)
    clients.push_back(std::async(std::launch::async, [&user] {
      auto sum = user.b.on("/job:ps/task:0").add(user.two, user.two);
      auto product = user.b.on("/job:worker/task:1").mul(sum, user.two);
      auto status = user.session->extend(user.b);
      for (int i = 0; i < 50 && status.ok(); ++i) {
        auto values = user.session->run({}, {product});
        status = values.status();
        if (values && (*values)[0].value<float>() != 8) status = internal("not 8");
      }
      return status;
    }));
  for (auto& client : clients) {
    auto status = result_of(client);
    BOOST_TEST(status.ok(), status.to_string());
  }
}

BOOST_AUTO_TEST_CASE(the_cpu_may_be_shown_as_two_devices_that_share_its_memory) {
  auto options = few_threads();
  options.devices.count = {{"CPU", 2}};
  options.devices.cpu.memory_limit = 1 << 20;
  auto server = start_local(options);
  TestClient user(*server);
  BOOST_TEST(user.client->list_devices()->devices.at(1).name == "/job:local/task:0/device:CPU:1");
  auto half = filled(user.b, "/cpu:0");
  auto other = filled(user.b, "/cpu:1");
  auto sum = user.b.on("/cpu:1").add(user.b.on("/cpu:0").reduce_sum(half), user.two);
  BOOST_REQUIRE(user.session->extend(user.b).ok());
  auto values = user.session->run({}, {sum});
  BOOST_REQUIRE_MESSAGE(values.ok(), values.status().to_string());
  BOOST_TEST((*values)[0].value<float>() == 150 * 1024 + 2.0f);
  auto both = user.session->run({}, {half, other}).status();
  BOOST_TEST((both.code() == Code::resource_exhausted), both.to_string());
}

BOOST_AUTO_TEST_CASE(feeds_count_against_the_memory_limit) {
  auto options = few_threads();
  options.devices.cpu.memory_limit = 24 << 20;
  auto server = start_local(options);
  TestClient user(*server);
  auto x = user.b.placeholder(DType::float32, Shape::unknown_rank());
  auto sum = user.b.reduce_sum(x);
  BOOST_REQUIRE(user.session->extend(user.b).ok());
  auto run = [&](int64_t mebibytes) {
    auto value = *Tensor::allocate(DType::float32, Shape({mebibytes << 18}));
    std::fill_n(value.mutable_data<float>(), value.elements(), 1.0f);
    return user.session->run({{x, value}}, {sum}).status();
  };
  auto in_use = [&] { return user.client->list_devices()->devices.at(0).memory_in_use; };
  BOOST_TEST(run(16).ok());
  for (int64_t mebibytes : {28, 40}) {  // in the message, and beside it
    auto status = run(mebibytes);
    BOOST_TEST((status.code() == Code::resource_exhausted), status.to_string());
    BOOST_TEST(says(status, x.name()), status.to_string());
  }
  BOOST_TEST(run(16).ok());                     // in the same session
  auto deadline = Clock::now() + test_timeout;  // the client releases its call after the answer
  while (in_use() > 0 && Clock::now() < deadline) std::this_thread::yield();
  BOOST_TEST(in_use() == 0u);
}

BOOST_AUTO_TEST_CASE(devices_that_the_machine_has_not_are_refused) {
  ServerOptions options;
  options.devices.visible = {"GPU:63"};
  auto status = Server::create_local(options).status();
  auto expected = std::string("there is no device 'GPU:63'; this machine has: CPU:0");
  BOOST_TEST(status.message().starts_with(expected), status.message());
}

BOOST_AUTO_TEST_CASE(joiners_return_when_the_process_stops_it) {
  auto server = start_local();
  auto first = join(*server);
  auto second = join(*server);
  BOOST_TEST(!has_ended(first));
  BOOST_TEST(server->stop(test_timeout).ok());
  BOOST_TEST(result_of(first).ok());
  BOOST_TEST(result_of(second).ok());
}

BOOST_AUTO_TEST_CASE(joiners_return_when_a_client_stops_it) {
  auto server = start_local();
  auto joined = join(*server);
  auto stopped = connect(*server)->stop(test_timeout);
  BOOST_TEST(stopped.ok(), stopped.to_string());
  BOOST_TEST(result_of(joined).ok());
}

BOOST_AUTO_TEST_CASE(joiners_return_when_it_is_destroyed) {
  auto server = start_local();
  std::promise<void> began;
  auto joined = std::async(std::launch::async, [&began, joining = server.get()] {
    began.set_value();
    return joining->join();
  });
  began.get_future().wait();
  while (!has_ended(joined) && joined.wait_for(20ms) != std::future_status::timeout) continue;
  server.reset();
  BOOST_TEST(result_of(joined).ok());
}

BOOST_AUTO_TEST_CASE(after_a_restart_old_clients_fail_and_a_new_one_connects) {
  auto server = start_local();
  TestClient user(*server);
  auto before = user.client->node_info()->incarnation;
  BOOST_TEST(server->stop(test_timeout).ok());
  BOOST_TEST((user.step().code() == Code::unavailable));
  auto target = server->target();
  BOOST_TEST(server->start().ok());
  BOOST_TEST(server->target() == target);
  BOOST_TEST((user.step().code() == Code::unavailable));
  TestClient next(*server);
  BOOST_TEST(next.step().ok());
  BOOST_TEST(next.client->node_info()->incarnation != before);
}

BOOST_AUTO_TEST_CASE(a_hundred_restarts_on_one_port_leak_nothing) {
  auto server = start_local();
  // The usage is taken while a client is connected: then all parts of the server exist.
  auto restart = [&server] {
    auto status = server->stop(test_timeout);
    BOOST_REQUIRE_MESSAGE(status.ok(), status.to_string());
    status = server->start();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.to_string());
    TestClient user(*server);
    status = user.step();
    BOOST_REQUIRE_MESSAGE(status.ok(), status.to_string());
    return usage_of(getpid());
  };
  for (int round = 0; round < 20; ++round) (void)restart();
  auto before = restart();
  for (int round = 0; round < 99; ++round) (void)restart();
  auto after = restart();
  BOOST_TEST(after.descriptors == before.descriptors);
  BOOST_TEST(after.threads == before.threads);
  BOOST_TEST(after.memory_mib < before.memory_mib + 4);
  BOOST_TEST_MESSAGE("100 starts: " << before.memory_mib << " to " << after.memory_mib << " MiB");
}

BOOST_AUTO_TEST_CASE(a_peer_works_with_the_next_incarnation_of_a_task) {
  auto cluster = cluster_of({{"ps", 1}, {"worker", 1}});
  auto ps = make_server(cluster, "ps", 0);
  auto worker = make_server(cluster, "worker", 0);
  BOOST_TEST(ps->start().ok());
  BOOST_TEST(worker->start().ok());
  TestClient user(*worker);
  auto there = user.b.on("/job:ps").add(user.two, user.two);
  BOOST_REQUIRE(user.session->extend(user.b).ok());
  BOOST_TEST(user.session->run({}, {there}).ok());
  BOOST_TEST(ps->stop(test_timeout).ok());
  BOOST_TEST(ps->start().ok());
  auto deadline = Clock::now() + test_timeout;
  Status status;
  do status = user.session->run({}, {there}).status();
  while (!status.ok() && Clock::now() < deadline);
  BOOST_TEST(status.ok(), status.to_string());
}

/// A server that joins the cluster of another as a worker.
std::unique_ptr<Server> make_joining(const Server& other) {
  auto options = few_threads();
  options.join = other.target();
  return make_server(*ClusterSpec::make({{"worker", {"127.0.0.1:0"}}}), "worker", 0, options);
}

BOOST_AUTO_TEST_CASE(one_that_joins_is_told_what_it_is_and_is_known_until_it_stops) {
  auto first = start_local();
  auto joining = make_joining(*first);
  BOOST_REQUIRE(joining->start().ok());
  auto another = make_joining(*joining);
  BOOST_REQUIRE(another->start().ok());
  BOOST_TEST(*another->server_def().task == 1);
  BOOST_TEST(another->server_def().cluster.to_json().find("local") != std::string::npos);
  TestClient user(*another);
  auto there = user.b.on("/job:local/task:0").add(user.two, user.two);
  BOOST_REQUIRE(user.session->extend(user.b).ok());
  BOOST_TEST(user.session->run({}, {there})->at(0).value<float>() == 4.0f);
  BOOST_TEST(connect(*first)->list_devices()->devices.size() == 3u);

  BOOST_TEST(joining->stop(test_timeout).ok());
  auto rest = connect(*first)->list_devices();
  BOOST_TEST(rest->devices.size() == 2u);
  BOOST_TEST(rest->missing.empty());
  BOOST_REQUIRE(joining->start().ok());
  BOOST_TEST(*joining->server_def().task == 2);
  BOOST_TEST(connect(*first)->list_devices()->devices.size() == 3u);
}

BOOST_AUTO_TEST_CASE(one_at_the_address_of_a_configured_task_does_not_join) {
  auto taken = cluster_of({{"local", 1}, {"absent", 1}});
  auto first = make_server(taken, "local", 0);
  auto absent = make_server(taken, "absent", 0);
  BOOST_REQUIRE(first->start().ok());
  BOOST_REQUIRE(absent->start().ok());
  auto address = taken.task_address("local", 0)->to_string();
  BOOST_TEST(first->stop(test_timeout).ok());
  auto options = few_threads();
  options.join = absent->target();
  auto joining = make_server(*ClusterSpec::make({{"worker", {address}}}), "worker", 0, options);
  auto status = joining->start();
  BOOST_TEST((status.code() == Code::already_exists), status.to_string());
  BOOST_TEST(says(status, address + " is the address of /job:local/task:0"), status.to_string());
}

BOOST_AUTO_TEST_SUITE_END()
