#include "troupe/tests/devices/simulated/accelerator_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

BOOST_FIXTURE_TEST_SUITE(simulated_accelerator, AcceleratorFixture)

BOOST_AUTO_TEST_CASE(a_plan_copies_feeds_to_the_device_and_fetches_to_the_host) {
  add_feed(DType::float32, {});
  add({.name = "twice", .op = "AddV2", .inputs = {"feed", "feed"}});
  add({.name = "more", .op = "Exp", .inputs = {"twice"}});
  add_retval("more");
  BOOST_TEST(run().ok());
  BOOST_TEST(port->fetched.value<float>() == std::exp(2.0f));
  BOOST_TEST(device->copies_in() == 1u);
  BOOST_TEST(device->copies_to_host() == 1u);
}

BOOST_AUTO_TEST_CASE(a_constant_is_copied_once_for_all_steps_and_an_axis_never) {
  add_const("value", Tensor::of<float>({2}, {1, 2}));
  add_const("axis", Tensor::scalar(int32_t{0}));
  add({.name = "sum", .op = "Sum", .inputs = {"value", "axis"}});
  add_retval("sum");
  auto plan = Plan::compile(graph, *device, {});
  BOOST_REQUIRE(plan.ok());
  for (int step = 0; step < 3; ++step) {
    Waiting<Status> ended;
    auto execution = start(*plan, port, ended.callback());
    run_until_idle();
    BOOST_TEST(ended.wait().ok());
    BOOST_TEST(port->fetched.value<float>() == 3.0f);
  }
  BOOST_TEST(device->copies_in() == 1u);
}

BOOST_AUTO_TEST_CASE(sizes_that_were_computed_on_the_device_are_copied_to_the_host) {
  add_feed(DType::float32, {2});
  add({.name = "sizes", .op = "Cast", .inputs = {"feed"}, .attrs = {{"DstT", DType::int32}}});
  add_const("one", Tensor::scalar(1.0f));
  add({.name = "ones", .op = "Fill", .inputs = {"sizes", "one"}});
  add_retval("ones");
  port->fed = Tensor::of<float>({2}, {2, 4});
  BOOST_TEST(run().ok());
  BOOST_TEST(port->fetched.shape().to_string() == "[2,4]");
  BOOST_TEST(device->copies_to_host() == 2u);
}

BOOST_AUTO_TEST_CASE(a_tensor_array_keeps_elements_in_the_memory_of_its_device) {
  add_feed(DType::float32, {2});
  add_const("size", Tensor::scalar(int32_t{2}));
  add_const("zero", Tensor::scalar(int32_t{0}));
  add_const("both", Tensor::of<int32_t>({2}, {1, 0}));
  Attrs floats{{"dtype", DType::float32}};
  add({.name = "array", .op = "TensorArrayV3", .inputs = {"size"}, .attrs = floats});
  add({.name = "rows", .op = "Pack", .inputs = {"feed", "feed"}, .attrs = {{"N", 2}}});
  add(
      {.name = "written",
       .op = "TensorArrayScatterV3",
       .inputs = {"array", "both", "rows", "array:1"}});
  add(
      {.name = "gradient",
       .op = "TensorArrayGradV3",
       .inputs = {"array", "written"},
       .attrs = {{"source", "gradients"}}});
  for (std::string name : {"first", "second"})
    add(
        {.name = name,
         .op = "TensorArrayWriteV3",
         .inputs = {"gradient", "zero", "feed", name == "first" ? "gradient:1" : "first"}});
  add(
      {.name = "gathered",
       .op = "TensorArrayGatherV3",
       .inputs = {"gradient", "both", "second"},
       .attrs = floats});
  add_retval("gathered");
  port->fed = Tensor::of<float>({2}, {1, 2});
  auto status = run();
  BOOST_TEST(status.ok(), status.to_string());
  BOOST_TEST(port->fetched.to_string() == "float32[2,2] [0 0 2 4]");
  BOOST_TEST(device->copies_in() == 1u);
  BOOST_TEST(device->copies_to_host() == 1u);
  port->fed = port->fetched = Tensor();
  BOOST_TEST(device->memory_in_use() == 0u);
}

BOOST_AUTO_TEST_CASE(memory_of_a_device_is_counted_and_freed_with_its_tensors) {
  auto made = Tensor::allocate(DType::float32, {1000}, device->allocator());
  BOOST_REQUIRE(made.ok());
  BOOST_TEST((made->memory() == MemoryKind::device));
  BOOST_TEST(device_of(*made) == device.get());
  BOOST_TEST(device->memory_in_use() >= 4000u);
  made = Tensor();
  BOOST_TEST(device->memory_in_use() == 0u);
}

