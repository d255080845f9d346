#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/plan_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A CPU whose "NoOp" waits until the test says so, as a dequeue does.
class WaitingDevice final : public Device {
 public:
  WaitingDevice() {
    Kernel kernel{
        .start =
            [this](Launch& launch, Kernel::Done done) {
              if (ends_at_once) return end_at_once(launch, std::move(done));
              waiting.push_back(std::move(done));
              launch.on_cancel([this] { cancelled.push_back(waiting.size()); });
            },
        .awaits = "an element of queue 'q'"};
    kernels_.add("NoOp", [kernel](const Node&) -> Result<Kernel> { return kernel; });
    add_transfers();
  }
  const DeviceAttributes& attributes() const override { return cpu_->attributes(); }
  const KernelCatalog& kernels() const override { return kernels_; }
  Allocator& allocator() override { return cpu_->allocator(); }
  void enqueue(std::function<void()> work) override { cpu_->enqueue(std::move(work)); }

  std::vector<Kernel::Done> waiting;
  std::vector<size_t> cancelled;
  bool ends_at_once = false;
  std::weak_ptr<Kernel::Done> ended;

 private:
  void end_at_once(Launch& launch, Kernel::Done done);
  void add_transfers();

  std::unique_ptr<Device> cpu_ = make_cpu_device({.threads = 1});
  KernelCatalog kernels_;
};

/// As where another thread is done before the kernel has said its hook, which holds who waits.
void WaitingDevice::end_at_once(Launch& launch, Kernel::Done done) {
  auto held = std::make_shared<Kernel::Done>(std::move(done));
  ended = held;
  (*held)({});
  launch.on_cancel([held] {});
}

void WaitingDevice::add_transfers() {
  for (auto op : {transfer::send, "Const"})
    kernels_.add(op, [this](const Node& node) { return cpu_->kernels().make(node); });
}

struct WaitingKernelsFixture : PlanFixture {
  WaitingDevice device;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(waiting_kernels, WaitingKernelsFixture)

BOOST_AUTO_TEST_CASE(a_kernel_that_waits_tells_what_for_until_it_is_done) {
  add({.name = "dequeue", .op = "NoOp"});
  auto execution = start_plan(device);
  BOOST_REQUIRE(execution->waits().size() == 1u);
  BOOST_TEST(graph->node(execution->waits()[0].node).name == "dequeue");
  BOOST_TEST(execution->waits()[0].what == "an element of queue 'q'");
  device.waiting[0]({});
  BOOST_TEST(execution->waits().empty());
  port->run_posted();
  BOOST_TEST(done.wait().ok());
}

BOOST_AUTO_TEST_CASE(a_cancelled_step_calls_the_hook_of_each_kernel_that_waits_once) {
  add({.name = "a", .op = "NoOp"});
  add({.name = "b", .op = "NoOp"});
  auto execution = start_plan(device);
  execution->cancel(cancelled("not wanted any more"));
  execution->cancel(cancelled("again"));
  BOOST_TEST(device.cancelled.size() == 2u);
  for (auto& end : device.waiting) end(cancelled("the wait was given up"));
  port->run_posted();
  BOOST_TEST(done.wait().message() == "not wanted any more");
}

BOOST_AUTO_TEST_CASE(a_kernel_that_is_done_is_not_cancelled) {
  add({.name = "a", .op = "NoOp"});
  add({.name = "b", .op = "NoOp"});
  auto execution = start_plan(device);
  device.waiting[0]({});
  execution->cancel(cancelled("over"));
  BOOST_TEST(device.cancelled.size() == 1u);
  device.waiting[1](cancelled("given up"));
  port->run_posted();
  BOOST_TEST(!done.wait().ok());
}

BOOST_AUTO_TEST_CASE(the_hook_of_a_kernel_that_is_done_does_not_keep_the_step) {
  device.ends_at_once = true;
  add({.name = "a", .op = "NoOp"});
  auto execution = start_plan(device);
  port->run_posted();
  BOOST_TEST(done.wait().ok());
  execution.reset();
  BOOST_TEST(device.ended.expired());
}

BOOST_AUTO_TEST_CASE(what_follows_a_kernel_that_waited_never_runs_on_the_stack_of_who_woke_it) {
  add({.name = "dequeue", .op = "NoOp"});
  add_const("value", Tensor::scalar(1.0f));
  add(
      {.name = "after",
       .op = "Const",
       .inputs = {"^dequeue"},
       .attrs = {{"value", Tensor::scalar(1.0f)}, {"dtype", DType::float32}}});
  add_send("after", 1);
  auto execution = start_plan(device);
  device.waiting[0]({});
  BOOST_TEST(port->sent.empty());
  port->run_posted();
  BOOST_TEST(port->sent.size() == 1u);
  BOOST_TEST(done.wait().ok());
}

BOOST_AUTO_TEST_CASE(a_receive_whose_value_is_there_needs_no_wait) {
  auto cpu = make_cpu_device({.threads = 1});
  port->early[3] = Tensor::scalar(2.0f);
  add_recv("now", 3);
  add_retval("now");
  auto execution = start_plan(*cpu);
  BOOST_TEST(port->posted.empty());
  BOOST_TEST(port->waiting.empty());
  BOOST_TEST(done.wait().ok());
  BOOST_TEST(port->fetched.value<float>() == 2.0f);
}

BOOST_AUTO_TEST_SUITE_END()
