#include <atomic>
#include <barrier>
#include <fstream>
#include <thread>

#include "troupe/apps/digits/model.hpp"
#include "troupe/capnp/client/client.hpp"
#include "troupe/graph/cluster/address.hpp"
#include "troupe/tests/benchmarks/measures.hpp"
#include "troupe/tests/capnp/raw_socket.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

namespace troupe::bench {
namespace {

using namespace std::chrono_literals;
using testing::NodeCluster;

std::string ratio(double value, double floor) {
  char text[48];
  std::snprintf(text, sizeof text, ", %.1f x the raw round trip", value / floor);
  return text;
}

/// A memory figure of a process, in MiB, by its name in /proc/PID/status.
double memory_mib(int pid, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1)) / 1024;
  return -1;
}

void measure_start(Report& report) {
  std::string spec = "worker=127.0.0.1:" + std::to_string(testing::free_port());
  Samples starts;
  for (int i = 0; i < 10; ++i) {
    auto start = std::chrono::steady_clock::now();
    auto node = testing::start_node({"--cluster", spec, "--job", "worker", "--task", "0"});
    testing::await_target(*node);
    starts.add(std::chrono::steady_clock::now() - start);
    if (i == 9)
      report.push_back({"idle node, peak memory", memory_mib(node->pid(), "VmHWM"), "MiB", ""});
  }
  report.push_back({"node, start to ready", starts.p50_us() / 1000, "ms", ""});
}

std::unique_ptr<Session> open(NodeCluster& nodes, int worker, std::unique_ptr<Client>& client) {
  client = must(Client::connect(nodes.target("worker", worker)));
  return must(client->session());
}

void measure_remote_steps(Report& report, NodeCluster& nodes, double floor_us) {
  std::unique_ptr<Client> client;
  auto session = open(nodes, 0, client);
  Builder b;
  auto constant = b.on("/job:worker/task:0").constant(1.0f);
  auto x = b.placeholder(DType::float32, {});
  auto crossing = b.on("/job:worker/task:0")
                      .mul(b.on("/job:ps/task:0").add(x, b.constant(1.0f)), b.constant(2.0f));
  auto ten = ten_crossing(b.on("/job:worker/task:0"), b.on("/job:ps/task:0"), x);
  must(session->extend(b));
  auto null_step = Samples::of(5000, [&] { must(session->run({}, {constant})); });
  report.push_back(
      {"null step, remote", null_step.p50_us(), "us",
       null_step.spread() + ratio(null_step.p50_us(), floor_us)});
  auto callable = must(session->make_callable({}, {constant}));
  auto called = Samples::of(5000, [&] { must(callable->run({})); });
  report.push_back({"null step, remote, callable", called.p50_us(), "us", called.spread()});
  auto feed = Tensor::scalar(1.0f);
  auto step = Samples::of(5000, [&] { must(session->run({{x, feed}}, {crossing})); });
  report.push_back(
      {"step over two tasks, remote", step.p50_us(), "us",
       step.spread() + ratio(step.p50_us(), floor_us)});
  auto ten_step = Samples::of(5000, [&] { must(session->run({{x, feed}}, {ten})); });
  report.push_back(
      {"step with ten scalars to another task, remote", ten_step.p50_us(), "us",
       ten_step.spread()});
}

/// Idle connections must not slow others down.
void measure_with_idle_connections(Report& report, NodeCluster& nodes) {
  constexpr int idle_count = 900;  // stays below the usual limit of 1,024 open files
  std::unique_ptr<Client> client;
  auto session = open(nodes, 0, client);
  Builder b;
  auto constant = b.constant(1.0f);
  must(session->extend(b));
  auto step = [&] { must(session->run({}, {constant})); };
  auto alone = Samples::of(2000, step);
  std::vector<testing::RawSocket> idle;
  auto port = must(Address::parse(nodes.target("worker", 0))).port;
  for (int i = 0; i < idle_count; ++i) idle.emplace_back(port);
  auto beside_idle = Samples::of(2000, step);
  char note[96];
  std::snprintf(
      note, sizeof note, "%s, %.2f x without them", beside_idle.spread().c_str(),
      beside_idle.p50_us() / alone.p50_us());
  report.push_back({"null step beside 900 silent connections", beside_idle.p50_us(), "us", note});
}

Tensor random_rows(int rows, int columns) {
  auto tensor = *Tensor::allocate(DType::float32, {rows, columns});
  for (int i = 0; i < rows * columns; ++i)
    tensor.mutable_data<float>()[i] = static_cast<float>(std::rand()) / RAND_MAX;
  return tensor;
}

/// Both workers train concurrently, each with a client thread.
void measure_training(Report& report, NodeCluster& nodes, std::chrono::seconds duration) {
  constexpr int workers = 2, batch = 32;
  std::atomic<int> steps{0};
  std::barrier sync(workers);
  auto train = [&](int worker) {
    std::unique_ptr<Client> client;
    auto session = open(nodes, worker, client);
    auto model = digits::make_model(worker, Momentum{.learning_rate = 0.01f, .momentum = 0.9f}, 1);
    must(session->extend(model.builder));
    if (worker == 0) must(session->run({}, {}, {model.initialize}));
    sync.arrive_and_wait();
    auto images = random_rows(batch, 64);
    auto labels = *Tensor::allocate(DType::int64, {batch});
    for (int i = 0; i < batch; ++i) labels.mutable_data<int64_t>()[i] = i % 10;
    auto step = [&] {
      must(session->run(
          {{model.images, images}, {model.labels, labels}}, {model.loss}, {model.train}));
    };
    for (int i = 0; i < 100; ++i) step();
    sync.arrive_and_wait();
    auto end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end) {
      step();
      ++steps;
    }
  };
  std::vector<std::thread> threads;
  for (int worker = 0; worker < workers; ++worker) threads.emplace_back(train, worker);
  for (auto& thread : threads) thread.join();
  report.push_back(
      {"training 64-128-10, batch 32, 2 workers",
       static_cast<double>(steps) / static_cast<double>(duration.count()), "steps/s",
       "asynchronous, momentum"});
}

}  // namespace

void measure_nodes(Report& report, double floor_us) {
  measure_start(report);
  NodeCluster nodes({{"ps", 1}, {"worker", 2}});
  measure_remote_steps(report, nodes, floor_us);
  measure_with_idle_connections(report, nodes);
  measure_training(report, nodes, 5s);
}

}  // namespace troupe::bench
