#include "troupe/graph/train/checkpoint_state.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/support/file.hpp"
#include "troupe/tests/temporary_folder.hpp"

using namespace troupe;
using train::CheckpointState;
using troupe::testing::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(checkpoint_state)

BOOST_AUTO_TEST_CASE(the_last_path_is_the_latest_and_names_move_with_the_folder) {
  TemporaryFolder folder;
  auto old_place = folder / "old", place = folder / "new";
  CheckpointState state{.paths = {"/elsewhere/model-1", old_place + "/model-2"}};
  BOOST_TEST(state.write(old_place).ok());
  std::filesystem::rename(old_place, place);
  auto read = CheckpointState::read(place);
  BOOST_TEST_REQUIRE(read.ok(), read.status().to_string());
  BOOST_TEST(read->paths == (std::vector<std::string>{"/elsewhere/model-1", place + "/model-2"}));
  BOOST_TEST(train::latest_checkpoint(place)->value() == place + "/model-2");
}

BOOST_AUTO_TEST_CASE(a_folder_without_the_file_has_no_checkpoints) {
  TemporaryFolder folder;
  BOOST_TEST(CheckpointState::read(folder / "none")->paths.empty());
  BOOST_TEST(!train::latest_checkpoint(folder / "none")->has_value());
}

BOOST_AUTO_TEST_CASE(a_damaged_file_is_named) {
  TemporaryFolder folder;
  for (auto text : {"", "{", "[]", R"({"all_model_checkpoint_paths": [1]})"}) {
    BOOST_TEST(write_file(folder / "checkpoint", text).ok());
    BOOST_TEST(
        CheckpointState::read(folder.path().string()).status().to_string() ==
        "DataLoss: '" + (folder / "checkpoint") + "' is damaged: it lists no checkpoints");
  }
}

BOOST_AUTO_TEST_SUITE_END()
