#include "troupe/devices/resources/dense_hash_table.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

Tensor int64s(std::initializer_list<int64_t> values) { return vec<int64_t>(values); }

/// A dense table from int64 to float32, whose keys 0 and -1 are reserved.
struct DenseFixture {
  Builder b;
  GraphRunner runner;
  Value table = handle({});

  Value handle(const Attrs& more, const char* deleted_name = nullptr) {
    Attrs attrs{{"shared_name", "t"}, {"value_dtype", DType::float32}, {"initial_num_buckets", 4}};
    for (const auto& [name, value] : more) attrs.insert_or_assign(name, value);
    auto empty = b.constant(Tensor::scalar<int64_t>(0));
    auto deleted = b.constant(Tensor::scalar<int64_t>(deleted_name ? 0 : -1));
    return b.op("MutableDenseHashTableV2", {empty, deleted}, attrs);
  }
  std::string run(const Values& fetches, const Values& targets = {}) {
    auto text =
        show(runner.run(b, {}, {fetches.begin(), fetches.end()}, {targets.begin(), targets.end()}));
    return text.substr(0, text.find(" [node"));
  }
  std::string insert(std::initializer_list<int64_t> keys, std::initializer_list<float> values) {
    return run(
        {},
        {b.op("LookupTableInsertV2", {table, b.constant(int64s(keys)), b.constant(vec(values))})});
  }
  std::string remove(std::initializer_list<int64_t> keys) {
    return run({}, {b.op("LookupTableRemoveV2", {table, b.constant(int64s(keys))})});
  }
  std::string find(std::initializer_list<int64_t> keys) {
    return run({b.op("LookupTableFindV2", {table, b.constant(int64s(keys)), b.constant(-1.0f)})});
  }
  std::string size() { return run({b.op("LookupTableSizeV2", {table})}); }
  std::string entries() {
    Attrs dtypes{{"Tkeys", DType::int64}, {"Tvalues", DType::float32}};
    auto all = b.op("LookupTableExportV2", {table}, dtypes);
    return run({all.output(0), all.output(1)});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(dense_table, DenseFixture)

BOOST_AUTO_TEST_CASE(keys_come_and_go) {
  BOOST_TEST(size() == "int64[] [0]");
  BOOST_TEST(insert({11, 12, 11}, {1, 2, 3}) == "");
  BOOST_TEST(find({11, 12, 13}) == "float32[3] [3 2 -1]");
  BOOST_TEST(remove({11, 99}) == "");
  BOOST_TEST(find({11, 12}) == "float32[2] [-1 2]");
  BOOST_TEST(size() == "int64[] [1]");
}

BOOST_AUTO_TEST_CASE(a_table_grows_and_loses_nothing) {
  std::vector<int64_t> many;
  for (int64_t i = 1; i <= 1000; ++i) many.push_back(i << 32);
  auto keys = b.constant(Tensor::of<int64_t>({1000}, std::span<const int64_t>(many)));
  auto values = b.op("Cast", {keys}, {{"DstT", DType::float32}});
  BOOST_TEST(run({}, {b.op("LookupTableInsertV2", {table, keys, values})}) == "");
  BOOST_TEST(size() == "int64[] [1000]");
  auto found = b.op("LookupTableFindV2", {table, keys, b.constant(-1.0f)});
  auto all_equal = b.op("All", {b.op("Equal", {found, values}), b.constant(vec<int32_t>({0}))});
  BOOST_TEST(run({all_equal}) == "bool[] [1]");
}

BOOST_AUTO_TEST_CASE(buckets_of_removed_keys_are_used_again) {
  for (int64_t i = 1; i <= 100; ++i) {
    BOOST_TEST(insert({i}, {1}) == "");
    BOOST_TEST(remove({i}) == "");
  }
  BOOST_TEST(size() == "int64[] [0]");
  BOOST_TEST(insert({5, 9, 13}, {1, 2, 3}) == "");  // in one bucket, or the next
  BOOST_TEST(remove({5}) == "");
  BOOST_TEST(insert({13}, {4}) == "");
  BOOST_TEST(find({5, 9, 13}) == "float32[3] [-1 2 4]");
  BOOST_TEST(size() == "int64[] [2]");
}

BOOST_AUTO_TEST_CASE(entries_are_those_of_the_buckets_and_can_be_imported) {
  insert({6}, {2});
  BOOST_TEST(entries() == "int64[4,1] [0 0 6 0]; float32[4,1] [0 0 2 0]");
  auto rows = b.constant(Tensor::of<int64_t>({3, 1}, {7, 0, -1}));
  auto values = b.constant(Tensor::of<float>({3, 1}, {1, 2, 3}));
  BOOST_TEST(run({}, {b.op("LookupTableImportV2", {table, rows, values})}) == "");
  BOOST_TEST(find({6, 7}) == "float32[2] [-1 1]");
  BOOST_TEST(size() == "int64[] [1]");
}

BOOST_AUTO_TEST_CASE(reserved_keys_are_refused) {
  auto error = [](const std::string& name) {
    return "InvalidArgument: Using the " + name + " as a table key is not allowed";
  };
  BOOST_TEST(insert({1, 0}, {1, 2}) == error("empty_key"));
  BOOST_TEST(size() == "int64[] [0]");
  BOOST_TEST(find({-1}) == error("deleted_key"));
  BOOST_TEST(remove({0}) == error("empty_key"));
}

BOOST_AUTO_TEST_CASE(keys_and_values_may_be_vectors) {
  auto empty = b.constant(int64s({0, 0})), deleted = b.constant(int64s({0, -1}));
  auto rows = b.op(
      "MutableDenseHashTableV2", {empty, deleted},
      {{"value_dtype", DType::string}, {"value_shape", Shape{2}}});
  auto keys = b.constant(Tensor::of<int64_t>({2, 2}, {0, 1, 1, 0}));
  std::vector<std::string> texts{"a", "b", "c", "d"}, none{"-", "-"};
  auto values = b.constant(Tensor::of<std::string>({2, 2}, std::span<const std::string>(texts)));
  auto fallback = b.constant(Tensor::of<std::string>({2}, std::span<const std::string>(none)));
  BOOST_TEST(run({}, {b.op("LookupTableInsertV2", {rows, keys, values})}) == "");
  auto asked = b.constant(Tensor::of<int64_t>({1, 3, 2}, {1, 0, 0, 2, 0, 1}));
  BOOST_TEST(
      run({b.op("LookupTableFindV2", {rows, asked, fallback})}) ==
      "string[1,3,2] [\"c\" \"d\" \"-\" \"-\" \"a\" \"b\"]");
  auto scalar = b.constant(int64s({1, 2, 3}));
  BOOST_TEST(
      run({b.op("LookupTableFindV2", {rows, scalar, fallback})}) ==
      "InvalidArgument: Input key shape [3] must end with the table's key shape [2]");
}

BOOST_AUTO_TEST_CASE(what_makes_no_table_is_refused) {
  auto error = [&](const Attrs& attrs, const char* deleted = nullptr) {
    table = handle(attrs, deleted);
    return size();
  };
  BOOST_TEST(
      error({{"initial_num_buckets", 12}}) ==
      "InvalidArgument: Number of buckets must be at least 4 and a power of 2, got: 12");
  BOOST_TEST(starts_with(
      error({{"max_load_factor", 1.0F}}),
      "InvalidArgument: max_load_factor must be between 0 and 1"));
  BOOST_TEST(
      starts_with(error({{"initial_num_buckets", int64_t{1} << 60}}), "ResourceExhausted: "));
  BOOST_TEST(starts_with(
      error({{"value_shape", Shape{2, 2}}}),
      "InvalidArgument: Empty value must be a scalar or a vector, got shape [2,2]"));
  BOOST_TEST(starts_with(
      error({{"value_dtype", DType::complex64}}), "Unimplemented: there are no dense hash tables"));
  BOOST_TEST(error({}, "same") == "InvalidArgument: Empty and deleted keys cannot be equal");
  auto empty = b.op("Neg", {b.constant(Tensor::scalar<int64_t>(3))});
  table = b.op(
      "MutableDenseHashTableV2", {empty, b.constant(Tensor::scalar<int64_t>(0))},
      {{"value_dtype", DType::float32}});
  BOOST_TEST(
      size() ==
      "InvalidArgument: the empty and deleted keys of a table must be constants, but 'Neg' is a "
      "Neg");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
