#include "troupe/graph/import/saved_model.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "troupe/actors/local/local_cluster.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/tests/temporary_folder.hpp"

using namespace troupe;
using troupe::testing::TemporaryFolder;

namespace {

/// A model that TensorFlow has saved: the number of each word's line in a file, times a variable of
/// 4, plus the sum of another in two parts, which is 30 (record_saved_model.py).
const std::string words = std::string(TROUPE_REFERENCE) + "/saved_models/words";

struct SavedModelFixture {
  LocalCluster cluster{{{"worker", 1}}};
  std::unique_ptr<Session> session = *cluster.session("worker");
  Builder b;

  Tensor word(const std::string& text) { return Tensor::of<std::string>({1}, {text}); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(saved_model, SavedModelFixture)

BOOST_AUTO_TEST_CASE(a_model_of_tensorflows_is_loaded_restored_and_run) {
  for (const std::string prefix : {"", "inner"}) {
    auto model = SavedModel::load(b, words, {"serve"}, prefix);
    BOOST_TEST_REQUIRE(model.ok(), model.status().to_string());
    BOOST_TEST(model->signatures().size() == 1U);
    const auto& signature = model->signatures().at("serving_default");
    BOOST_TEST(signature.method_name == "tensorflow/serving/predict");
    BOOST_TEST(
        signature.inputs.at("words").name == (prefix.empty() ? "" : prefix + "/") + "words:0");
    BOOST_TEST((signature.inputs.at("words").dtype == DType::string));
    BOOST_TEST((signature.outputs.at("result").shape == Shape{Shape::unknown}));
    auto status = model->restore(*session);
    BOOST_TEST_REQUIRE(status.ok(), status.to_string());
    for (auto [text, line] : {std::pair("one", 1), std::pair("two", 2), std::pair("three", -1)}) {
      auto outputs = model->run(*session, "serving_default", {{"words", word(text)}});
      BOOST_TEST_REQUIRE(outputs.ok(), outputs.status().to_string());
      BOOST_TEST(outputs->at("result").value<float>() == 4.0f * static_cast<float>(line) + 30);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_a_model_has_not_is_named) {
  BOOST_TEST(
      SavedModel::load(b, words, {"gpu", "serve"}).status().to_string() ==
      "NotFound: '" + words +
          "/saved_model.pb' has no graph with the tags 'gpu', 'serve', but with ('serve'), "
          "('train')");
  auto model = SavedModel::load(b, words);
  BOOST_TEST(
      model->run(*session, "serve", {}).status().to_string() ==
      "NotFound: there is no signature 'serve'; there are 'serving_default'");
  BOOST_TEST(
      model->run(*session, "serving_default", {}).status().to_string() ==
      "InvalidArgument: signature 'serving_default' needs input 'words'");
  BOOST_TEST(
      model->run(*session, "serving_default", {{"x", word("one")}}).status().to_string() ==
      "InvalidArgument: signature 'serving_default' has no input 'x'");
}

BOOST_AUTO_TEST_CASE(a_missing_and_a_damaged_model_are_errors) {
  TemporaryFolder folder;
  auto file = folder / "saved_model.pb";
  auto error = [&] { return SavedModel::load(b, folder.path().string()).status().to_string(); };
  BOOST_TEST(error() == "NotFound: cannot read '" + file + "': No such file or directory");
  BOOST_TEST(write_file(file, "\xff").ok());
  BOOST_TEST(error() == "InvalidArgument: '" + file + "' has no SavedModel");
  auto whole = *read_file(words + "/saved_model.pb");
  for (size_t size = 0; size < whole.size(); size += 97) {
    BOOST_TEST(write_file(file, whole.substr(0, size)).ok());
    BOOST_TEST(error() != "Ok");
  }
  BOOST_TEST(b.graph().size() == 0);
}

BOOST_AUTO_TEST_CASE(a_model_whose_variables_are_gone_is_not_restored) {
  TemporaryFolder folder;
  auto copy = folder / "words";
  std::filesystem::copy(words, copy, std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(copy + "/variables");
  auto model = SavedModel::load(b, copy);
  BOOST_TEST_REQUIRE(model.ok());
  BOOST_TEST((model->restore(*session).code() == Code::not_found));
}

BOOST_AUTO_TEST_SUITE_END()
