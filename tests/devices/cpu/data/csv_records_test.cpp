#include <fstream>

#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"
#include "troupe/tests/temporary_folder.hpp"

namespace troupe::testing {
namespace {

struct CsvFixture : DatasetFixture {
  struct Options {
    int64_t buffer_bytes = 1 << 18;
    bool has_header = false;
    std::string separator = ",";
    bool has_quotes = true;
    std::string missing = "";
    std::vector<int64_t> columns = {};
  };

  TemporaryFolder folder;
  int files = 0;
  Options options;

  std::string write(const std::string& text) {
    auto path = (folder.path() / (std::to_string(files++) + ".csv")).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  static Attrs components(const Tensors& defaults) {
    DTypes dtypes;
    for (const auto& each : defaults) dtypes.push_back(each.dtype());
    return {{"output_types", dtypes}, {"output_shapes", Shapes(defaults.size(), Shape())}};
  }
  Value csv(
      const std::vector<std::string>& paths, const Tensors& defaults,
      const char* op = "CSVDataset") const {
    auto count = static_cast<int64_t>(paths.size());
    auto columns = static_cast<int64_t>(options.columns.size());
    Values inputs{
        b.constant(Tensor::of<std::string>({count}, std::span<const std::string>(paths))),
        text(""),
        number(options.buffer_bytes),
        flag(options.has_header),
        text(options.separator),
        flag(options.has_quotes),
        text(options.missing),
        b.constant(Tensor::of<int64_t>({columns}, std::span<const int64_t>(options.columns)))};
    for (const auto& each : defaults) inputs.push_back(b.constant(each));
    return b.op(op, inputs, {{"output_shapes", Shapes(defaults.size(), Shape())}});
  }
  /// The fields of all records, as strings: "a,b | c,d".
  std::string records(const std::string& text, size_t count) {
    Tensors defaults(count, Tensor::string("-"));
    auto shown = all(csv({write(text)}, defaults), components(defaults));
    for (size_t at; (at = shown.find("; string[] ")) != std::string::npos;)
      shown.replace(at, 11, ",");
    for (size_t at; (at = shown.find("string[] ")) != std::string::npos;) shown.erase(at, 9);
    std::erase_if(shown, [](char c) { return c == '[' || c == ']' || c == '"'; });
    return shown;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(csv_records, CsvFixture)

BOOST_AUTO_TEST_CASE(fields_in_quotes_have_line_ends_separators_and_quotes_inside) {
  options.separator = ";";
  Tensors defaults(2, Tensor::string(""));
  auto dataset = csv({write("1;\"2;3\"\n\"a \"\"b\"\"\";c\na;\"b\n\r\nc\"\n")}, defaults);
  BOOST_TEST(
      all(dataset, components(defaults)) ==
      "string[] [\"1\"]; string[] [\"2;3\"] | string[] [\"a \"b\"\"]; string[] [\"c\"] | "
      "string[] [\"a\"]; string[] [\"b\n\r\nc\"]");
}

BOOST_AUTO_TEST_CASE(records_end_with_each_kind_of_line_and_are_read_by_any_buffer) {
  for (const std::string end : {"\n", "\r", "\r\n"})
    for (int64_t bytes : {1, 2, 3, 5, 64}) {
      options.buffer_bytes = bytes;
      BOOST_TEST(records("ab,\"c\"" + end + ",\"\"" + end + "e,f" + end, 2) == "ab,c | -,- | e,f");
      BOOST_TEST(records("ab,\"c\"" + end + "e,", 2) == "ab,c | e,-");
    }
}

BOOST_AUTO_TEST_CASE(an_empty_line_is_a_record_of_one_empty_field) {
  BOOST_TEST(records("a\n\nb", 1) == "a | - | b");
  BOOST_TEST(records("", 1) == "");
}

BOOST_AUTO_TEST_CASE(a_record_that_is_malformed_is_an_error_and_the_next_one_follows) {
  const std::string error = "InvalidArgument: ";
  auto next = " | e,f";
  BOOST_TEST(
      records("1,2\"3\ne,f", 2) == error + "Unquoted fields cannot have quotes inside" + next);
  BOOST_TEST(
      records("\"a\"b\",c\ne,f", 2) ==
      error + "Quote inside a string has to be escaped by another quote" + next);
  BOOST_TEST(records("1\ne,f", 2) == error + "Expect 2 fields but have 1 in record" + next);
  BOOST_TEST(
      records("1,2,3,\"\n\"\ne,f", 2) == error + "Expect 2 fields but have more in record" + next);
  BOOST_TEST(
      records("e,f\ne,\"f", 2) ==
      "e,f | " + error + "Reached end of file without closing quoted field in record");
}

BOOST_AUTO_TEST_CASE(quotes_may_be_ordinary_characters) {
  options.has_quotes = false;
  Tensors defaults(2, Tensor::string(""));
  BOOST_TEST(
      all(csv({write("\"1,2\"")}, defaults), components(defaults)) ==
      "string[] [\"\"1\"]; string[] [\"2\"\"]");
}

BOOST_AUTO_TEST_CASE(chosen_columns_are_read_and_line_ends_in_others_passed) {
  options.columns = {0, 2};
  BOOST_TEST(records("1,\"2\n3\",4,5\n6,7,8", 2) == "1,4 | 6,8");
  BOOST_TEST(records("1,2", 2) == "InvalidArgument: Expect 2 fields but have 1 in record");
}

BOOST_AUTO_TEST_CASE(fields_become_numbers_and_missing_ones_their_defaults) {
  options.missing = "NA";
  Tensors defaults{
      Tensor::scalar(7), Tensor::scalar<int64_t>(8), vec<float>({0.5}),
      Tensor::of<double>({0}, {})};
  auto shown = [&](const std::string& text) {
    return all(csv({write(text)}, defaults), components(defaults));
  };
  BOOST_TEST(
      shown("NA,,,1.5\n1, 2,3,4") ==
      "int32[] [7]; int64[] [8]; float32[] [0.5]; float64[] [1.5] | "
      "int32[] [1]; int64[] [2]; float32[] [3]; float64[] [4]");
  BOOST_TEST(shown("1,2,3,NA") == "InvalidArgument: Field 3 is required but missing in record!");
  BOOST_TEST(shown("1,x,3,4") == "InvalidArgument: Field 1 in record is not a valid int64: 'x'");
}

BOOST_AUTO_TEST_CASE(the_header_of_each_file_is_left_out_and_must_be_there) {
  options.has_header = true;
  Tensors one{Tensor::string("")};
  auto paths = {write("\"x\ny\",z\n1\n"), write("x\n2\n"), write("")};
  BOOST_TEST(starts_with(
      all(csv(paths, one), components(one)),
      "string[] [\"1\"] | string[] [\"2\"] | InvalidArgument: Can't read header of file '"));
}

BOOST_AUTO_TEST_CASE(csv_files_have_an_op_of_an_older_name) {
  Tensors one{Tensor::string("")};
  auto older = csv({write("a\nb")}, one, "ExperimentalCSVDataset");
  BOOST_TEST(all(older, components(one)) == "string[] [\"a\"] | string[] [\"b\"]");
}

BOOST_AUTO_TEST_CASE(options_of_csv_files_are_checked) {
  auto error = [&](const Tensors& defaults = {Tensor::string("")}) {
    auto text = all(csv({write("a")}, defaults), components(defaults));
    options = {};
    return text;
  };
  options.buffer_bytes = 0;
  BOOST_TEST(error() == "InvalidArgument: buffer_size should be positive");
  options.separator = "ab";
  BOOST_TEST(error() == "InvalidArgument: field_delim should be only 1 char");
  options.columns = {1, 2};
  BOOST_TEST(error() == "InvalidArgument: select_cols should match output size");
  options.columns = {1, 1};
  Tensors two(2, Tensor::string(""));
  BOOST_TEST(error(two) == "InvalidArgument: select_cols should be strictly increasing indices");
  options.columns = {-1, 1};
  BOOST_TEST(error(two) == "InvalidArgument: select_cols should be non-negative indices");
  BOOST_TEST(
      error({vec<float>({1, 2})}) ==
      "InvalidArgument: There should only be 1 default per field but field 0 has 2");
  BOOST_TEST(
      error({Tensor::scalar(true)}) == "InvalidArgument: a field of a CSV file cannot be of bool");
  BOOST_TEST(starts_with(all(csv({"/no/such/file"}, two), components(two), 1), "NotFound: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
