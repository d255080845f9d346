#include <filesystem>

#include "troupe/graph/support/file.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/temporary_folder.hpp"

namespace troupe::testing {
namespace {

struct FilesFixture {
  TemporaryFolder folder;

  std::string path(const std::string& name) const { return folder / name; }
  std::string write(const std::string& name, const std::string& contents) {
    return show("WriteFile", {Tensor::string(path(name)), Tensor::string(contents)});
  }
  std::string read(const std::string& name) {
    return show("ReadFile", {Tensor::string(path(name))});
  }
  /// The names that match, without the folder's.
  std::string matches(const std::vector<std::string>& patterns) {
    std::vector<std::string> paths;
    for (const auto& pattern : patterns) paths.push_back(path(pattern));
    auto count = static_cast<int64_t>(paths.size());
    auto found = run_op(
        "MatchingFiles", {Tensor::of<std::string>({count}, std::span<const std::string>(paths))});
    if (!found) return found.status().to_string();
    std::string text;
    for (const auto& name : (*found)[0].values<std::string>()) {
      BOOST_TEST(name.starts_with(path("")));
      text += name.substr(path("").size()) + " ";
    }
    return text;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(files, FilesFixture)

BOOST_AUTO_TEST_CASE(a_file_is_read_as_it_was_written) {
  std::string bytes("a\0b\n\xff", 5);
  BOOST_TEST(write("new/folder/x", bytes) == "");
  auto contents = run_op("ReadFile", {Tensor::string(path("new/folder/x"))});
  BOOST_TEST_REQUIRE(contents.ok(), contents.status().to_string());
  BOOST_TEST((*contents)[0].shape().is_scalar());
  BOOST_TEST((*contents)[0].value<std::string>() == bytes);
  BOOST_TEST(write("new/folder/x", "") == "");
  BOOST_TEST(read("new/folder/x") == "string[] [\"\"]");
}

BOOST_AUTO_TEST_CASE(what_is_no_file_cannot_be_read_or_written) {
  BOOST_TEST(
      read("none") == "NotFound: cannot read '" + path("none") + "': No such file or directory");
  BOOST_TEST(write("x", "1") == "");
  BOOST_TEST(write("x/y", "1").starts_with("InvalidArgument: "));
  BOOST_TEST(show("ReadFile", {Tensor::string(path(""))}).starts_with("InvalidArgument: "));
  BOOST_TEST(
      show("ReadFile", {Tensor::of<std::string>({1}, {"x"})}).starts_with("InvalidArgument: "));
}

BOOST_AUTO_TEST_CASE(patterns_match_names_of_files_and_folders_in_order) {
  for (auto name : {"b.txt", "a.txt", "a.png", "deep/one/a.txt", "deep/two/a.txt", ".hidden"})
    BOOST_TEST(write(name, "") == "");
  BOOST_TEST(matches({"*.txt"}) == "a.txt b.txt ");
  BOOST_TEST(matches({"?.png", "b*"}) == "a.png b.txt ");
  BOOST_TEST(matches({"[b-z]*"}) == "b.txt deep ");
  BOOST_TEST(matches({"deep/*/a.txt"}) == "deep/one/a.txt deep/two/a.txt ");
  BOOST_TEST(matches({"d*/t*/*"}) == "deep/two/a.txt ");
  BOOST_TEST(matches({"a.txt", "none", "a.txt/x", "none/*"}) == "a.txt ");
  BOOST_TEST(matches({}) == "");
  BOOST_TEST(
      show("MatchingFiles", {Tensor::of<std::string>({1, 1}, {"x"})}) ==
      "InvalidArgument: the patterns must be a scalar or vector, but are [1,1]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
