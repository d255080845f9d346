#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/resources/hash_table.hpp"
#include "troupe/devices/simulated/simulated_accelerator.hpp"
#include "troupe/tests/devices/cpu/launch_kernel.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(table)

Tensor texts(const std::vector<std::string>& values) {
  return Tensor::of<std::string>(
      {static_cast<int64_t>(values.size())}, std::span<const std::string>(values));
}

/// A table from int64 to string.
struct Fixture {
  Builder b;
  GraphRunner runner;
  Value table = handle(DType::int64, DType::string);

  Value handle(DType keys, DType values) {
    return b.op(
        "MutableHashTableV2", {},
        {{"shared_name", "t"}, {"key_dtype", keys}, {"value_dtype", values}});
  }
  Value keys(std::initializer_list<int64_t> values) { return b.constant(vec<int64_t>(values)); }
  Value find(Value wanted, const std::string& fallback = "none") {
    return b.op("LookupTableFindV2", {table, wanted, b.constant(Tensor::string(fallback))});
  }
  Value insert(Value at, const std::vector<std::string>& values) {
    return b.op("LookupTableInsertV2", {table, at, b.constant(texts(values))});
  }
  std::string run(const Values& fetches, const Values& targets = {}) {
    return show(
        runner.run(b, {}, {fetches.begin(), fetches.end()}, {targets.begin(), targets.end()}));
  }
  std::string size() { return run({b.op("LookupTableSizeV2", {table})}); }
};

BOOST_FIXTURE_TEST_CASE(keys_have_the_values_that_were_inserted_last, Fixture) {
  BOOST_TEST(size() == "int64[] [0]");
  BOOST_TEST(run({}, {insert(keys({1, 2, 1}), {"one", "two", "uno"})}) == "");
  BOOST_TEST(run({find(keys({2, 1, 3}))}) == "string[3] [\"two\" \"uno\" \"none\"]");
  BOOST_TEST(size() == "int64[] [2]");
  BOOST_TEST(run({}, {insert(keys({2}), {"due"})}) == "");
  BOOST_TEST(run({find(keys({2}))}) == "string[1] [\"due\"]");
}

BOOST_FIXTURE_TEST_CASE(keys_of_any_shape_give_values_of_that_shape, Fixture) {
  run({}, {insert(keys({1}), {"one"})});
  BOOST_TEST(
      run({find(b.constant(vec<int64_t>({1, 2}, {1, 7})))}) == "string[1,2] [\"one\" \"none\"]");
  BOOST_TEST(run({find(b.constant(Tensor::scalar<int64_t>(1)))}) == "string[] [\"one\"]");
}

BOOST_FIXTURE_TEST_CASE(removed_keys_are_gone_and_unknown_ones_are_ignored, Fixture) {
  run({}, {insert(keys({1, 2}), {"one", "two"})});
  BOOST_TEST(run({}, {b.op("LookupTableRemoveV2", {table, keys({1, 9})})}) == "");
  BOOST_TEST(run({find(keys({1, 2}))}) == "string[2] [\"none\" \"two\"]");
  BOOST_TEST(size() == "int64[] [1]");
}

BOOST_FIXTURE_TEST_CASE(an_import_replaces_what_an_export_gives, Fixture) {
  run({}, {insert(keys({5, 1}), {"five", "one"})});
  Attrs dtypes{{"Tkeys", DType::int64}, {"Tvalues", DType::string}};
  auto all = b.op("LookupTableExportV2", {table}, dtypes);
  BOOST_TEST(run({all.output(0), all.output(1)}) == "int64[2] [1 5]; string[2] [\"one\" \"five\"]");
  auto import = b.op("LookupTableImportV2", {table, keys({3}), b.constant(texts({"three"}))});
  BOOST_TEST(run({}, {import}) == "");
  BOOST_TEST(run({all.output(0), all.output(1)}) == "int64[1] [3]; string[1] [\"three\"]");
}

BOOST_FIXTURE_TEST_CASE(keys_are_texts_or_integers_and_values_one_of_six_dtypes, Fixture) {
  auto works = [](DType keys, DType values) { return make_hash_table(keys, values).ok(); };
  for (auto key : {DType::string, DType::int32, DType::int64})
    for (auto value :
         {DType::string, DType::float32, DType::float64, DType::int32, DType::int64,
          DType::boolean})
      BOOST_TEST(works(key, value));
  BOOST_TEST(!works(DType::float32, DType::int64));
  BOOST_TEST(!works(DType::int64, DType::complex64));
  table = handle(DType::float32, DType::int64);
  BOOST_TEST(starts_with(size(), "Unimplemented: there are no hash tables from float32 to int64"));
}

