#include <boost/test/unit_test.hpp>
#include <cstring>
#include <iostream>

#include "troupe/graph/build/builder.hpp"
#include "troupe/tests/cuda/cards.hpp"
#include "troupe/tests/devices/cpu/array/captured_text.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/run_graph.hpp"

using namespace troupe;
using namespace troupe::testing;
using accelerator::AcceleratorDevice;

namespace {

Tensor counted(int64_t elements) {
  auto made = Tensor::allocate(DType::float32, {elements});
  BOOST_TEST_REQUIRE(made.ok());
  for (int64_t i = 0; i < elements; ++i)
    made->mutable_data<float>()[i] = static_cast<float>(i % 65'536);
  return *made;
}

Result<Tensor> fetch(AcceleratorDevice& device, const Tensor& value) {
  Waiting<Result<Tensor>> fetched;
  device.copy_to_host(value, fetched.callback());
  return fetched.wait();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(device_of_a_card)

BOOST_AUTO_TEST_CASE(a_card_says_what_it_is) {
  auto device = make_gpu();
  BOOST_TEST(device->attributes().type == "GPU");
  BOOST_TEST(!device->attributes().description.empty());
  BOOST_TEST(device->driver().facts().memory_bytes > 0u);
  BOOST_TEST(device->driver().facts().capability >= 70);
}

BOOST_AUTO_TEST_CASE(tensors_of_all_sizes_come_back_as_they_went) {
  auto device = make_gpu();
  for (int64_t elements : {0, 1, 1'000, 16'384, 16'385, 100'000, 30'000'000}) {
    auto value = counted(elements);
    auto copy = device->copy_in(value);
    BOOST_TEST_REQUIRE(copy.ok(), copy.status().to_string());
    BOOST_TEST((copy->memory() == MemoryKind::device));
    auto back = fetch(*device, *copy);
    BOOST_TEST_REQUIRE(back.ok(), back.status().to_string());
    BOOST_TEST(equal(*back, value), elements << " elements");
  }
  device->finish();
  BOOST_TEST(device->allocator().use().bytes_in_use == 0u);
}

BOOST_AUTO_TEST_CASE(memory_that_is_used_again_at_once_keeps_what_belongs_to_each) {
  auto device = make_gpu({.memory = {.limit_bytes = uint64_t{64} << 20}});
  auto value_of = [](size_t i) {
    return counted(static_cast<int64_t>(i % 2 ? 100 + i : 500'000 + i));
  };
  // No more at once than the memory has room for, however slow the card is.
  constexpr size_t at_once = 40;
  std::vector<Waiting<Result<Tensor>>> fetched(200);
  auto check = [&](size_t i) {
    auto back = fetched[i].wait();
    BOOST_TEST_REQUIRE(back.ok(), back.status().to_string());
    BOOST_TEST(equal(*back, value_of(i)));
  };
  for (size_t i = 0; i < fetched.size(); ++i) {
    if (i >= at_once) check(i - at_once);
    auto copy = device->copy_in(value_of(i));
    BOOST_TEST_REQUIRE(copy.ok(), copy.status().to_string());
    device->copy_to_host(*copy, fetched[i].callback());
  }
  for (size_t i = fetched.size() - at_once; i < fetched.size(); ++i) check(i);
}

BOOST_AUTO_TEST_CASE(two_devices_share_a_card_by_their_limits) {
  constexpr uint64_t half = uint64_t{128} << 20;
  auto first = make_gpu({.memory = {.limit_bytes = half}}),
       second = make_gpu({.memory = {.limit_bytes = half}});
  std::vector<Tensor> values;
  for (auto* device : {first.get(), second.get()}) {
    auto most = Tensor::allocate(DType::uint8, {int64_t{120} << 20}, device->allocator());
    BOOST_TEST_REQUIRE(most.ok());
    values.push_back(*most);
    auto more = Tensor::allocate(DType::uint8, {int64_t{20} << 20}, device->allocator());
    BOOST_TEST((more.status().code() == Code::resource_exhausted));
  }
  auto there = first->copy_in(Tensor::scalar(7.0F));
  BOOST_TEST_REQUIRE(there.ok());
  auto here = second->copy_in(*there);
  BOOST_TEST_REQUIRE(here.ok());
  auto back = fetch(*second, *here);
  BOOST_TEST_REQUIRE(back.ok(), back.status().to_string());
  BOOST_TEST(back->value<float>() == 7.0F);
}

BOOST_AUTO_TEST_CASE(a_step_of_ops_without_kernels_of_the_card_runs) {
  GraphRunner runner(make_gpu());
  Builder b;
  auto x = b.placeholder(DType::float32);
  auto flat = b.op("Reshape", {x, b.constant(Tensor::of<int32_t>({1}, {-1}))});
  auto size = b.op("Size", {flat}, {{"out_type", DType::int32}});
  auto got = runner.run(b, {{x, counted(6).reshaped({2, 3})}}, {flat, size});
  BOOST_TEST_REQUIRE(got.ok(), got.status().to_string());
  BOOST_TEST((*got)[0].to_string() == "float32[6] [0 1 2 3 4 5]");
  BOOST_TEST((*got)[1].to_string() == "int32[] [6]");
}

BOOST_AUTO_TEST_CASE(a_print_reads_its_data_from_a_card_and_gives_on_what_lies_there) {
  Builder b;
  auto x = b.op("Neg", {b.constant(Tensor::of<float>({2}, {1, 2}))});
  auto texts = b.constant(Tensor::string("a"));
  auto print = b.op("Print", {x, x, texts}, {{"message", "x: "}});
  CapturedText captured(std::cerr);
  auto result = GraphRunner(make_gpu()).run(b, {}, {b.op("Neg", {print})});
  BOOST_TEST(show(result) == "float32[2] [1 2]");
  BOOST_TEST(captured.text() == "x: [-1 -2][a]\n");
}

BOOST_AUTO_TEST_SUITE_END()
