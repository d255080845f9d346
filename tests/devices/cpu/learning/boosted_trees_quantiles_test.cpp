#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

const Tensor ten = vec({3, 1, 2, 2, 5, 4, 9, 8, 7, 6});

/// Streams of one feature.
struct StreamFixture {
  Builder b;
  GraphRunner runner;
  Value streams =
      b.op("BoostedTreesQuantileStreamResourceHandleOp", {}, {{"shared_name", "quantiles"}});

  std::string run(const Value& node) {
    std::vector<Ref> fetches;
    if (b.status().ok())
      for (size_t i = 0; i < b.graph().node(node.output().node).output_dtypes.size(); ++i)
        fetches.push_back(node.output(static_cast<int>(i)));
    auto text = show(runner.run(b, {}, fetches, {node}));
    return text.substr(0, text.find(" [node"));
  }
  std::string create(float epsilon = 0.1f, int64_t count = 1) {
    return run(b.op(
        "BoostedTreesCreateQuantileStreamResource",
        {streams, b.constant(epsilon), b.constant(Tensor::scalar<int64_t>(count))}));
  }
  Value summary() {
    return b.op(
        "BoostedTreesMakeQuantileSummaries",
        {b.constant(ten), b.constant(vec({1})), b.constant(0.3f)});
  }
  std::string add() {
    return run(b.op("BoostedTreesQuantileStreamResourceAddSummaries", {streams, summary()}));
  }
  std::string flush(int64_t buckets, bool are_quantiles = false) {
    return run(b.op(
        "BoostedTreesQuantileStreamResourceFlush",
        {streams, b.constant(Tensor::scalar<int64_t>(buckets))},
        {{"generate_quantiles", are_quantiles}}));
  }
  std::string boundaries(int count = 1) {
    return run(b.op(
        "BoostedTreesQuantileStreamResourceGetBucketBoundaries", {streams},
        {{"num_features", count}}));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(boosted_trees_quantiles, StreamFixture)

BOOST_AUTO_TEST_CASE(summaries_are_those_of_tensorflow) {
  BOOST_TEST(run(summary()) == "float32[5,4] [1 1 0 1 3 1 3 4 5 1 5 6 7 1 7 8 9 1 9 10]");
}

BOOST_AUTO_TEST_CASE(boundaries_are_made_of_what_was_added) {
  auto is_initialized = b.op("IsBoostedTreesQuantileStreamResourceInitialized", {streams});
  BOOST_TEST(run(is_initialized) == "bool[] [0]");
  BOOST_TEST(boundaries().starts_with("NotFound: "));
  BOOST_TEST(create() == "");
  BOOST_TEST(run(is_initialized) == "bool[] [1]");
  BOOST_TEST(boundaries() == "float32[0] []");
  add();
  BOOST_TEST(flush(3) == "");
  BOOST_TEST(boundaries() == "float32[3] [1 5 9]");
  add();
  BOOST_TEST(flush(4, true) == "");
  BOOST_TEST(boundaries() == "float32[4] [1 3 7 9]");
  BOOST_TEST(flush(3) == "");
  BOOST_TEST(boundaries() == "float32[0] []");
}

BOOST_AUTO_TEST_CASE(summaries_are_taken_out) {
  create();
  add();
  auto flushed = b.op("BoostedTreesFlushQuantileSummaries", {streams}, {{"num_features", 1}});
  BOOST_TEST(run(flushed) == "float32[5,4] [1 1 0 1 3 1 3 4 5 1 5 6 7 1 7 8 9 1 9 10]");
  BOOST_TEST(run(flushed) == "float32[0,4] []");
}

BOOST_AUTO_TEST_CASE(boundaries_can_be_restored) {
  create();
  auto restore =
      b.op("BoostedTreesQuantileStreamResourceDeserialize", {streams, b.constant(vec({1, 2, 4}))});
  BOOST_TEST(run(restore) == "");
  BOOST_TEST(boundaries() == "float32[3] [1 2 4]");
}

BOOST_AUTO_TEST_CASE(values_are_in_the_bucket_of_the_first_boundary_that_is_not_less) {
  auto value = vec({-1, 1, 1.5f, 2, 9});
  BOOST_TEST(
      show("BoostedTreesBucketize", {value, value, vec({1, 2}), vec({})}) ==
      "int32[5] [0 0 1 1 1]; int32[5] [0 0 0 0 0]");
  BOOST_TEST(
      show("BoostedTreesBucketize", {value, vec({1}), vec({1, 2}), vec({})}) ==
      "InvalidArgument: all features must have as many values");
}

BOOST_AUTO_TEST_CASE(what_no_stream_can_have_is_an_error) {
  for (auto epsilon : {0.0f, 1.0f, -1.0f, static_cast<float>(nan)})
    BOOST_TEST(create(epsilon).starts_with("InvalidArgument: epsilon must lie between 0 and 1"));
  BOOST_TEST(create(0.1f, -1).starts_with("InvalidArgument: Num_streams"));
  BOOST_TEST(create(0.1f, int64_t{1} << 40).starts_with("ResourceExhausted: "));
  create();
  BOOST_TEST(boundaries(2) == "InvalidArgument: there are 1 streams, not 2");
  BOOST_TEST(flush(4, true) == "InvalidArgument: there are 0 quantiles, not 4");
  BOOST_TEST(
      show("BoostedTreesMakeQuantileSummaries", {ten, vec({1, 2}), Tensor::scalar(0.1f)}) ==
      "InvalidArgument: Weights should be a single value or same size as features.");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
