#include <boost/test/unit_test.hpp>

#include "troupe/graph/ops/handle.hpp"
#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

/// A table from int64 to float32, and tensors that fit it.
struct TableFixture : OpFixture {
  std::string table = handle({});
  std::string keys = placeholder(DType::int64, {2, 3});
  std::string values = floats({2, 3});
  std::string fallback = floats({});

  std::string handle(const Attrs& more) {
    Attrs attrs{{"key_dtype", DType::int64}, {"value_dtype", DType::float32}};
    for (const auto& [name, value] : more) attrs[name] = value;
    return add("MutableHashTableV2", {}, attrs);
  }
  ResourceName resource(const std::string& name) {
    return *resource_of(graph.node(*graph.find(name)));
  }
  bool refuses(const std::string& op, Names inputs, const std::string& why, Attrs attrs = {}) {
    return shape(op, std::move(inputs), std::move(attrs)).find(why) != std::string::npos;
  }
};

BOOST_FIXTURE_TEST_SUITE(table, TableFixture)

BOOST_AUTO_TEST_CASE(values_have_the_shape_of_their_keys) {
  BOOST_TEST(shape("LookupTableFindV2", {table, keys, fallback}) == "[2,3]");
  BOOST_TEST(shape("LookupTableInsertV2", {table, keys, values}) == "");
  BOOST_TEST(shape("LookupTableImportV2", {table, keys, values}) == "");
  BOOST_TEST(shape("LookupTableRemoveV2", {table, keys}) == "");
  BOOST_TEST(shape("LookupTableSizeV2", {table}) == "[]");
  Attrs dtypes{{"Tkeys", DType::int64}, {"Tvalues", DType::float32}};
  BOOST_TEST(shape("LookupTableExportV2", {table}, dtypes) == "[?] [?]");
}

BOOST_AUTO_TEST_CASE(shapes_that_do_not_fit_are_refused) {
  auto vector = floats({3});
  BOOST_TEST(refuses("LookupTableFindV2", {table, keys, vector}, "[3]"));
  BOOST_TEST(refuses("LookupTableFindV2", {table, keys, floats({2, 3})}, "at most rank 1"));
  BOOST_TEST(refuses("LookupTableInsertV2", {table, keys, vector}, "[3]"));
  BOOST_TEST(refuses("LookupTableImportV2", {table, keys, vector}, "[3]"));
}

BOOST_AUTO_TEST_CASE(vectors_as_values_are_a_further_dimension) {
  Attrs attrs{
      {"key_dtype", DType::int64}, {"value_dtype", DType::float32}, {"value_shape", Shape{4}}};
  for (std::string form : {"", "V2"}) {
    auto rows = add("MutableHashTableOfTensors" + form, {}, attrs);
    BOOST_TEST(shape("LookupTableFind" + form, {rows, keys, floats({4})}) == "[2,3,4]");
    BOOST_TEST(refuses("LookupTableFind" + form, {rows, keys, floats({})}, "[4]"));
    BOOST_TEST(shape("LookupTableInsert" + form, {rows, keys, floats({2, 3, 4})}) == "");
    BOOST_TEST(refuses("LookupTableInsert" + form, {rows, keys, values}, "[2,3,4]"));
    Attrs dtypes{{"Tkeys", DType::int64}, {"Tvalues", DType::float32}};
    BOOST_TEST(shape("LookupTableExport" + form, {rows}, dtypes) == "[?] [?,4]");
  }
}

BOOST_AUTO_TEST_CASE(a_table_is_filled_with_a_vector_of_keys) {
  auto some = placeholder(DType::int64, {3});
  BOOST_TEST(shape("InitializeTableV2", {table, some, floats({3})}) == "");
  BOOST_TEST(refuses("InitializeTableV2", {table, some, floats({2})}, "[2]"));
  BOOST_TEST(refuses("InitializeTableV2", {table, keys, values}, "must have rank 1"));
  Attrs columns{{"key_index", int64_t{0}}, {"value_index", int64_t{-3}}};
  auto file = placeholder(DType::string, {});
  BOOST_TEST(refuses("InitializeTableFromTextFileV2", {table, file}, "-3", columns));
  columns["value_index"] = int64_t{1};
  BOOST_TEST(shape("InitializeTableFromTextFileV2", {table, file}, columns) == "");
  auto names = placeholder(DType::string, {2});
  BOOST_TEST(refuses("InitializeTableFromTextFileV2", {table, names}, "must have rank 0", columns));
}

BOOST_AUTO_TEST_CASE(dtypes_must_be_those_of_the_table) {
  auto text = placeholder(DType::string);
  auto keys_wrong = "the table's keys are int64, not string";
  auto values_wrong = "the table's values are float32, not string";
  BOOST_TEST(refuses("LookupTableFindV2", {table, text, fallback}, keys_wrong));
  BOOST_TEST(refuses("LookupTableInsertV2", {table, keys, text}, values_wrong));
  BOOST_TEST(refuses("LookupTableImportV2", {table, keys, text}, values_wrong));
  BOOST_TEST(refuses("LookupTableRemoveV2", {table, text}, keys_wrong));
  Attrs dtypes{{"Tkeys", DType::int64}, {"Tvalues", DType::string}};
  BOOST_TEST(refuses("LookupTableExportV2", {table}, values_wrong, dtypes));
}

BOOST_AUTO_TEST_CASE(a_table_has_its_shared_name_or_the_node_name_or_is_unshared) {
  auto named = resource(handle({{"shared_name", "t"}, {"container", "jobs"}}));
  BOOST_TEST((named == ResourceName{"jobs", "t"}));
  auto node = handle({{"use_node_name_sharing", true}});
  BOOST_TEST((resource(node) == ResourceName{"", node}));
  BOOST_TEST(is_unshared(resource(table)));
  BOOST_TEST(!is_unshared(named));
  BOOST_TEST(resource(table).name == table);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