BOOST_AUTO_TEST_CASE(a_read_before_the_work_that_writes_is_an_error_of_the_step) {
  auto never_written = Tensor::allocate(DType::float32, {}, device->allocator());
  BOOST_REQUIRE(never_written.ok());
  Result<Tensor> copy = cancelled("");
  device->copy_to_host(*never_written, [&copy](Result<Tensor> made) { copy = std::move(made); });
  later.run_all();
  BOOST_TEST((copy.status().code() == Code::internal));
  BOOST_TEST(copy.status().message().find("order was forgotten") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_error_of_the_stream_ends_the_step_that_put_the_work_there) {
  add_feed(DType::float32, {});
  add({.name = "root", .op = "Sqrt", .inputs = {"feed"}});
  device->fail_next_kernel(internal("the device has failed"));
  BOOST_TEST(run().message() == "the device has failed");
}

BOOST_AUTO_TEST_CASE(a_step_ends_only_when_the_stream_has_done_its_work) {
  add_feed(DType::float32, {});
  add({.name = "root", .op = "Sqrt", .inputs = {"feed"}});
  bool has_ended = false;
  auto plan = Plan::compile(graph, *device, {});
  BOOST_REQUIRE(plan.ok());
  auto execution = start(*plan, port, [&has_ended](const Status&) { has_ended = true; });
  BOOST_TEST(!has_ended);
  later.run_all();
  BOOST_TEST(has_ended);
}

BOOST_AUTO_TEST_CASE(a_tensor_goes_to_another_device_of_the_process_without_the_host) {
  Later later_of_other;
  auto other = make_simulated_accelerator(
      {.kernels = kernels, .later = later_of_other.post(), .type = "GPU", .index = 1});
  auto value = device->copy_in(Tensor::of<float>({2}, {1, 2}));
  BOOST_REQUIRE(value.ok());
  add_recv("from_peer", 1);
  add_retval("from_peer");
  auto execution = start_plan(*other);
  port->arrive(1, *value);
  // The receiving device is ready long before the sending one has written the value.
  for (int round = 0; round < 8; ++round) {
    later_of_other.run_all();
    run_until_idle();
  }
  BOOST_TEST(done.wait().ok());
  BOOST_TEST(equal(port->fetched, Tensor::of<float>({2}, {1, 2})));
  BOOST_TEST(device->copies_to_host() == 0u);
  BOOST_TEST(other->copies_in() == 1u);
}

BOOST_AUTO_TEST_CASE(a_host_device_that_receives_device_memory_gets_a_copy) {
  auto value = device->copy_in(Tensor::scalar(4.0f));
  auto cpu = make_cpu_device({.threads = 1});
  add_recv("from_peer", 1);
  add_retval("from_peer");
  auto execution = start_plan(*cpu);
  port->arrive(1, *value);
  run_until_idle();
  BOOST_TEST(done.wait().ok());
  BOOST_TEST((port->fetched.memory() == MemoryKind::host));
  BOOST_TEST(port->fetched.value<float>() == 4.0f);
}

BOOST_AUTO_TEST_CASE(a_send_inside_of_the_task_takes_device_memory_and_one_to_elsewhere_the_hosts) {
  auto here = std::string("/job:ps/task:0/device:GPU:0");
  add(
      {.name = "feed",
       .op = transfer::arg,
       .device = here,
       .attrs = {{"T", DType::float32}, {"index", 0}, {"shape", Shape()}}});
  add({.name = "value", .op = "Exp", .device = here, .inputs = {"feed"}});
  for (auto [edge, to] :
       {std::pair{1, "/job:ps/task:0/device:CPU:0"}, std::pair{2, "/job:ps/task:1/device:CPU:0"}})
    add(
        {.name = "send_" + std::to_string(edge),
         .op = transfer::send,
         .device = here,
         .inputs = {"value"},
         .attrs = {{"edge", edge}, {"to_device", to}}});
  BOOST_TEST(run().ok());
  BOOST_REQUIRE(port->sent.size() == 2u);
  for (const auto& [edge, value] : port->sent)
    BOOST_TEST((value.memory() == MemoryKind::device) == (edge == 1));
}

BOOST_AUTO_TEST_SUITE_END()
