#include "troupe/graph/support/file.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/temporary_folder.hpp"

using namespace troupe;
using troupe::testing::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

struct FileFixture {
  TemporaryFolder folder;
  std::string path = folder / "file";

  auto count() const {
    return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(file, FileFixture)

BOOST_AUTO_TEST_CASE(a_file_is_the_old_one_until_the_new_one_is_whole) {
  BOOST_TEST(write_file(path, "old").ok());
  {
    auto writer = FileWriter::create(path);
    BOOST_TEST_REQUIRE(writer.ok());
    BOOST_TEST(writer->append("new").ok());
    BOOST_TEST(*read_file(path) == "old");
    BOOST_TEST(writer->commit().ok());
    BOOST_TEST(*read_file(path) == "new");
  }
  BOOST_TEST(count() == 1);
}

BOOST_AUTO_TEST_CASE(a_writer_that_gives_up_leaves_nothing) {
  BOOST_TEST(FileWriter::create(path)->append("half").ok());
  BOOST_TEST(count() == 0);
}

BOOST_AUTO_TEST_CASE(writers_of_one_file_do_not_mix) {
  auto one = FileWriter::create(path), two = FileWriter::create(path);
  BOOST_TEST_REQUIRE((one.ok() && two.ok()));
  BOOST_TEST((one->append("1111").ok() && two->append("22").ok()));
  BOOST_TEST((one->commit().ok() && two->commit().ok()));
  BOOST_TEST(*read_file(path) == "22");
}

BOOST_AUTO_TEST_CASE(parts_are_read_and_the_end_is_told) {
  BOOST_TEST(write_file(path, "0123456789").ok());
  auto reader = FileReader::open(path);
  BOOST_TEST_REQUIRE(reader.ok());
  BOOST_TEST(reader->size() == 10U);
  std::string part(3, ' ');
  BOOST_TEST(reader->read(4, part.data(), 3).ok());
  BOOST_TEST(part == "456");
  BOOST_TEST(
      reader->read(8, part.data(), 3).to_string() ==
      "DataLoss: '" + path + "' ends too early, at 10 bytes");
}

BOOST_AUTO_TEST_CASE(errors_name_the_file_and_what_the_system_said) {
  BOOST_TEST(
      read_file(path).status().to_string() ==
      "NotFound: cannot read '" + path + "': No such file or directory");
  BOOST_TEST((read_file(folder.path()).status().code() == Code::invalid_argument));
  BOOST_TEST((read_file("/dev/null").status().code() == Code::invalid_argument));
  BOOST_TEST((write_file(path + "/", "").code() == Code::invalid_argument));
  BOOST_TEST(remove_file(path).ok());
  BOOST_TEST((rename_file(path, path + "2").code() == Code::not_found));
}

BOOST_AUTO_TEST_CASE(a_name_with_a_zero_is_no_file) {
  auto cut_off = path + std::string("\0x", 2);
  BOOST_TEST((write_file(cut_off, "").code() == Code::invalid_argument));
  BOOST_TEST((write_file(std::string("\0x", 2), "").code() == Code::invalid_argument));
  BOOST_TEST((read_file(cut_off).status().code() == Code::invalid_argument));
  BOOST_TEST((remove_file(cut_off).code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()
