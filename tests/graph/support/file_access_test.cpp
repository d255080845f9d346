#include "troupe/graph/support/file_access.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "troupe/graph/support/file.hpp"
#include "troupe/tests/temporary_folder.hpp"

using namespace troupe;
using troupe::testing::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

struct FileAccessFixture {
  FileAccessFixture() { BOOST_TEST(restrict_files({allowed.path()}).ok()); }
  ~FileAccessFixture() { BOOST_TEST(restrict_files({}).ok()); }

  static std::string code(const Status& status) { return to_string(status.code()); }

  TemporaryFolder allowed, other;
  std::string inside = allowed / "file", outside = other / "file";
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(file_access, FileAccessFixture)

BOOST_AUTO_TEST_CASE(files_below_an_allowed_folder_are_used_as_ever) {
  BOOST_TEST(write_file(inside, "text").ok());
  BOOST_TEST(*read_file(inside) == "text");
  BOOST_TEST(write_file(allowed / "new/folder/file", "text").ok());
  BOOST_TEST(rename_file(inside, allowed / "renamed").ok());
  BOOST_TEST(remove_file(allowed / "renamed").ok());
  BOOST_TEST(FileAppender::create(inside).ok());
}

BOOST_AUTO_TEST_CASE(other_files_are_refused_however_they_are_used) {
  std::ofstream(outside) << "secret";
  BOOST_TEST(
      read_file(outside).status().to_string() == "PermissionDenied: graphs may use files below '" +
                                                     fs::canonical(allowed.path()).string() +
                                                     "' here, and '" + outside + "' is not");
  BOOST_TEST(code(write_file(outside, "")) == "PermissionDenied");
  BOOST_TEST(code(FileAppender::create(outside).status()) == "PermissionDenied");
  BOOST_TEST(code(remove_file(outside)) == "PermissionDenied");
  BOOST_TEST(code(rename_file(outside, inside)) == "PermissionDenied");
  BOOST_TEST(write_file(inside, "").ok());
  BOOST_TEST(code(rename_file(inside, outside)) == "PermissionDenied");
  BOOST_TEST(code(write_file(other / "new/file", "")) == "PermissionDenied");
  BOOST_TEST(!fs::exists(other / "new"));
  BOOST_TEST(fs::file_size(outside) == 6U);
}

BOOST_AUTO_TEST_CASE(neither_dots_nor_links_nor_names_that_begin_alike_lead_outside) {
  std::ofstream(outside) << "secret";
  auto dots = (allowed / "../") + other.path().filename().string() + "/file";
  BOOST_TEST(code(read_file(dots).status()) == "PermissionDenied");
  fs::create_symlink(outside, allowed / "link");
  BOOST_TEST(code(read_file(allowed / "link").status()) == "PermissionDenied");
  fs::create_directory_symlink(other.path(), allowed / "folder");
  BOOST_TEST(code(read_file(allowed / "folder/file").status()) == "PermissionDenied");
  BOOST_TEST(code(write_file(allowed / "folder/new", "")) == "PermissionDenied");
  BOOST_TEST(code(write_file(allowed.path().string() + "_2", "")) == "PermissionDenied");
}

BOOST_AUTO_TEST_CASE(several_folders_may_be_allowed_and_all_must_exist) {
  BOOST_TEST(restrict_files({allowed.path(), other.path()}).ok());
  BOOST_TEST(write_file(outside, "").ok());
  BOOST_TEST(
      restrict_files({other / "none"}).to_string() ==
      "NotFound: there is no folder '" + (other / "none") + "'");
  BOOST_TEST(write_file(inside, "").ok());
}

BOOST_AUTO_TEST_SUITE_END()
