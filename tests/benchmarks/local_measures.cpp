#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <thread>

#include "troupe/actors/local/local_cluster.hpp"
#include "troupe/graph/draw/chrome_trace.hpp"
#include "troupe/graph/draw/dot.hpp"
#include "troupe/tests/benchmarks/measures.hpp"

namespace troupe::bench {
namespace {

constexpr int node_count = 10000;

/// A graph whose step runs `node_count` small ops, and the node that ends it.
struct SmallOps {
  Builder b;
  Value x = b.placeholder(DType::float32, {});
  Value end;
};

SmallOps make_chain() {
  SmallOps ops;
  ops.end = ops.x;
  for (int i = 0; i < node_count; ++i) ops.end = ops.b.neg(ops.end);
  return ops;
}

SmallOps make_fan() {
  SmallOps ops;
  Values leaves;
  for (int i = 0; i < node_count; ++i) leaves.push_back(ops.b.neg(ops.x));
  ops.end = ops.b.group(leaves);
  return ops;
}

SmallOps make_no_op_fan() {
  SmallOps ops;
  Values leaves;
  for (int i = 0; i < node_count; ++i) leaves.push_back(ops.b.after({ops.x}).op("NoOp"));
  ops.end = ops.b.group(leaves);
  return ops;
}

void measure_small_ops(Report& report, const std::string& what, const SmallOps& ops) {
  LocalCluster cluster({{"local", 1}});
  // As the nodes are in the graph: two Negs would be none, and the others one.
  auto session =
      must(cluster.session("local", 0, {.fuses_elementwise = false, .optimizes = false}));
  must(session->extend(ops.b));
  auto feed = Tensor::scalar(1.0f);
  auto samples = Samples::of(100, [&] {
    must(session->run({{ops.x, feed}}, {}, {Ref(ops.end.node_name())}));
  });
  report.push_back(
      {what, samples.p50_us() * 1000 / node_count, "ns/op", samples.spread() + " us a step"});
}

int listen_on_loopback(sockaddr_in& address) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  address = {
      .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t size = sizeof address;
  CHECK(bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
  CHECK(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  CHECK(listen(listener, 1) == 0);
  return listener;
}

void no_delay(int socket) {
  int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

[[noreturn]] void echo(int listener) {
  int peer = accept(listener, nullptr, nullptr);
  no_delay(peer);
  char bytes[256];
  for (ssize_t count; (count = read(peer, bytes, sizeof bytes)) > 0;)
    if (write(peer, bytes, static_cast<size_t>(count)) != count) break;
  _exit(0);
}

/// Steps per second of that many threads, each of which calls `f` again and again for 200 ms.
template <class F>
double step_rate(int threads, F f) {
  using Clock = std::chrono::steady_clock;
  std::atomic<int64_t> steps = 0;
  auto begin = Clock::now();
  auto end = begin + std::chrono::milliseconds(200);
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&] {
      int64_t own = 0;
      for (; Clock::now() < end; ++own) f();
      steps += own;
    });
  running.clear();  // joins them
  return double(steps) / std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers[numbers.size() / 2];
}

}  // namespace

Value ten_crossing(const Builder& here, const Builder& there, const Value& x) {
  Values received;
  for (int i = 0; i < 10; ++i)
    received.push_back(here.neg(there.add(x, there.constant(static_cast<float>(i)))));
  return here.add_n(received);
}

double measure_raw_round_trip(Report& report) {
  sockaddr_in address;
  int listener = listen_on_loopback(address);
  auto child = fork();
  if (child == 0) echo(listener);
  int peer = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  no_delay(peer);
  char bytes[256] = {};
  auto samples = Samples::of(5000, [&] {
    CHECK(write(peer, bytes, sizeof bytes) == sizeof bytes);
    for (size_t got = 0; got < sizeof bytes;)
      got += static_cast<size_t>(read(peer, bytes, sizeof bytes));
  });
  close(peer);
  close(listener);
  waitpid(child, nullptr, 0);
  report.push_back(
      {"raw loopback round trip (the floor)", samples.p50_us(), "us", samples.spread()});
  return samples.p50_us();
}

void measure_executor(Report& report) {
  measure_small_ops(report, "executor, chain of 10,000 Neg", make_chain());
  measure_small_ops(report, "executor, fan of 10,000 Neg", make_fan());
  measure_small_ops(report, "executor, fan of 10,000 NoOp", make_no_op_fan());
}

void measure_local_steps(Report& report) {
  LocalCluster cluster({{"ps", 1}, {"worker", 1}});
  auto session = must(cluster.session("worker"));
  Builder b;
  auto constant = b.constant(1.0f);
  auto x = b.placeholder(DType::float32, {});
  auto crossing = b.mul(b.on("/job:ps/task:0").add(x, b.constant(1.0f)), b.constant(2.0f));
  auto ten = ten_crossing(b.on("/job:worker/task:0"), b.on("/job:ps/task:0"), x);
  must(session->extend(b));
  auto null_step = Samples::of(20000, [&] { must(session->run({}, {constant})); });
  report.push_back({"null step, local", null_step.p50_us(), "us", null_step.spread()});
  auto callable = must(session->make_callable({}, {constant}));
  auto called = Samples::of(20000, [&] { must(callable->run({})); });
  report.push_back({"null step, local, callable", called.p50_us(), "us", called.spread()});
  auto feed = Tensor::scalar(1.0f);
  auto step = Samples::of(20000, [&] { must(session->run({{x, feed}}, {crossing})); });
  report.push_back({"step over two tasks, local", step.p50_us(), "us", step.spread()});
  auto ten_step = Samples::of(20000, [&] { must(session->run({{x, feed}}, {ten})); });
  report.push_back(
      {"step with ten scalars to another task, local", ten_step.p50_us(), "us", ten_step.spread()});
}

void measure_large_graph(Report& report) {
  constexpr int large = 100'000;
  LocalCluster cluster({{"ps", 1}, {"worker", 1}});
  auto session = must(cluster.session("worker"));
  auto start = std::chrono::steady_clock::now();
  auto ms = [&] {
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    return time.count();
  };
  Builder b;
  auto x = b.placeholder(DType::float32, {}), small = b.constant(1.0f);
  // Layers of ten on two tasks, each node of which uses two of the layer before.
  Values layer;
  for (int i = 0; i < 10; ++i) layer.push_back(b.add(x, b.constant(static_cast<float>(i))));
  for (int i = 0; i < large / 10; ++i) {
    auto here = b.on(i / 1000 % 2 == 0 ? "/job:worker/task:0" : "/job:ps/task:0");
    Values next;
    for (size_t j = 0; j < layer.size(); ++j)
      next.push_back(here.op("Maximum", {layer[j], layer[(j + 1) % layer.size()]}));
    layer = next;
  }
  auto built = ms();
  must(session->extend(b));
  must(session->run({{x, Tensor::scalar(1.0f)}}, {layer[0]}));
  report.push_back({"graph of 100,000 nodes on two tasks, built", built, "ms", ""});
  report.push_back({"the same, until its first step has ended", ms(), "ms", ""});
  auto alone = Samples::of(5000, [&] { must(session->run({}, {small})); });
  report.push_back({"null step beside 100,000 other nodes", alone.p50_us(), "us", alone.spread()});
}

void measure_threads(Report& report) {
  LocalCluster cluster({{"local", 1}});
  auto session = must(cluster.session("local"));
  Builder b;
  auto constant = b.constant(1.0f);
  must(session->extend(b));
  // In turns, so that what else the machine does slows all of them.
  constexpr int rounds = 10;
  std::map<int, std::vector<double>> rates;
  for (int i = 0; i < rounds; ++i)
    for (int threads : {1, 2, 4})
      rates[threads].push_back(step_rate(threads, [&] { must(session->run({}, {constant})); }));
  for (const auto& [threads, samples] : rates) {
    char note[32];
    std::snprintf(note, sizeof note, "%.2f of one thread", median(samples) / median(rates[1]));
    report.push_back(
        {"null steps of one session, " + std::to_string(threads) + " threads", median(samples),
         "steps/s", note});
  }
}

void measure_first_run(Report& report) {
  constexpr int count = 1000;
  LocalCluster cluster({{"local", 1}});
  Samples extended, first;
  for (int i = 0; i < 10; ++i) {
    Builder b;
    auto x = b.placeholder(DType::float32, {});
    Refs fetches;
    for (int fetch = 0; fetch < count; ++fetch) fetches.push_back(b.add(x, b.constant(1.0f)));
    auto session = must(cluster.session("local"));
    auto start = std::chrono::steady_clock::now();
    must(session->extend(b));
    auto sent = std::chrono::steady_clock::now();
    must(session->run({{x, Tensor::scalar(1.0f)}}, fetches));
    extended.add(sent - start);
    first.add(std::chrono::steady_clock::now() - sent);
  }
  for (auto [what, samples] :
       {std::pair("extend by 2,001 nodes", &extended),
        std::pair("first run, 1,000 fetches", &first)})
    report.push_back({what, samples->p50_us() / 1000, "ms", samples->spread() + " us"});
}

void measure_pictures(Report& report) {
  LocalCluster cluster({{"local", 1}});
  auto session =
      must(cluster.session("local", 0, {.fuses_elementwise = false, .optimizes = false}));
  auto ops = make_chain();
  must(session->extend(ops.b));
  RunOptions options{.trace = Trace::full, .output_partition_graphs = true};
  auto run = [&] {
    return must(session->trace({{ops.x, Tensor::scalar(1.0f)}}, {ops.end}, {}, options)).metadata;
  };
  auto traced = Samples::of(20, run);
  auto metadata = run();
  auto written = Samples::of(20, [&] { (void)to_chrome_trace(metadata); });
  auto drawn = Samples::of(20, [&] { (void)must(to_dot(metadata, {.boxes_max = node_count})); });
  for (auto [what, samples] :
       {std::pair("traced step of 10,000 nodes, with its graph", &traced),
        std::pair("to_chrome_trace of 10,000 nodes", &written),
        std::pair("to_dot of 10,000 nodes", &drawn)})
    report.push_back({what, samples->p50_us() / 1000, "ms", samples->spread() + " us"});
}

}  // namespace troupe::bench
