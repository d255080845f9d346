#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "troupe/graph/support/file.hpp"
#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A node whose graphs may use the files of one folder, and a session on it.
struct FilesFixture {
  TemporaryFolder allowed, other;
  std::unique_ptr<Process> node =
      start_node({"--cluster", "local=127.0.0.1:0", "--files", allowed.path().string()});
  std::unique_ptr<Client> client = *Client::connect(await_target(*node));

  /// How a step with that op on those strings ends.
  std::string run(
      const std::string& op, const std::vector<std::string>& inputs, const Attrs& attrs = {}) {
    Builder b;
    Values values;
    for (const auto& input : inputs) values.push_back(b.constant(Tensor::string(input)));
    auto node = b.op(op, values, attrs);
    return end_of(b, {node});
  }

  std::string end_of(const Builder& b, const std::vector<Ref>& targets) const {
    auto session = client->session();
    if (!session) return session.status().to_string();
    if (auto status = (*session)->extend(b); !status.ok()) return status.to_string();
    auto status = (*session)->run({}, {}, targets).status();
    return to_string(status.code());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(files, FilesFixture)

BOOST_AUTO_TEST_CASE(graphs_use_the_files_that_the_operator_of_a_node_allows) {
  BOOST_TEST(run("WriteFile", {allowed / "file", "text"}) == "Ok");
  BOOST_TEST(*read_file(allowed / "file") == "text");
  BOOST_TEST(run("ReadFile", {allowed / "file"}) == "Ok");
  BOOST_TEST(run("MatchingFiles", {allowed / "*"}) == "Ok");
}

BOOST_AUTO_TEST_CASE(graphs_use_no_other_files) {
  BOOST_TEST(run("WriteFile", {other / "file", "text"}) == "PermissionDenied");
  BOOST_TEST(!std::filesystem::exists(other / "file"));
  BOOST_TEST(run("ReadFile", {"/etc/passwd"}) == "PermissionDenied");
  BOOST_TEST(run("MatchingFiles", {"/etc/*"}) == "PermissionDenied");
}

BOOST_AUTO_TEST_CASE(tables_and_readers_use_no_other_files) {
  Builder b;
  auto table =
      b.op("HashTableV2", {}, {{"key_dtype", DType::int64}, {"value_dtype", DType::string}});
  auto name = b.constant(Tensor::string("/etc/passwd"));
  auto fill = b.op(
      "InitializeTableFromTextFileV2", {table, name}, {{"key_index", -1}, {"value_index", -2}});
  BOOST_TEST(end_of(b, {fill}) == "PermissionDenied");

  Builder reading;
  auto queue = reading.op("FIFOQueueV2", {}, {{"component_types", DTypes{DType::string}}});
  auto put = reading.op("QueueEnqueueV2", {queue, reading.constant(Tensor::string("/etc/passwd"))});
  auto reader = reading.op("TextLineReaderV2", {}, {});
  auto read = reading.op("ReaderReadV2", {reader, queue});
  BOOST_TEST(end_of(reading, {put, read}) == "PermissionDenied");
}

BOOST_AUTO_TEST_CASE(a_folder_that_does_not_exist_is_no_folder_for_files) {
  auto missing = other / "none";
  auto refused = start_node({"--cluster", "local=127.0.0.1:0", "--files", missing});
  BOOST_TEST(refused->wait().value_or(-1) == 2);
  BOOST_TEST(refused->errors().find("there is no folder '" + missing + "'") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