BOOST_FIXTURE_TEST_CASE(what_does_not_fit_the_table_is_refused, KernelFixture) {
  std::shared_ptr<Resource> table = *make_hash_table(DType::int64, DType::float32);
  BOOST_TEST(
      launch("LookupTableInsertV2", {table}, {vec<int64_t>({1}), vec({1, 2})}) ==
      "InvalidArgument: the values must have the shape of the keys, [1], not [2]");
  BOOST_TEST(
      launch("LookupTableInsertV2", {table}, {vec<int32_t>({1}), vec({1})}) ==
      "InvalidArgument: the table's keys are int64, not int32");
  BOOST_TEST(
      launch("LookupTableInsertV2", {table}, {vec<int64_t>({1}), vec<double>({1})}) ==
      "InvalidArgument: the table's values are float32, not float64");
  BOOST_TEST(
      launch("LookupTableSizeV2", {variable(vec({1}))}, {}) ==
      "InvalidArgument: 'w' is a variable, but a hash table is needed");
  BOOST_TEST(
      launch("ReadVariableOp", {table}, {}) ==
      "InvalidArgument: 'w' is a hash table, but a variable is needed");
}

BOOST_FIXTURE_TEST_CASE(a_dropped_table_aborts_whoever_uses_it, KernelFixture) {
  auto table = *make_hash_table(DType::int64, DType::float32);
  BOOST_TEST(launch("LookupTableInsertV2", {table}, {vec<int64_t>({1}), vec({1})}) == "Ok");
  table->drop();
  auto gone = "Aborted: hash table 'w' is gone: its container was reset";
  BOOST_TEST(launch("LookupTableInsertV2", {table}, {vec<int64_t>({1}), vec({1})}) == gone);
  BOOST_TEST(
      launch("LookupTableFindV2", {table}, {vec<int64_t>({1}), Tensor::scalar(1.0f)}) == gone);
  BOOST_TEST(launch("LookupTableSizeV2", {table}, {}) == gone);
  BOOST_TEST(table->size() == 0);
}

BOOST_AUTO_TEST_CASE(a_table_counts_its_bytes_and_entries) {
  auto table = *make_hash_table(DType::string, DType::string);
  auto bytes = [&] { return table->describe().bytes; };
  BOOST_TEST(bytes() == 0u);
  auto entry = 2 * sizeof(std::string);
  BOOST_TEST(table->insert(texts({"key", "k"}), texts({"value", ""})).ok());
  BOOST_TEST(bytes() == 2 * entry + 9);
  BOOST_TEST((table->describe().shape == Shape{2}));
  BOOST_TEST(table->insert(texts({"key"}), texts({"v"})).ok());
  BOOST_TEST(bytes() == 2 * entry + 5);
  BOOST_TEST(table->remove(texts({"key"})).ok());
  BOOST_TEST(bytes() == entry + 1);
  BOOST_TEST(table->assign(texts({}), texts({})).ok());
  BOOST_TEST(bytes() == 0u);
}

BOOST_FIXTURE_TEST_CASE(
    a_resource_of_another_kind_or_dtype_is_refused_with_both_declarations, Fixture) {
  auto kinds = make_resource_kind_catalog();
  auto table_kind = *kinds.find("MutableHashTableV2");
  const auto& handle = b.graph().node(table.output().node);
  auto check = [&](const Resource& resource) {
    return table_kind->check_declared(resource, {"", "t"}, handle).message();
  };
  BOOST_TEST(check(**make_hash_table(DType::int64, DType::string)) == "");
  BOOST_TEST(
      check(**make_hash_table(DType::int32, DType::string)) ==
      "hash table 't' of container '' is from int32 to string, but the graph declares it as from "
      "int64 to string; reset the container or choose another name");
  BOOST_TEST(starts_with(
      check(*variable(vec({1}))),
      "variable 't' of container '' is no hash table, as the graph declares it"));
}

BOOST_AUTO_TEST_CASE(a_table_of_a_device_with_its_own_memory_takes_keys_and_values_on_the_host) {
  Builder b;
  auto kernels = std::make_shared<const KernelCatalog>(cpu::make_kernel_catalog());
  auto accelerator = make_simulated_accelerator(
      {.kernels = kernels, .later = [](const std::function<void()>& work) { work(); }});
  GraphRunner runner(std::move(accelerator));
  auto table = b.op(
      "MutableHashTableV2", {},
      {{"shared_name", "t"}, {"key_dtype", DType::int64}, {"value_dtype", DType::float32}});
  auto keys = b.constant(vec<int64_t>({1, 2}));
  auto insert = b.op("LookupTableInsertV2", {table, keys, b.constant(vec({3, 4}))});
  auto find = b.op("LookupTableFindV2", {table, keys, b.constant(0.0f)});
  BOOST_TEST(show(runner.run(b, {}, {}, {insert})) == "");
  BOOST_TEST(show(runner.run(b, {}, {b.neg(find)})) == "float32[2] [-3 -4]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
