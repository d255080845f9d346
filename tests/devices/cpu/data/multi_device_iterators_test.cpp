#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"

namespace troupe::testing {
namespace {

struct MultiDeviceFixture : DatasetFixture {
  Value handle, begun;
  std::vector<Ref> shards[2];

  static Attrs declared(const std::string& name, std::vector<std::string> devices) {
    auto attrs = elements();
    attrs.insert({{"devices", std::move(devices)}, {"shared_name", name}, {"container", ""}});
    return attrs;
  }
  void make(const Value& dataset, int64_t buffer_size = 8) {
    handle = b.op("MultiDeviceIterator", {}, declared("several", {"/cpu:0", "/gpu:0"}));
    begun = b.op("MultiDeviceIteratorInit", {dataset, handle, number(buffer_size)});
    for (int32_t i : {0, 1}) shards[i] = {shard(i, 1)};
  }
  Value shard(int32_t index, int64_t beginning) const {
    auto at = b.constant(Tensor::scalar(index));
    return b.op("MultiDeviceIteratorGetNextFromShard", {handle, at, number(beginning)}, elements());
  }
  std::string start() { return show(runner.run(b, {}, {begun})); }
  std::string next(int index) { return show(runner.run(b, {}, shards[index])); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(multi_device_iterators, MultiDeviceFixture)

BOOST_AUTO_TEST_CASE(each_device_has_every_other_element) {
  make(range(5));
  BOOST_TEST(start() == "int64[] [1]");
  BOOST_TEST(next(1) == "int64[] [1]");
  BOOST_TEST(next(1) == "int64[] [3]");
  BOOST_TEST(next(1) == "OutOfRange: End of sequence");
  for (const auto* element : {"int64[] [0]", "int64[] [2]", "int64[] [4]"})
    BOOST_TEST(next(0) == element);
  BOOST_TEST(next(0) == "OutOfRange: End of sequence");
}

BOOST_AUTO_TEST_CASE(devices_that_take_turns_need_no_buffer) {
  make(range(1000), /*buffer_size=*/1);
  start();
  for (int64_t i = 0; i < 1000; ++i)
    BOOST_TEST_REQUIRE(next(static_cast<int>(i % 2)) == "int64[] [" + std::to_string(i) + "]");
}

BOOST_AUTO_TEST_CASE(an_error_goes_to_the_device_of_its_element) {
  auto quotient = function("quotient", [](const Builder& f, const Values& in) {
    return Values{f.op("FloorDiv", {in[0], in[0] - f.constant<int64_t>(1)})};
  });
  make(mapped("MapDataset", {range(4)}, quotient));
  start();
  BOOST_TEST(next(0) == "int64[] [0]");
  BOOST_TEST(next(0) == "int64[] [2]");
  BOOST_TEST(next(1) == "InvalidArgument: integer division by zero");
  BOOST_TEST(next(1) == "int64[] [1]");
}

BOOST_AUTO_TEST_CASE(who_asks_for_elements_of_an_earlier_beginning_hears_so) {
  make(range(4));
  BOOST_TEST(next(0) == "InvalidArgument: Invalid incarnation id. Provided: 1; Expected: 0");
  start();
  BOOST_TEST(next(0) == "int64[] [0]");
  BOOST_TEST(start() == "int64[] [2]");
  BOOST_TEST(next(0) == "InvalidArgument: Invalid incarnation id. Provided: 1; Expected: 2");
  shards[0] = {shard(0, 2)};
  BOOST_TEST(next(0) == "int64[] [0]");
}

BOOST_AUTO_TEST_CASE(a_device_must_be_one_of_them) {
  make(range(4));
  start();
  for (int32_t index : {-1, 2}) {
    shards[0] = {shard(index, 1)};
    BOOST_TEST(
        next(0) == "InvalidArgument: shard_num is " + std::to_string(index) +
                       ", but the iterator is for 2 devices");
  }
}

BOOST_AUTO_TEST_CASE(the_iterators_need_room_for_an_element) {
  make(range(4), /*buffer_size=*/0);
  BOOST_TEST(start() == "InvalidArgument: max_buffer_size must be greater than zero");
}

BOOST_AUTO_TEST_CASE(the_elements_must_be_those_that_the_iterators_declare) {
  make(slices(Tensor::of<float>({2}, {1, 2}), Shape()));
  BOOST_TEST(start().starts_with("InvalidArgument: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
