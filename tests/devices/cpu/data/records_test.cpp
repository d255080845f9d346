#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "troupe/devices/files/record_file.hpp"
#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"

namespace troupe::testing {
namespace {

struct RecordsFixture : DatasetFixture {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("troupe_records_" + std::to_string(getpid()));

  RecordsFixture() { std::filesystem::create_directories(folder); }
  ~RecordsFixture() { std::filesystem::remove_all(folder); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return folder / name;
  }
  std::string write_records(
      const std::string& name, const std::vector<std::string>& records,
      Compression compression = Compression::none) const {
    auto writer = RecordFileWriter::create(folder / name, {.type = compression});
    BOOST_TEST_REQUIRE(writer.ok());
    for (const auto& record : records) BOOST_TEST(writer->write(record).ok());
    BOOST_TEST(writer->close().ok());
    return folder / name;
  }

  Value names(std::initializer_list<std::string> all) const {
    return b.constant(Tensor::of<std::string>({static_cast<int64_t>(all.size())}, all));
  }
  /// The texts, without what show() puts around each.
  std::string texts(const Value& dataset) {
    auto shown = all(dataset, elements(DType::string));
    for (const std::string part : {"string[] [\"", "\"]"})
      for (size_t at; (at = shown.find(part)) != std::string::npos;) shown.erase(at, part.size());
    return shown;
  }
  std::string records(const Value& files, const std::string& compression = "") {
    return texts(b.op("TFRecordDataset", {files, text(compression), number(0)}));
  }
  /// Writes a dataset to a file; returns the error.
  std::string written(
      const Value& dataset, const std::string& file, const std::string& compression = "",
      const char* op = "DatasetToTFRecord") {
    auto write = b.op(op, {dataset, text(file), text(compression)});
    return show(runner.run(b, {}, {}, {write}));
  }
  std::string fixed(const std::string& file, int64_t header, int64_t record, int64_t footer) {
    return texts(b.op(
        "FixedLengthRecordDataset",
        {text(file), number(header), number(record), number(footer), number(0)}));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(dataset_records, RecordsFixture)

BOOST_AUTO_TEST_CASE(lines_of_files_follow_each_other) {
  auto first = write("a", "one\ntwo\r\n\n"), second = write("b", "three");
  auto lines = b.op("TextLineDataset", {names({first, second}), text(""), number(0)});
  BOOST_TEST(texts(lines) == "one | two |  | three");
}

BOOST_AUTO_TEST_CASE(records_are_read_compressed_or_not) {
  auto plain = write_records("plain", {"one", "", "two"});
  auto zipped = write_records("zipped", {"one", "two"}, Compression::gzip);
  BOOST_TEST(records(names({plain, plain})) == "one |  | two | one |  | two");
  BOOST_TEST(records(text(zipped), "GZIP") == "one | two");
  BOOST_TEST(starts_with(records(text(plain), "SNAPPY"), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(a_damaged_file_is_an_error_and_the_next_one_follows) {
  auto good = write_records("good", {"last"});
  auto bad = write("bad", "this is no record file");
  auto text = records(names({bad, good}));
  BOOST_TEST(starts_with(text, "DataLoss: "));
  BOOST_TEST(text.ends_with(" | last"));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_there_is_an_error_each_time) {
  auto it = iterator(
      b.op("TFRecordDataset", {text(folder / "none"), text(""), number(0)}),
      elements(DType::string));
  BOOST_TEST(begin(it) == "");
  BOOST_TEST(starts_with(next(it), "NotFound: "));
  BOOST_TEST(starts_with(next(it), "NotFound: "));
}

BOOST_AUTO_TEST_CASE(records_of_one_length_lie_between_header_and_footer) {
  auto file = write("fixed", "HHaabbccF");
  BOOST_TEST(fixed(file, 2, 2, 1) == "aa | bb | cc");
  BOOST_TEST(fixed(file, 2, 3, 1) == "aab | bcc");
  BOOST_TEST(starts_with(
      fixed(file, 1, 2, 1),
      "InvalidArgument: Excluding the header (1 bytes) and footer (1 bytes), input file \"" + file +
          "\" has body length 7 bytes, which is not an exact multiple of the record length (2 "
          "bytes)."));
  BOOST_TEST(fixed(file, 0, 0, 0) == "InvalidArgument: `record_bytes` must be > 0");
  auto zipped = b.op(
      "FixedLengthRecordDatasetV2",
      {text(file), number(2), number(2), number(1), number(0), text("ZLIB")});
  BOOST_TEST(starts_with(texts(zipped), "DataLoss: "));
}

BOOST_AUTO_TEST_CASE(a_dataset_of_strings_is_written_as_records) {
  auto dataset = slices(Tensor::of<std::string>({3}, {"one", "", "three"}));
  for (const auto* op : {"DatasetToTFRecord", "ExperimentalDatasetToTFRecord"}) {
    auto file = (folder / op).string();
    BOOST_TEST(written(dataset, file, "", op) == "");
    BOOST_TEST(records(names({file})) == "one |  | three");
  }
}

BOOST_AUTO_TEST_CASE(records_are_written_compressed) {
  auto dataset = slices(Tensor::of<std::string>({2}, {"one", "two"}));
  auto file = (folder / "compressed").string();
  BOOST_TEST(written(dataset, file, "GZIP") == "");
  BOOST_TEST(records(names({file}), "GZIP") == "one | two");
  BOOST_TEST(records(names({file})).starts_with("DataLoss: "));
}

BOOST_AUTO_TEST_CASE(records_before_an_element_that_fails_are_written) {
  auto good = write_records("good", {"one", "two"});
  auto some = b.op("TFRecordDataset", {names({good, "/no/such/file"}), text(""), number(0)});
  auto file = (folder / "some").string();
  BOOST_TEST(written(some, file).starts_with("NotFound: "));
  BOOST_TEST(records(names({file})) == "one | two");
}

BOOST_AUTO_TEST_CASE(only_strings_are_written_as_records) {
  auto file = (folder / "none").string();
  BOOST_TEST(
      written(range(2), file) ==
      "InvalidArgument: only a dataset of one string component can be written to a file");
  BOOST_TEST(!std::filesystem::exists(file));
  BOOST_TEST(
      written(slices(Tensor::of<std::string>({1, 2}, {"a", "b"})), file) ==
      "InvalidArgument: a record must be a scalar, not one of shape [2]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
