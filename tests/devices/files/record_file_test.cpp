#include "troupe/devices/files/record_file.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/devices/files/crc32c.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/tests/temporary_folder.hpp"

using namespace troupe;
using troupe::testing::TemporaryFolder;

namespace {

struct RecordFileFixture {
  TemporaryFolder folder;
  std::string path = folder / "records";
  std::vector<std::string> records = {"one", "", std::string(700'000, 'x'), std::string("\0z", 2)};

  void write(const CompressionOptions& options = {}) const {
    auto writer = RecordFileWriter::create(path, options);
    BOOST_TEST_REQUIRE(writer.ok());
    for (const auto& record : records) BOOST_TEST(writer->write(record).ok());
    BOOST_TEST(writer->close().ok());
  }

  /// All records, or the error.
  Result<std::vector<std::string>> read(Compression compression = Compression::none) const {
    auto reader = RecordFileReader::open(path, compression, /*buffer_bytes=*/1000);
    if (!reader) return reader.status();
    std::vector<std::string> all;
    for (;;) {
      std::string record;
      auto has_record = reader->read(record);
      if (!has_record) return has_record.status();
      if (!*has_record) return all;
      all.push_back(std::move(record));
    }
  }

  /// Replaces a byte of the file.
  void damage(size_t at) const {
    auto bytes = *read_file(path);
    bytes[at] ^= 1;
    BOOST_TEST(write_file(path, bytes).ok());
  }
  std::string read_error() const { return read().status().to_string(); }
  std::string error(const char* how) const {
    return std::string("DataLoss: ") + how + " of '" + path + "'";
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(record_file, RecordFileFixture)

BOOST_AUTO_TEST_CASE(the_crc_is_that_of_castagnoli) {
  BOOST_TEST(crc32c("123456789") == 0xe3069283U);
  BOOST_TEST(crc32c(std::string(32, '\0')) == 0x8a9136aaU);
  BOOST_TEST(crc32c("") == 0U);
}

BOOST_AUTO_TEST_CASE(records_are_read_as_they_were_written_compressed_or_not) {
  for (auto type : {Compression::none, Compression::zlib, Compression::gzip}) {
    write({.type = type});
    auto got = read(type);
    BOOST_TEST_REQUIRE(got.ok());
    BOOST_TEST(*got == records, boost::test_tools::per_element());
  }
  BOOST_TEST(read_file(path)->size() < 10'000U);
}

BOOST_AUTO_TEST_CASE(the_bytes_are_those_of_tensorflow) {
  records = {"a"};
  write();
  // By tf.io.TFRecordWriter.
  BOOST_TEST(
      *read_file(path) == std::string(
                              "\x01\0\0\0\0\0\0\0\x01u\xde"
                              "Aaxn\xe4(",
                              17));
}

BOOST_AUTO_TEST_CASE(a_damaged_record_is_an_error_with_file_and_offset) {
  write();
  damage(1);
  BOOST_TEST(read_error() == error("corrupted record at 0"));
  damage(1);
  damage(19 + 4);  // of the second one's length
  BOOST_TEST(read_error() == error("corrupted record at 19"));
  damage(19 + 4);
  damage(19 + 16 + 12 + 5'000);  // of the third one's bytes
  BOOST_TEST(read_error() == error("corrupted record at 47"));
}

BOOST_AUTO_TEST_CASE(a_file_that_ends_inside_of_a_record_is_an_error_with_file_and_offset) {
  write();
  auto bytes = *read_file(path);
  auto cut = [&](size_t size) {
    BOOST_TEST(write_file(path, bytes.substr(0, size)).ok());
    return read_error();
  };
  BOOST_TEST(cut(7) == error("truncated record at 0"));
  BOOST_TEST(cut(12) == error("truncated record at 0"));
  BOOST_TEST(cut(14) == error("truncated record at 12"));
  BOOST_TEST(cut(19 + 16 + 100'000) == error("truncated record at 47"));
  BOOST_TEST(cut(19) == "Ok");
}

BOOST_AUTO_TEST_CASE(a_length_that_only_a_damaged_file_can_have_takes_no_memory) {
  for (uint64_t length : {uint64_t{1} << 60, UINT64_MAX, UINT64_MAX - 3}) {
    std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
    auto crc = masked_crc32c(bytes);
    bytes.append(reinterpret_cast<const char*>(&crc), sizeof crc);
    BOOST_TEST(write_file(path, bytes + "few").ok());
    BOOST_TEST(read_error() == error("truncated record at 12"));
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_compressed_file_is_an_error) {
  write();
  BOOST_TEST(
      read(Compression::gzip).status().to_string() ==
      "DataLoss: '" + path + "': inflate() failed with error -3: incorrect header check");
  write({.type = Compression::zlib});
  auto bytes = *read_file(path);
  BOOST_TEST(write_file(path, bytes.substr(0, bytes.size() / 2)).ok());
  BOOST_TEST(
      read(Compression::zlib).status().to_string() ==
      "DataLoss: '" + path + "' ends inside of its compressed bytes");
}

BOOST_AUTO_TEST_CASE(compressed_files_one_after_the_other_are_one) {
  write({.type = Compression::gzip});
  auto bytes = *read_file(path);
  BOOST_TEST(write_file(path, bytes + bytes).ok());
  auto got = read(Compression::gzip);
  BOOST_TEST_REQUIRE(got.ok());
  BOOST_TEST(got->size() == 2 * records.size());
}

BOOST_AUTO_TEST_CASE(a_flushed_record_can_be_read_while_the_file_is_still_written) {
  for (auto type : {Compression::none, Compression::gzip}) {
    auto writer = RecordFileWriter::create(path, {.type = type});
    BOOST_TEST_REQUIRE(writer.ok());
    BOOST_TEST(writer->write("first").ok());
    BOOST_TEST(read_file(path)->size() <= 10U);  // the header of gzip
    BOOST_TEST(writer->flush().ok());
    auto reader = RecordFileReader::open(path, type);
    std::string record;
    BOOST_TEST((*reader->read(record) && record == "first"));
  }
}

BOOST_AUTO_TEST_CASE(a_reader_goes_to_any_record) {
  for (auto type : {Compression::none, Compression::zlib}) {
    write({.type = type});
    auto reader = RecordFileReader::open(path, type, /*buffer_bytes=*/100);
    BOOST_TEST_REQUIRE(reader.ok());
    std::string record;
    auto last = 19 + 16 + 16 + records[2].size();
    BOOST_TEST(reader->seek(last).ok());
    BOOST_TEST((*reader->read(record) && record == records[3]));
    BOOST_TEST(reader->seek(19).ok());
    BOOST_TEST((*reader->read(record) && record.empty()));
    BOOST_TEST(reader->offset() == 35U);
    BOOST_TEST(reader->seek(last + 100).to_string().starts_with("OutOfRange"));
    // Where it was before.
    BOOST_TEST((*reader->read(record) && record == records[2]));
  }
}

BOOST_AUTO_TEST_CASE(a_closed_writer_writes_no_more) {
  auto writer = RecordFileWriter::create(path);
  BOOST_TEST((writer->close().ok() && writer->close().ok()));
  BOOST_TEST(
      writer->write("late").to_string() ==
      "FailedPrecondition: Writer not initialized or previously closed");
}

BOOST_AUTO_TEST_CASE(lines_end_with_either_line_end_or_the_file) {
  BOOST_TEST(write_file(path, "unix\ndos\r\n\n\rmid\rdle\nlast").ok());
  for (size_t buffer_bytes : {64, 100'000}) {
    auto input = InputStream::open(path, Compression::none, buffer_bytes);
    std::string line;
    for (const auto* want : {"unix", "dos", "", "\rmid\rdle", "last"})
      BOOST_TEST((*(*input)->read_line(line) && line == want));
    BOOST_TEST(!*(*input)->read_line(line));
  }
}

BOOST_AUTO_TEST_SUITE_END()
