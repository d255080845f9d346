#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/state/table_file.hpp"
#include "troupe/devices/resources/hash_table.hpp"
#include "troupe/devices/simulated/simulated_accelerator.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/tests/devices/cpu/launch_kernel.hpp"
#include "troupe/tests/temporary_folder.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(table)

using cpu::TableColumns;

Tensor texts(const std::vector<std::string>& values) {
  return Tensor::of<std::string>(
      {static_cast<int64_t>(values.size())}, std::span<const std::string>(values));
}

/// A table from int64 to string.
struct Fixture {
  Builder b;
  GraphRunner runner;
  Value table = handle(DType::int64, DType::string);

  Value handle(
      DType keys, DType values, const char* op = "MutableHashTableV2", const Attrs& more = {}) {
    Attrs attrs{{"shared_name", "t"}, {"key_dtype", keys}, {"value_dtype", values}};
    attrs.insert(more.begin(), more.end());
    return b.op(op, {}, attrs);
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

/// A table that is filled once, from int64 to string.
struct StaticFixture : Fixture {
  StaticFixture() { table = handle(DType::int64, DType::string, "HashTableV2"); }

  std::string fill(std::initializer_list<int64_t> at, const std::vector<std::string>& values) {
    return run({}, {b.op("InitializeTableV2", {table, keys(at), b.constant(texts(values))})});
  }
  /// Without the place of the error.
  static std::string words(const std::string& error) {
    return error.substr(0, error.find(" [node"));
  }
};

BOOST_FIXTURE_TEST_CASE(a_static_table_is_used_once_it_is_filled, StaticFixture) {
  auto uninitialized = "FailedPrecondition: Table not initialized.";
  BOOST_TEST(words(run({find(keys({1}))})) == uninitialized);
  BOOST_TEST(size() == "int64[] [0]");
  BOOST_TEST(fill({2, 1}, {"two", "one"}) == "");
  BOOST_TEST(run({find(keys({1, 2, 3}))}) == "string[3] [\"one\" \"two\" \"none\"]");
  BOOST_TEST(size() == "int64[] [2]");
}

BOOST_FIXTURE_TEST_CASE(a_static_table_may_be_filled_again_with_as_many_entries, StaticFixture) {
  BOOST_TEST(fill({1, 2}, {"one", "two"}) == "");
  BOOST_TEST(fill({1, 2}, {"one", "two"}) == "");
  BOOST_TEST(
      words(fill({1, 2, 3}, {"one", "two", "three"})) ==
      "FailedPrecondition: Table was already initialized with different data.");
  BOOST_TEST(size() == "int64[] [2]");
}

BOOST_FIXTURE_TEST_CASE(a_key_of_a_static_table_has_one_value, StaticFixture) {
  BOOST_TEST(
      words(fill({1, 2, 1}, {"one", "two", "uno"})) ==
      "FailedPrecondition: HashTable has different value for same key. Key 1 has one and trying to "
      "add value uno");
  BOOST_TEST(size() == "int64[] [0]");
  BOOST_TEST(words(fill({}, {})) == "InvalidArgument: keys and values cannot be empty tensors.");
  BOOST_TEST(fill({1, 2, 1}, {"one", "two", "one"}) == "");
  BOOST_TEST(size() == "int64[] [2]");
}

BOOST_FIXTURE_TEST_CASE(a_static_table_does_not_change, StaticFixture) {
  fill({1}, {"one"});
  BOOST_TEST(
      words(run({}, {insert(keys({2}), {"two"})})) ==
      "Unimplemented: Insert not supported by InitializableLookupTable implementations");
  BOOST_TEST(
      words(run({}, {b.op("LookupTableRemoveV2", {table, keys({1})})})) ==
      "Unimplemented: Remove not supported by InitializableLookupTable implementations");
  table = handle(DType::int64, DType::string, "HashTableV2", {{"container", "c"}});
  Attrs dtypes{{"Tkeys", DType::int64}, {"Tvalues", DType::string}};
  auto all = b.op("LookupTableExportV2", {table}, dtypes);
  BOOST_TEST(words(run({all.output(0)})) == "Aborted: HashTable is not initialized.");
  auto import = b.op("LookupTableImportV2", {table, keys({3}), b.constant(texts({"three"}))});
  BOOST_TEST(run({}, {import}) == "");
  BOOST_TEST(run({all.output(0), all.output(1)}) == "int64[1] [3]; string[1] [\"three\"]");
}

BOOST_FIXTURE_TEST_CASE(a_table_that_changes_cannot_be_filled_once, Fixture) {
  auto fill = b.op("InitializeTableV2", {table, keys({1}), b.constant(texts({"one"}))});
  BOOST_TEST(starts_with(run({}, {fill}), "InvalidArgument: the table is not initializable"));
}

BOOST_FIXTURE_TEST_CASE(references_name_the_same_tables_as_handles, Fixture) {
  auto reference = handle(DType::int64, DType::string, "MutableHashTable");
  run({}, {b.op("LookupTableInsert", {reference, keys({1}), b.constant(texts({"one"}))})});
  BOOST_TEST(run({find(keys({1}))}) == "string[1] [\"one\"]");
  auto found = b.op("LookupTableFind", {reference, keys({1}), b.constant(Tensor::string("none"))});
  BOOST_TEST(run({found}) == "string[1] [\"one\"]");
  BOOST_TEST(run({b.op("LookupTableSize", {reference})}) == "int64[] [1]");
  run({}, {b.op("LookupTableImport", {reference, keys({7}), b.constant(texts({"seven"}))})});
  Attrs dtypes{{"Tkeys", DType::int64}, {"Tvalues", DType::string}};
  auto all = b.op("LookupTableExport", {reference}, dtypes);
  BOOST_TEST(run({all.output(0), all.output(1)}) == "int64[1] [7]; string[1] [\"seven\"]");
  auto filled = handle(DType::int64, DType::string, "HashTable", {{"container", "c"}});
  auto fill = b.op("InitializeTable", {filled, keys({1}), b.constant(texts({"one"}))});
  BOOST_TEST(run({}, {fill}) == "");
  BOOST_TEST(run({b.op("LookupTableSize", {filled})}) == "int64[] [1]");
}

BOOST_FIXTURE_TEST_CASE(values_may_be_vectors, Fixture) {
  for (std::string form : {"", "V2"}) {
    Attrs more{{"value_shape", Shape{2}}, {"container", "c" + form}};
    table =
        handle(DType::int64, DType::float32, ("MutableHashTableOfTensors" + form).c_str(), more);
    auto two_rows = b.constant(Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
    BOOST_TEST(run({}, {b.op("LookupTableInsert" + form, {table, keys({5, 1}), two_rows})}) == "");
    auto found = b.op(
        "LookupTableFind" + form,
        {table, b.constant(vec<int64_t>({1, 3}, {1, 5, 9})), b.constant(vec({-1, -2}))});
    BOOST_TEST(run({found}) == "float32[1,3,2] [3 4 1 2 -1 -2]");
    Attrs dtypes{{"Tkeys", DType::int64}, {"Tvalues", DType::float32}};
    auto all = b.op("LookupTableExport" + form, {table}, dtypes);
    BOOST_TEST(run({all.output(0), all.output(1)}) == "int64[2] [1 5]; float32[2,2] [3 4 1 2]");
  }
}

BOOST_FIXTURE_TEST_CASE(a_table_of_tensors_has_vectors, Fixture) {
  for (const auto& shape : {Shape(), Shape{1, 2}, Shape::unknown_rank()}) {
    Attrs more{{"value_shape", shape}, {"container", "c"}};
    table = handle(DType::int64, DType::string, "MutableHashTableOfTensorsV2", more);
    BOOST_TEST(starts_with(
        size(), "InvalidArgument: Default value must be a vector, got shape " + shape.to_string()));
  }
  Attrs open{{"value_shape", Shape{Shape::unknown}}};
  table = handle(DType::int64, DType::string, "MutableHashTableOfTensorsV2", open);
  BOOST_TEST(starts_with(size(), "InvalidArgument: no table has values of shape [?]"));
}

/// A table that is filled from a file.
struct FileFixture : StaticFixture {
  TemporaryFolder folder;
  std::string file = folder / "words.txt";

  void write(const std::string& text) const { BOOST_TEST(write_file(file, text).ok()); }
  std::string fill_from_file(
      int64_t key_index, int64_t value_index, const Attrs& more = {},
      const char* op = "InitializeTableFromTextFileV2") {
    Attrs attrs{{"key_index", key_index}, {"value_index", value_index}};
    attrs.insert(more.begin(), more.end());
    return words(run({}, {b.op(op, {table, b.constant(Tensor::string(file))}, attrs)}));
  }
  Value new_table(DType keys, DType values) {
    return handle(
        keys, values, "HashTableV2",
        {{"container", std::string("c") + to_string(keys) + to_string(values)}});
  }
};

BOOST_FIXTURE_TEST_CASE(a_table_is_filled_from_the_columns_of_a_file, FileFixture) {
  write("brain,1\nsalad,2\nsurgery,3\n");
  BOOST_TEST(fill_from_file(1, 0, {{"delimiter", ","}}) == "");
  BOOST_TEST(run({find(keys({3, 1, 4}))}) == "string[3] [\"surgery\" \"brain\" \"none\"]");
  BOOST_TEST(size() == "int64[] [3]");
  // It is not filled again, whatever there is now.
  write("brain,1\n");
  BOOST_TEST(fill_from_file(1, 0, {{"delimiter", ","}}) == "");
  BOOST_TEST(size() == "int64[] [3]");
}

BOOST_FIXTURE_TEST_CASE(lines_and_their_numbers_are_columns_too, FileFixture) {
  write("a b\nc d");
  BOOST_TEST(fill_from_file(TableColumns::line_number, TableColumns::whole_line) == "");
  BOOST_TEST(run({find(keys({0, 1}))}) == "string[2] [\"a b\" \"c d\"]");
  table = new_table(DType::string, DType::int64);
  BOOST_TEST(fill_from_file(TableColumns::whole_line, TableColumns::line_number) == "");
  auto found = b.op(
      "LookupTableFindV2",
      {table, b.constant(texts({"c d", "a b"})), b.constant(Tensor::scalar<int64_t>(-1))});
  BOOST_TEST(run({found}) == "int64[2] [1 0]");
  table = handle(DType::int64, DType::string, "HashTable", {{"container", "reference"}});
  auto by_reference = fill_from_file(
      TableColumns::line_number, TableColumns::whole_line, {}, "InitializeTableFromTextFile");
  BOOST_TEST(by_reference == "");
  BOOST_TEST(run({b.op("LookupTableSize", {table})}) == "int64[] [2]");
}

BOOST_FIXTURE_TEST_CASE(a_file_has_as_many_lines_as_the_vocabulary, FileFixture) {
  write("a\nb\nc\n");
  auto fill = [&](int64_t size) {
    return fill_from_file(
        TableColumns::line_number, TableColumns::whole_line, {{"vocab_size", size}});
  };
  BOOST_TEST(
      fill(4) == "InvalidArgument: Invalid vocab_size in " + file + ": expected 4 but got 3");
  BOOST_TEST(fill(2) == "");
  BOOST_TEST(size() == "int64[] [2]");
}

BOOST_FIXTURE_TEST_CASE(a_line_without_a_key_and_a_value_is_an_error_that_names_it, FileFixture) {
  write("1 one\nx two\n");
  BOOST_TEST(
      fill_from_file(0, 1, {{"delimiter", " "}}) ==
      "InvalidArgument: Field 'x' in line 1 is not a valid int64.");
  BOOST_TEST(
      fill_from_file(0, 2, {{"delimiter", " "}}) ==
      "InvalidArgument: Invalid number of columns in " + file +
          " line 0 ('1 one') : expected 2 got 2");
  write("a\n\nb\n");
  BOOST_TEST(
      fill_from_file(TableColumns::line_number, TableColumns::whole_line) ==
      "InvalidArgument: Invalid content in " + file + ": empty line found at position 3.");
  BOOST_TEST(
      fill_from_file(0, 1, {{"delimiter", "::"}}) ==
      "InvalidArgument: delimiter should be only 1 char");
  file = folder / "none";
  BOOST_TEST(starts_with(fill_from_file(0, 1), "NotFound: cannot read '" + file + "'"));
}

BOOST_FIXTURE_TEST_CASE(lines_and_numbers_need_dtypes_that_can_hold_them, FileFixture) {
  write("a\n");
  table = new_table(DType::string, DType::float32);
  BOOST_TEST(
      fill_from_file(TableColumns::line_number, 0) ==
      "InvalidArgument: Key index for line number requires table key dtype of int64, got string");
  BOOST_TEST(
      fill_from_file(0, TableColumns::line_number) ==
      "InvalidArgument: Value index for line number requires table value dtype of int64, got "
      "float32");
  BOOST_TEST(
      fill_from_file(0, TableColumns::whole_line) ==
      "InvalidArgument: Value index for whole line requires table value dtype of string, got "
      "float32");
}

BOOST_FIXTURE_TEST_CASE(what_does_not_fit_the_table_is_refused, KernelFixture) {
  std::shared_ptr<Resource> table = *make_hash_table(DType::int64, DType::float32);
  BOOST_TEST(
      launch("LookupTableInsertV2", {table}, {vec<int64_t>({1}), vec({1, 2})}) ==
      "InvalidArgument: Expected shape [1] for value, got [2]");
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
