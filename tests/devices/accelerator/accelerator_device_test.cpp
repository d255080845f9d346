#include "troupe/devices/accelerator/accelerator_device.hpp"

#include <random>

#include "troupe/devices/resources/session_tensors.hpp"
#include "troupe/tests/devices/accelerator/card_fixture.hpp"

using namespace troupe;
using namespace troupe::accelerator;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

constexpr int64_t large = 1 << 20;  // elements, of more bytes than go with the kernels

}  // namespace

BOOST_FIXTURE_TEST_SUITE(accelerator_device, CardFixture)

BOOST_AUTO_TEST_CASE(a_step_copies_feeds_to_the_card_and_fetches_to_the_host) {
  add_feed();
  add({.name = "less", .op = "Neg", .inputs = {"feed"}});
  add({.name = "root", .op = "Exp", .inputs = {"less"}});
  add_retval("root");
  BOOST_TEST(run().ok());
  BOOST_TEST(port->fetched.value<float>() == std::exp(-1.0F));
  BOOST_TEST((port->fetched.memory() == MemoryKind::pinned));
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(a_step_ends_when_the_card_has_done_its_work) {
  add_feed();
  add({.name = "root", .op = "Exp", .inputs = {"feed"}});
  bool has_ended = false;
  auto plan = Plan::compile(graph, *device, {});
  BOOST_TEST_REQUIRE(plan.ok());
  auto execution = start(*plan, port, [&has_ended](const Status&) { has_ended = true; });
  port->run_posted();
  BOOST_TEST(!has_ended);
  cards.run();
  BOOST_TEST(has_ended);
  BOOST_TEST((cards.now() >= 1ms));
}

BOOST_AUTO_TEST_CASE(copies_run_beside_the_kernels_of_the_step_before) {
  // Each takes 4 ms, and four kernels as long.
  auto next = on_card(counted(large), *device);
  cards.run();
  auto begin = cards.now();
  for (int step = 0; step < 10; ++step) {
    auto value = std::exchange(next, Tensor());
    for (int i = 0; i < 4; ++i) value = run_kernel(*device, "Neg", std::move(value));
    next = on_card(counted(large), *device);
    device->stream()->when_done([](const Status&) {});
  }
  cards.run();
  auto took = std::chrono::duration<double, std::milli>(cards.now() - begin).count();
  BOOST_TEST(took < 1.15 * (10 * 4.2 + 4.2));
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(a_long_copy_does_not_hold_back_what_other_steps_compute) {
  auto value = on_card(counted(1000), *device);
  cards.run();
  bool is_there = false, has_ended = false;
  BOOST_TEST(device->is_long_copy(counted(large)));
  device->copy_in_async(counted(large), [&](Result<Tensor> copy) { is_there = copy.ok(); });
  value = run_kernel(*device, "Neg", std::move(value));
  device->stream()->when_done([&](const Status&) {
    has_ended = true;
    BOOST_TEST(!is_there);
  });
  cards.run();
  BOOST_TEST(has_ended);
  BOOST_TEST(is_there);
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(a_host_tensor_may_be_gone_before_it_is_copied) {
  for (int64_t elements : {int64_t{3}, int64_t{50'000}, large}) {
    auto copy = on_card(counted(elements, 5), *device);
    auto back = fetch(*device, copy);
    BOOST_TEST_REQUIRE(back.ok());
    BOOST_TEST(equal(*back, counted(elements, 5)));
  }
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(large_tensors_of_any_host_memory_pass_through_little_pinned_memory) {
  constexpr int64_t elements = 10 * large + 7;  // 40 MiB
  auto copy = on_card(counted(elements, 5), *device);
  BOOST_TEST(card->pinned_bytes() <= 8 * MiB);
  auto back = fetch(*device, copy);
  BOOST_TEST_REQUIRE(back.ok());
  BOOST_TEST(equal(*back, counted(elements, 5)));
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(a_fetch_of_more_than_is_pinned_passes_through_little_pinned_memory) {
  constexpr int64_t elements = 66 * large + 7;  // 264 MiB
  auto roomy = make(card, 0, 400 * MiB);
  auto copy = on_card(counted(elements, 5), *roomy);
  auto back = fetch(*roomy, copy);
  BOOST_TEST_REQUIRE(back.ok(), back.status().to_string());
  BOOST_TEST((back->memory() == MemoryKind::host));
  BOOST_TEST(card->pinned_bytes() <= 8 * MiB);
  BOOST_TEST(equal(*back, counted(elements, 5)));
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(a_tensor_goes_to_another_card_without_the_host) {
  auto other_card = cards.add_card();
  auto other = make(other_card, 1);
  auto pinned_before = card->pinned_allocations() + other_card->pinned_allocations();
  auto there = on_card(counted(large), *device);
  auto staged = card->pinned_allocations();
  auto less = run_kernel(*device, "Neg", std::move(there));
  auto here = on_card(less, *other);
  less = Tensor();
  // The memory that it lay in is written anew before it was read there.
  auto again = run_kernel(*device, "Exp", on_card(counted(large), *device));
  BOOST_TEST((device_of(here) == other.get()));
  BOOST_TEST(other_card->pinned_allocations() == 0u);
  BOOST_TEST(staged == pinned_before + 1);
  auto more = run_kernel(*other, "Neg", std::move(here));
  auto back = fetch(*other, more);
  BOOST_TEST_REQUIRE(back.ok());
  BOOST_TEST(equal(*back, counted(large)));
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(what_passes_tensors_on_or_computes_sizes_needs_no_kernel_of_the_card) {
  add_feed({2, 3});
  add_const("sizes", Tensor::of<int32_t>({1}, {-1}));
  add({.name = "less", .op = "Neg", .inputs = {"feed"}});
  add({.name = "flat", .op = "Reshape", .inputs = {"less", "sizes"}});
  add({.name = "same", .op = "Identity", .inputs = {"flat"}});
  add({.name = "shape", .op = "Shape", .inputs = {"same"}});
  add_retval("shape");
  port->fed = counted(6).reshaped({2, 3});
  BOOST_TEST(run().ok());
  BOOST_TEST(port->fetched.to_string() == "int32[1] [6]");
  BOOST_TEST((port->fetched.memory() == MemoryKind::host));
}

BOOST_AUTO_TEST_CASE(a_dtype_without_a_kernel_of_the_card_is_computed_on_the_host) {
  add_feed({4});
  add({.name = "less", .op = "Neg", .inputs = {"feed"}});
  add({.name = "square", .op = "Square", .inputs = {"less"}});
  add({.name = "negated", .op = "Neg", .inputs = {"square"}});
  add_retval("negated");
  port->fed = counted(4, 1);
  auto status = run();
  BOOST_TEST_REQUIRE(status.ok(), status.to_string());
  BOOST_TEST(port->fetched.to_string() == "float32[4] [-1 -4 -9 -16]");
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(a_range_is_computed_on_the_host_and_used_on_the_card) {
  int i = 0;
  for (auto* name : {"begin", "end", "by"}) add_const(name, Tensor::scalar(float(++i)));
  add({.name = "numbers", .op = "Range", .inputs = {"begin", "end", "by"}});
  add_const("two", Tensor::scalar(2.0F));
  add({.name = "range", .op = "Range", .inputs = {"begin", "by", "two"}});
  add({.name = "less", .op = "Neg", .inputs = {"range"}});
  add_retval("less");
  auto status = run();
  BOOST_TEST(status.ok(), status.to_string());
  BOOST_TEST(port->fetched.to_string() == "float32[1] [-1]");
}

BOOST_AUTO_TEST_CASE(a_variable_keeps_its_value_in_the_memory_of_the_card) {
  add_feed({2});
  add(
      {.name = "variable",
       .op = "TemporaryVariable",
       .attrs = {{"dtype", DType::float32}, {"shape", Shape({2})}, {"var_name", "v"}}});
  add({.name = "less", .op = "Neg", .inputs = {"feed"}});
  add({.name = "assigned", .op = "Assign", .inputs = {"variable", "less"}});
  add(
      {.name = "value",
       .op = "DestroyTemporaryVariable",
       .inputs = {"assigned"},
       .attrs = {{"var_name", "v"}}});
  add({.name = "more", .op = "Neg", .inputs = {"value"}});
  add_retval("more");
  port->fed = Tensor::of<float>({2}, {1, 2});
  auto status = run();
  BOOST_TEST(status.ok(), status.to_string());
  BOOST_TEST(port->fetched.to_string() == "float32[2] [1 2]");
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(a_session_keeps_tensors_in_the_memory_of_the_card) {
  SessionTensors kept("/device:CARD:0");
  add_feed({2});
  add({.name = "less", .op = "Neg", .inputs = {"feed"}});
  add({.name = "handle", .op = "GetSessionHandle", .inputs = {"less"}});
  add(
      {.name = "value",
       .op = "GetSessionTensor",
       .inputs = {"handle"},
       .attrs = {{"dtype", DType::float32}}});
  add({.name = "more", .op = "Neg", .inputs = {"value"}});
  add({.name = "gone", .op = "DeleteSessionTensor", .inputs = {"handle", "^more"}});
  add_retval("more");
  port->fed = Tensor::of<float>({2}, {1, 2});
  BOOST_TEST(run().message() == "tensors can only be kept by the steps of a session");
  done = {};
  port->kept = &kept;
  auto status = run();
  BOOST_TEST(status.ok(), status.to_string());
  BOOST_TEST(port->fetched.to_string() == "float32[2] [1 2]");
  BOOST_TEST(!kept.find("handle;0;/device:CARD:0").ok());
  auto handle = kept.add("n", Tensor::scalar(1.0F));
  BOOST_TEST(handle == "n;1;/device:CARD:0");
  BOOST_TEST(kept.find(handle).ok());
  BOOST_TEST(cards.fault() == "");
}

BOOST_AUTO_TEST_CASE(an_error_of_the_card_ends_the_step_and_marks_the_device_alone) {
  add_feed();
  add({.name = "root", .op = "Sqrt", .inputs = {"feed"}});
  add_retval("root");
  BOOST_TEST(run().message() == "an illegal address");
  done = {};
  auto status = run();
  BOOST_TEST((status.code() == Code::unavailable));
  BOOST_TEST(
      status.message() ==
      "GPU:0 (virtual card) has failed, and works again only in a new process: restart this task. "
      "It was: an illegal address");
  auto other = make(cards.add_card(), 1);
  BOOST_TEST(fetch(*other, on_card(counted(10), *other)).ok());
}

BOOST_AUTO_TEST_CASE(a_kernel_that_cannot_be_started_ends_its_step_alone) {
  add_feed();
  add({.name = "root", .op = "Exp", .inputs = {"feed"}});
  add_retval("root");
  card->fail_next_launch(internal("too many threads"));
  BOOST_TEST(run().message() == "too many threads");
  done = {};
  BOOST_TEST(run().ok());
}

BOOST_AUTO_TEST_CASE(a_lack_of_memory_names_the_op_the_size_and_who_has_the_memory) {
  add_feed({20 * large});
  add({.name = "root", .op = "Exp", .inputs = {"feed"}});
  add({.name = "less", .op = "Neg", .inputs = {"feed"}});
  add_retval("root");
  port->fed = counted(20 * large);
  auto status = run();
  BOOST_TEST((status.code() == Code::resource_exhausted));
  auto text = status.to_string();
  for (auto* part :
       {"no memory for a tensor of 83886080 bytes (float32[20971520])", "GPU:0",
        "80 MiB of 128 MiB are in use: 80 MiB by copies (1 tensor)"})
    BOOST_TEST(text.find(part) != std::string::npos, text);
  BOOST_TEST((text.find("(Exp)") != std::string::npos || text.find("(Neg)") != std::string::npos));
}

BOOST_AUTO_TEST_CASE(all_memory_is_given_back_when_nobody_uses_it) {
  { auto value = fetch(*device, run_kernel(*device, "Neg", on_card(counted(large), *device))); }
  cards.run();
  BOOST_TEST(device->allocator().use().bytes_in_use == 0u);
  device->trim();
  run_until_idle();
  BOOST_TEST(card->allocated_bytes() == 0u);
  BOOST_TEST(card->pinned_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(a_tensor_may_outlive_its_device) {
  auto value = on_card(counted(large), *device);
  cards.run();
  device.reset();
  BOOST_TEST(card->allocated_bytes() > 0u);
  value = Tensor();
  BOOST_TEST(card->allocated_bytes() == 0u);
}

/// Values that come and go at random between the host and two cards, each of which is what it has
/// to be when it is fetched.
BOOST_AUTO_TEST_CASE(every_access_to_memory_is_ordered_whatever_a_program_does) {
  auto other = make(cards.add_card(), 1);
  AcceleratorDevice* devices[] = {device.get(), other.get()};
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    struct Value {
      int on;
      Tensor tensor;
      Tensor expected;
    };
    std::vector<Value> values;
    for (int step = 0; step < 120; ++step) {
      auto choice = random() % 8;
      if (values.empty() || choice < 2) {
        auto elements = random() % 2 ? int64_t{7} : int64_t(40'000 + 1'000 * (random() % 10));
        auto expected = counted(elements, static_cast<float>(step));
        auto on = static_cast<int>(random() % 2);
        values.push_back({on, on_card(expected, *devices[on]), expected});
        continue;
      }
      auto& value = values[random() % values.size()];
      auto& at = *devices[value.on];
      if (choice < 4) {
        value.tensor = run_kernel(at, "Neg", std::move(value.tensor));
        auto less = Tensor::allocate(DType::float32, value.expected.shape());
        for (int64_t i = 0; i < less->elements(); ++i)
          less->mutable_data<float>()[i] = -value.expected.data<float>()[i];
        value.expected = *less;
      } else if (choice == 4) {
        value.tensor = on_card(value.tensor, *devices[1 - value.on]);
        value.on = 1 - value.on;
      } else if (choice == 5) {
        at.copy_to_host(value.tensor, [expected = value.expected](Result<Tensor> copy) {
          BOOST_TEST((copy.ok() && equal(*copy, expected)));
        });
      } else if (choice == 6) {
        std::swap(value, values.back());
        values.pop_back();
      } else {
        at.stream()->when_done([](const Status&) {});
        if (random() % 3 == 0) cards.run();
      }
    }
    cards.run();
    BOOST_TEST_REQUIRE(cards.fault() == "", "seed " << seed << ": " << cards.fault());
  }
}

BOOST_AUTO_TEST_SUITE_END()
