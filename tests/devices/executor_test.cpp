#include "troupe/devices/executor.hpp"

#include <boost/test/unit_test.hpp>
#include <thread>

#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/tests/devices/run_graph.hpp"
#include "troupe/tests/devices/test_port.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A device whose kernels throw.
class ThrowingDevice final : public Device {
 public:
  explicit ThrowingDevice(Device& real) : real_(real) {
    kernels_.add_compute("NoOp", [](Launch&) -> Status { throw std::runtime_error("boom"); });
    kernels_.add_compute("Placeholder", [](Launch&) -> Status { throw std::bad_alloc(); });
  }
  const DeviceAttributes& attributes() const override { return real_.attributes(); }
  const KernelCatalog& kernels() const override { return kernels_; }
  Allocator& allocator() override { return real_.allocator(); }
  void enqueue(std::function<void()> work) override { real_.enqueue(std::move(work)); }

 private:
  Device& real_;
  KernelCatalog kernels_;
};

struct ExecutorFixture {
  std::unique_ptr<Device> device = make_cpu_device({.threads = 2});
  std::shared_ptr<Graph> graph = std::make_shared<Graph>(op_catalog());
  std::shared_ptr<TestPort> port = std::make_shared<TestPort>();
  Waiting<Status> done;

  void add(NodeDef def) {
    auto id = graph->add(std::move(def));
    BOOST_TEST_REQUIRE(id.ok(), id.status().to_string());
  }
  void add_recv(const std::string& name, int64_t edge) {
    add(
        {.name = name,
         .op = transfer::recv,
         .attrs = {{"tensor_type", DType::float32}, {"edge", edge}, {"from_device", "there"}}});
  }
  std::shared_ptr<Execution> start_plan() {
    auto plan = Plan::compile(graph, *device, {});
    BOOST_TEST_REQUIRE(plan.ok(), plan.status().to_string());
    return start(*plan, port, done.callback());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(executor, ExecutorFixture)

BOOST_AUTO_TEST_CASE(a_node_that_waits_holds_up_only_what_needs_it) {
  add_recv("late", 1);
  add(
      {.name = "now",
       .op = "Const",
       .attrs = {{"value", Tensor::scalar(2.0f)}, {"dtype", DType::float32}}});
  add({.name = "free", .op = "Neg", .inputs = {"now"}});
  add(
      {.name = "out",
       .op = transfer::send,
       .inputs = {"free"},
       .attrs = {{"edge", 5}, {"to_device", "there"}}});
  add({.name = "held", .op = "Neg", .inputs = {"late"}});
  add({.name = "end", .op = transfer::retval, .inputs = {"held"}, .attrs = {{"index", 0}}});
  auto execution = start_plan();
  BOOST_REQUIRE(port->sent.size() == 1u);
  BOOST_TEST(port->sent[0].second.value<float>() == -2.0f);
  BOOST_TEST(!port->fetched.is_set());
  port->arrive(1, Tensor::scalar(3.0f));
  BOOST_TEST(done.wait().ok());
  BOOST_TEST(port->fetched.value<float>() == -3.0f);
}

BOOST_AUTO_TEST_CASE(a_cancelled_step_ends_with_the_reason_though_nodes_wait) {
  add_recv("never", 1);
  add({.name = "held", .op = "Neg", .inputs = {"never"}});
  auto execution = start_plan();
  execution->cancel(deadline_exceeded("time is over"));
  auto status = done.wait();
  BOOST_TEST((status.code() == Code::deadline_exceeded));
  BOOST_TEST(status.message() == "time is over");
}

BOOST_AUTO_TEST_CASE(the_first_error_ends_nodes_that_wait_and_names_its_node) {
  add_recv("never", 1);
  add_recv("soon", 2);
  add(
      {.name = "other",
       .op = "Const",
       .attrs = {{"value", Tensor::of<float>({2}, {1, 2})}, {"dtype", DType::float32}}});
  add({.name = "sum", .op = "AddV2", .inputs = {"soon", "other"}});
  add({.name = "held", .op = "Neg", .inputs = {"never"}});
  auto execution = start_plan();
  port->arrive(2, Tensor::of<float>({3}, {1, 2, 3}));
  auto status = done.wait();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.where().node == "sum");
  BOOST_TEST(port->waiting.empty());
}

BOOST_AUTO_TEST_CASE(what_arrives_with_another_dtype_is_refused) {
  add_recv("wrong", 1);
  auto execution = start_plan();
  port->arrive(1, Tensor::scalar(1));
  BOOST_TEST((done.wait().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(the_resources_of_a_graph_are_told_before_it_is_compiled) {
  add({.name = "v", .op = "VarHandleOp", .attrs = {{"dtype", DType::float32}}});
  auto uses = resources_of(graph, device->resource_kinds());
  BOOST_REQUIRE(uses.ok());
  BOOST_REQUIRE(uses->size() == 1u);
  BOOST_TEST((*uses)[0].name.name == "v");
}

BOOST_AUTO_TEST_CASE(chains_longer_than_the_callers_budget_are_finished_by_the_device) {
  Builder b;
  auto x = b.placeholder(DType::float32, {});
  auto y = x;
  for (int i = 0; i < 20001; ++i) y = b.neg(y);
  auto values = run_graph(b, {{x, Tensor::scalar(4.0f)}}, {y});
  BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
  BOOST_TEST((*values)[0].value<float>() == -4.0f);
}

BOOST_AUTO_TEST_CASE(a_large_range_is_computed_by_the_device_and_a_small_one_by_the_caller) {
  for (auto [limit, by_caller] : {std::pair(10, true), {1'000'000, false}}) {
    graph = std::make_shared<Graph>(op_catalog());
    for (auto [name, value] : {std::pair("start", 0), {"limit", limit}, {"delta", 1}})
      add(
          {.name = name,
           .op = "Const",
           .attrs = {{"value", Tensor::scalar(value)}, {"dtype", DType::int32}}});
    add({.name = "range", .op = "Range", .inputs = {"start", "limit", "delta"}});
    auto plan = Plan::compile(graph, *device, {});
    BOOST_TEST_REQUIRE(plan.ok(), plan.status().to_string());
    Waiting<std::thread::id> ended;
    auto execution = start(*plan, port, [tell = ended.callback()](const Status&) {
      tell(std::this_thread::get_id());
    });
    BOOST_TEST((ended.wait() == std::this_thread::get_id()) == by_caller);
  }
}

BOOST_AUTO_TEST_CASE(dear_nodes_run_as_tasks_and_their_results_meet) {
  Builder b;
  auto x = b.placeholder(DType::float32, {300, 300});
  Values products;
  for (int i = 0; i < 8; ++i) products.push_back(b.matmul(x, x));
  auto sum = b.reduce_sum(b.add_n(products));
  auto ones = *Tensor::allocate(DType::float32, {300, 300});
  std::fill_n(ones.mutable_data<float>(), 300 * 300, 1.0f);
  for (int round = 0; round < 20; ++round) {
    auto values = run_graph(b, {{x, ones}}, {sum});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    BOOST_TEST((*values)[0].value<float>() == 8.0f * 300 * 300 * 300);
  }
}

BOOST_AUTO_TEST_CASE(memory_is_reused_only_where_nobody_else_looks) {
  Builder b;
  auto x = b.placeholder(DType::float32, {3});
  auto y = b.neg(x);
  auto z = b.neg(y);  // y is fetched too, so z may not write over it
  auto c = b.constant(Tensor::of<float>({3}, {1, 2, 3}));
  auto d = b.neg(c);  // nor over a constant
  auto fed = Tensor::of<float>({3}, {1, 2, 3});
  GraphRunner runner;
  for (int round = 0; round < 2; ++round) {
    auto values = runner.run(b, {{x, fed}}, {y, z, d, c});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    BOOST_TEST(equal((*values)[0], Tensor::of<float>({3}, {-1, -2, -3})));
    BOOST_TEST(equal((*values)[1], fed));
    BOOST_TEST(equal((*values)[2], Tensor::of<float>({3}, {-1, -2, -3})));
    BOOST_TEST(equal((*values)[3], fed));
  }
  BOOST_TEST(equal(fed, Tensor::of<float>({3}, {1, 2, 3})));
}

BOOST_AUTO_TEST_CASE(an_allocation_over_the_limit_names_all_and_leaves_the_memory_free) {
  GraphRunner runner(make_cpu_device({.threads = 1, .memory_limit = 1 << 20}));
  Builder b;
  auto small = b.zeros(DType::float32, {10});
  auto large =
      b.named("large").fill(b.constant(Tensor::of<int32_t>({1}, {1 << 20})), b.constant(1.0f));
  auto refused = runner.run(b, {}, {large});
  BOOST_REQUIRE(!refused.ok());
  BOOST_TEST((refused.status().code() == Code::resource_exhausted));
  BOOST_TEST(
      refused.status().message() ==
      "no memory for a tensor of 4194304 bytes (float32[1048576]): 0 bytes are in use, the limit "
      "is "
      "1048576");
  BOOST_TEST(refused.status().where().node == "large");
  BOOST_TEST(refused.status().where().op == "Fill");
  BOOST_TEST(runner.run(b, {}, {small}).ok());
}

BOOST_AUTO_TEST_CASE(a_step_that_runs_out_of_memory_gives_back_what_it_had) {
  auto device = make_cpu_device({.threads = 1, .memory_limit = 1 << 20});
  auto& memory = device->allocator();
  GraphRunner runner(std::move(device));
  Builder b;
  auto ones = [&b](const Value& like, int32_t count) {
    auto zero = b.cast(b.mul(b.reduce_sum(like), b.constant(0.0f)), DType::int32);
    auto size = b.add(zero, b.constant(count));
    return b.fill(b.reshape(size, b.constant(Tensor::of<int32_t>({1}, {1}))), b.constant(1.0f));
  };
  auto first = ones(b.constant(1.0f), 200'000);  // 800 kB
  auto second = ones(first, 200'000);
  auto both = b.add(b.reduce_sum(first), b.reduce_sum(second));
  auto refused = runner.run(b, {}, {both});
  BOOST_TEST((refused.status().code() == Code::resource_exhausted), refused.status().to_string());
  BOOST_TEST(refused.status().message().find("800000 bytes") != std::string::npos);
  BOOST_TEST(memory.use().bytes_in_use == 0u);
  BOOST_TEST(runner.run(b, {}, {b.reduce_sum(first)}).ok());
}

BOOST_AUTO_TEST_CASE(what_a_kernel_throws_is_the_error_of_its_node) {
  ThrowingDevice throwing(*device);
  auto fails = [&](NodeDef def, Code code) {
    auto one_node = std::make_shared<Graph>(op_catalog());
    BOOST_REQUIRE(one_node->add(std::move(def)).ok());
    auto plan = Plan::compile(one_node, throwing, {});
    BOOST_TEST_REQUIRE(plan.ok(), plan.status().to_string());
    Waiting<Status> ended;
    auto execution = start(*plan, port, ended.callback());
    auto status = ended.wait();
    BOOST_TEST((status.code() == code), status.to_string());
    BOOST_TEST(status.where().node == "n");
  };
  fails({.name = "n", .op = "NoOp"}, Code::internal);
  fails(
      {.name = "n", .op = "Placeholder", .attrs = {{"dtype", DType::float32}}},
      Code::resource_exhausted);
}

BOOST_AUTO_TEST_SUITE_END()
