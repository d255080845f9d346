#include "troupe/graph/train/checkpoint_state.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/support/file.hpp"
#include "troupe/tests/temporary_folder.hpp"

using namespace troupe;
using train::CheckpointState;
using troupe::testing::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(checkpoint_state)

BOOST_AUTO_TEST_CASE(the_last_path_is_the_latest_and_relative_names_move_with_the_folder) {
  TemporaryFolder folder;
  auto old_place = folder / "old", place = folder / "new";
  CheckpointState state{.paths = {folder / "model-1", old_place + "/model-2"}};
  BOOST_TEST(state.write(old_place, {.is_relative = true}).ok());
  std::filesystem::rename(old_place, place);
  auto read = CheckpointState::read(place);
  BOOST_TEST_REQUIRE(read.ok(), read.status().to_string());
  BOOST_TEST(read->paths == (std::vector<std::string>{place + "/../model-1", place + "/model-2"}));
  BOOST_TEST(train::latest_checkpoint(place)->value() == place + "/model-2");
}

BOOST_AUTO_TEST_CASE(the_file_is_the_text_form_of_tensorflows_message) {
  TemporaryFolder folder;
  auto place = folder.path().string();
  CheckpointState state{.paths = {"/a/model-1", "/b\\\"\n\xc3\xa4"}};
  BOOST_TEST(state.write(place).ok());
  BOOST_TEST(
      *read_file(folder / "checkpoint") ==
      R"(model_checkpoint_path: "/b\\\"\n\303\244"
all_model_checkpoint_paths: "/a/model-1"
all_model_checkpoint_paths: "/b\\\"\n\303\244"
)");
  BOOST_TEST(CheckpointState::read(place)->paths == state.paths);
}

BOOST_AUTO_TEST_CASE(fields_of_other_writers_are_read) {
  TemporaryFolder folder;
  auto place = folder.path().string();
  auto text =
      "model_checkpoint_path: 'model-2'  # the latest\n"
      "all_model_checkpoint_paths: \"model-1\" all_model_checkpoint_paths: \"model-2\"\n"
      "all_model_checkpoint_timestamps: 1.5e9\nlast_preserved_timestamp: -1\n";
  BOOST_TEST(write_file(folder / "checkpoint", text).ok());
  BOOST_TEST(
      CheckpointState::read(place)->paths ==
      (std::vector<std::string>{place + "/model-1", place + "/model-2"}));
}

BOOST_AUTO_TEST_CASE(a_folder_without_the_file_has_no_checkpoints) {
  TemporaryFolder folder;
  BOOST_TEST(CheckpointState::read(folder / "none")->paths.empty());
  BOOST_TEST(!train::latest_checkpoint(folder / "none")->has_value());
}

BOOST_AUTO_TEST_CASE(a_damaged_file_is_named) {
  TemporaryFolder folder;
  for (auto text :
       {"", "{", "model_checkpoint_path", "model_checkpoint_path: \"a",
        "model_checkpoint_path: \"\\q\"", "all_model_checkpoint_paths: \"a\""}) {
    BOOST_TEST(write_file(folder / "checkpoint", text).ok());
    BOOST_TEST(
        CheckpointState::read(folder.path().string()).status().to_string() ==
        "DataLoss: '" + (folder / "checkpoint") + "' is damaged: it lists no checkpoints");
  }
}

BOOST_AUTO_TEST_SUITE_END()
