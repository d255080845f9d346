#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/graph/op_signature.hpp"
#include "troupe/tests/devices/cpu/data_flow/resource_steps.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

const DTypes pair_dtypes = {DType::float32, DType::string};

Attrs map_of(DTypes dtypes, int64_t capacity = 0, int64_t memory_limit = 0) {
  return {{"dtypes", std::move(dtypes)}, {"capacity", capacity}, {"memory_limit", memory_limit}};
}

Tensor key_of(int64_t key) { return Tensor::scalar(key); }

Tensors with_inputs(Tensors first, const Tensors& others) {
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

/// A map of pairs, in one of the two forms of its ops.
struct StagedPairs {
  std::string prefix;
  ResourceSteps run;

  explicit StagedPairs(std::string prefix_ = "", int64_t capacity = 0, int64_t memory_limit = 0)
      : prefix(std::move(prefix_)), run("", map_of(pair_dtypes, capacity, memory_limit)) {}

  ResourceSteps::Step start_put(
      int64_t key, std::initializer_list<int32_t> indices, const Tensors& values) {
    return run.start(
        prefix + "MapStage", with_inputs({key_of(key), vec<int32_t>(indices)}, values));
  }
  std::string put(int64_t key, float number, const std::string& text) {
    return start_put(key, {0, 1}, {Tensor::scalar(number), Tensor::string(text)}).end();
  }
  ResourceSteps::Step start_take(
      int64_t key, std::initializer_list<int32_t> indices = {0, 1},
      const DTypes& dtypes = pair_dtypes, const char* op = "MapUnstage") {
    return run.start(prefix + op, {key_of(key), vec<int32_t>(indices)}, {{"dtypes", dtypes}});
  }
  std::string take_any() { return run(prefix + "MapUnstageNoKey", {vec<int32_t>({0, 1})}); }
  std::string size() { return run(prefix + "MapSize"); }
  std::string incomplete_size() { return run(prefix + "MapIncompleteSize"); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(map_staging_ops)

BOOST_AUTO_TEST_CASE(tuples_are_taken_by_key_or_the_one_with_the_lowest) {
  for (const std::string prefix : {"", "Ordered"}) {
    StagedPairs pairs(prefix);
    for (int key : {7, 3, 5}) BOOST_TEST(pairs.put(key, static_cast<float>(key), "v") == "ok");
    BOOST_TEST(pairs.size() == "int32[] [3]");
    BOOST_TEST(pairs.start_take(5).end() == "float32[] [5]; string[] [\"v\"]");
    BOOST_TEST(pairs.take_any() == "int64[] [3]; float32[] [3]; string[] [\"v\"]");
    BOOST_TEST(pairs.take_any() == "int64[] [7]; float32[] [7]; string[] [\"v\"]");
    BOOST_TEST(pairs.size() == "int32[] [0]");
  }
}

BOOST_AUTO_TEST_CASE(ops_of_ordered_maps_are_those_of_maps_by_other_names) {
  auto catalog = op_catalog();
  auto kernels = cpu::make_kernel_catalog();
  for (const std::string name :
       {"OrderedMapStage", "OrderedMapPeek", "OrderedMapUnstage", "OrderedMapUnstageNoKey",
        "OrderedMapSize", "OrderedMapIncompleteSize", "OrderedMapClear"}) {
    auto ordered = catalog->find(name), other = catalog->find(name.substr(7));
    BOOST_REQUIRE((ordered.ok() && other.ok()));
    BOOST_TEST(signature(**ordered).substr(7) == signature(**other));
    BOOST_TEST(kernels.contains(name));
  }
  StagedPairs pairs("Ordered");
  pairs.put(1, 1, "a");
  BOOST_TEST(pairs.run("MapSize") == "int32[] [1]");
}

BOOST_AUTO_TEST_CASE(a_tuple_may_come_and_go_in_parts) {
  StagedPairs pairs;
  auto take = pairs.start_take(1, {1}, {DType::string});
  BOOST_TEST(pairs.start_put(1, {1}, {Tensor::string("b")}).end() == "ok");
  BOOST_TEST(take.end() == "waits");
  BOOST_TEST(pairs.incomplete_size() == "int32[] [1]");
  BOOST_TEST(pairs.start_put(1, {0}, {Tensor::scalar(2.0f)}).end() == "ok");
  BOOST_TEST(take.end() == "string[] [\"b\"]");
  BOOST_TEST(pairs.incomplete_size() == "int32[] [0]");
  BOOST_TEST(pairs.size() == "int32[] [1]");
  BOOST_TEST(
      pairs.start_take(1, {1}, {DType::string}, "MapPeek").end() ==
      "InvalidArgument: Tensor at index '1' for key '1' has already been removed.");
  BOOST_TEST(pairs.start_take(1, {0}, {DType::float32}, "MapPeek").end() == "float32[] [2]");
  BOOST_TEST(pairs.start_take(1, {0}, {DType::float32}).end() == "float32[] [2]");
  BOOST_TEST(pairs.size() == "int32[] [0]");
}

BOOST_AUTO_TEST_CASE(who_takes_waits_for_its_key_and_who_puts_for_room) {
  StagedPairs pairs("", /*capacity=*/1);
  auto third = pairs.start_take(3);
  BOOST_TEST(third.awaits() == "a key of a staging area");
  pairs.put(1, 1, "a");
  auto put = pairs.start_put(3, {0, 1}, {Tensor::scalar(3.0f), Tensor::string("c")});
  BOOST_TEST(put.awaits() == "room in a staging area");
  BOOST_TEST(third.end() == "waits");
  BOOST_TEST(pairs.start_take(1).end() == "float32[] [1]; string[] [\"a\"]");
  BOOST_TEST(put.end() == "ok");
  BOOST_TEST(third.end() == "float32[] [3]; string[] [\"c\"]");
}

BOOST_AUTO_TEST_CASE(the_bytes_of_texts_count_within_the_memory_limit) {
  StagedPairs pairs("", 0, /*memory_limit=*/100);
  BOOST_TEST(starts_with(
      pairs.put(1, 1, std::string(100, 'x')),
      "ResourceExhausted: Attempted to insert tensors with combined size of"));
  BOOST_TEST(pairs.put(1, 1, std::string(20, 'x')) == "ok");
  auto second = pairs.start_put(2, {0, 1}, {Tensor::scalar(2.0f), Tensor::string("y")});
  auto third =
      pairs.start_put(3, {0, 1}, {Tensor::scalar(3.0f), Tensor::string(std::string(20, 'z'))});
  BOOST_TEST(third.end() == "waits");
  BOOST_TEST(pairs.run("MapClear") == "ok");
  for (const auto& step : {second, third}) BOOST_TEST(step.end() == "ok");
}

BOOST_AUTO_TEST_CASE(waits_end_when_their_step_or_the_container_does) {
  StagedPairs pairs("Ordered");
  auto take = pairs.start_take(1), peek = pairs.start_take(1, {0, 1}, pair_dtypes, "MapPeek");
  BOOST_TEST(take.cancel() == "Cancelled: not wanted any more");
  pairs.run.resource().drop();
  const auto* gone = "Aborted: staging map 'r' is gone: its container was reset";
  BOOST_TEST(peek.end() == gone);
  BOOST_TEST(pairs.put(1, 1, "a") == gone);
  BOOST_TEST(pairs.take_any() == gone);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused) {
  StagedPairs pairs;
  auto number = Tensor::scalar(1.0f), text = Tensor::string("a");
  auto refused = [](const ResourceSteps::Step& step) {
    auto ended = step.end();
    BOOST_TEST(starts_with(ended, "InvalidArgument: "));
    return ended.substr(std::string("InvalidArgument: ").size());
  };
  BOOST_TEST(
      refused(pairs.start_put(1, {1, 0}, {text, number})) == "Indices are not strictly ordered");
  BOOST_TEST(refused(pairs.start_put(1, {}, {})) == "Indices are empty");
  BOOST_TEST(
      refused(pairs.start_put(1, {2}, {number})) == "Index '2' for key '1' was out of bounds '2'.");
  BOOST_TEST(
      refused(pairs.start_put(1, {0}, {number, text})) == "there are 1 indices for 2 values");
  BOOST_TEST(refused(pairs.start_put(1, {0}, {text})) == "component 0 must be float32, not string");
  BOOST_TEST(pairs.start_put(1, {0}, {number}).end() == "ok");
  BOOST_TEST(
      refused(pairs.start_put(1, {0}, {number})) ==
      "The tensor for index '0' for key '1' was already initialized '2'.");
  pairs.put(2, 1, "a");
  BOOST_TEST(
      refused(pairs.start_take(2, {0}, {DType::string})) ==
      "component 0 was staged as float32, not string");
  BOOST_TEST(
      refused(pairs.start_take(2, {0, 1}, {DType::float32})) ==
      "output/indices size mismatch: 1 vs. 2");
  auto two_keys = pairs.run(
      "MapUnstage", {vec<int64_t>({1, 2}), vec<int32_t>({0, 1})}, {{"dtypes", pair_dtypes}});
  BOOST_TEST(
      two_keys == "InvalidArgument: key must be an int64 scalar, got tensor with shape: [2]");
  BOOST_TEST(pairs.start_take(2).end() == "float32[] [1]; string[] [\"a\"]");
}

BOOST_AUTO_TEST_SUITE_END()
