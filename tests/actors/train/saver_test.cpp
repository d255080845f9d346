#include "troupe/graph/train/saver.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "troupe/actors/local/local_cluster.hpp"
#include "troupe/graph/train/checkpoint_state.hpp"
#include "troupe/tests/graph/train/fake_host.hpp"
#include "troupe/tests/temporary_folder.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

/// A cluster of two parameter servers with a variable on each, and the folder for its checkpoints.
struct SaverFixture {
  TemporaryFolder folder;
  FakeHost host;
  LocalCluster cluster{{{"ps", 2}, {"worker", 1}}};
  std::unique_ptr<Session> session = *cluster.session("worker");
  Builder b;
  Variable v = add_variable("v", 0);
  Variable w = add_variable("w", 1);
  std::map<std::string, Value> assigns;

  Variable add_variable(const std::string& name, int task) const {
    auto ps = b.on("/job:ps/task:" + std::to_string(task));
    return ps.variable(name, ps.constant(0.0f));
  }

  Status run(const Value& target, const std::vector<Feed>& feeds = {}) {
    auto status = session->extend(b);
    return status.ok() ? session->run(feeds, {}, {target}).status() : status;
  }
  /// Gives both variables values.
  void set(float v_value, float w_value) {
    for (auto [variable, value] : {std::pair(v, v_value), std::pair(w, w_value)})
      BOOST_TEST(run(variable.assign(b.constant(value))).ok());
  }
  std::string values() {
    auto reads = std::pair(v.value(), w.value());
    BOOST_TEST(session->extend(b).ok());
    auto fetched = session->run({}, {reads.first, reads.second});
    BOOST_TEST_REQUIRE(fetched.ok(), fetched.status().to_string());
    return (*fetched)[0].to_string() + " " + (*fetched)[1].to_string();
  }
  std::string save(train::Saver& saver, std::optional<int64_t> step = {}) {
    BOOST_TEST(session->extend(b).ok());
    auto path = saver.save(*session, folder / "model", step);
    BOOST_TEST_REQUIRE(path.ok(), path.status().to_string());
    return *path;
  }
  Paths files() const {
    Paths names;
    for (const auto& entry : fs::directory_iterator(folder.path()))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(saver, SaverFixture)

BOOST_AUTO_TEST_CASE(one_task_saves_and_restores_the_variables_of_all) {
  train::Saver saver(b, host);
  set(1, 2);
  auto path = save(saver, 10);
  BOOST_TEST(path == folder / "model-10");
  set(3, 4);
  auto status = saver.restore(*session, path);
  BOOST_TEST(status.ok(), status.to_string());
  BOOST_TEST(values() == "float32[] [1] float32[] [2]");
  BOOST_TEST(files() == (Paths{"checkpoint", "model-10.data-00000-of-00001", "model-10.index"}));
}

BOOST_AUTO_TEST_CASE(each_task_saves_its_shard) {
  train::Saver saver(b, host, {.sharded = true});
  set(1, 2);
  auto path = save(saver);
  BOOST_TEST(
      files() ==
      (Paths{
          "checkpoint", "model.data-00000-of-00002", "model.data-00001-of-00002", "model.index"}));
  set(3, 4);
  BOOST_TEST(saver.restore(*session, path).ok());
  BOOST_TEST(values() == "float32[] [1] float32[] [2]");
  save(saver);
  BOOST_TEST(saver.restore(*session, path).ok());
}

BOOST_AUTO_TEST_CASE(sharded_and_unsharded_checkpoints_are_restored_by_either_saver) {
  train::Saver sharded(b, host, {.sharded = true}), whole(b, host);
  set(1, 2);
  auto path = save(sharded, 1);
  set(3, 4);
  BOOST_TEST(whole.restore(*session, path).ok());
  BOOST_TEST(values() == "float32[] [1] float32[] [2]");
  set(5, 6);
  path = save(whole, 2);
  set(7, 8);
  BOOST_TEST(sharded.restore(*session, path).ok());
  BOOST_TEST(values() == "float32[] [5] float32[] [6]");
}

BOOST_AUTO_TEST_CASE(a_shard_that_only_its_own_task_has_is_restored_there) {
  train::Saver saver(b, host, {.sharded = true});
  set(1, 2);
  auto path = save(saver);
  // As task 1 sees it, were its file system its own: its part, with the index that it wrote.
  fs::rename(path + ".index", path + "-00001-of-00002.index");
  fs::remove(path + ".data-00000-of-00002");
  fs::rename(path + ".data-00001-of-00002", path + "-00001-of-00002.data-00001-of-00002");
  set(3, 4);
  BOOST_TEST(saver.restore(*session, path, {"w"}).ok());
  BOOST_TEST(values() == "float32[] [3] float32[] [2]");
}

BOOST_AUTO_TEST_CASE(the_oldest_checkpoints_are_removed) {
  train::Saver saver(b, host, {.max_to_keep = 2});
  set(1, 2);
  for (int step = 1; step <= 4; ++step) save(saver, step);
  Paths kept = {folder / "model-3", folder / "model-4"};
  BOOST_TEST(saver.last_checkpoints() == kept);
  BOOST_TEST(train::CheckpointState::read(folder.path().string())->paths == kept);
  BOOST_TEST(
      files() == (Paths{
                     "checkpoint", "model-3.data-00000-of-00001", "model-3.index",
                     "model-4.data-00000-of-00001", "model-4.index"}));
  save(saver, 3);  // again
  BOOST_TEST(saver.last_checkpoints() == (Paths{folder / "model-4", folder / "model-3"}));
}

BOOST_AUTO_TEST_CASE(one_checkpoint_in_each_given_number_of_hours_is_kept) {
  train::Saver saver(b, host, {.max_to_keep = 1, .keep_checkpoint_every_n_hours = 1});
  set(1, 2);
  for (int step = 1; step <= 6; ++step) {
    host.time += 25min;
    save(saver, step);
  }
  BOOST_TEST(
      files() == (Paths{
                     "checkpoint", "model-3.data-00000-of-00001", "model-3.index",
                     "model-5.data-00000-of-00001", "model-5.index", "model-6.data-00000-of-00001",
                     "model-6.index"}));
}

BOOST_AUTO_TEST_CASE(a_saver_continues_from_the_checkpoints_of_another_one) {
  train::Saver old_life(b, host), saver(b, host, {.max_to_keep = 2});
  set(1, 2);
  for (int step = 1; step <= 2; ++step) save(old_life, step);
  saver.recover_last_checkpoints(old_life.last_checkpoints());
  save(saver, 3);
  BOOST_TEST(saver.last_checkpoints() == (Paths{folder / "model-2", folder / "model-3"}));
  BOOST_TEST(!fs::exists(folder / "model-1.index"));
}

BOOST_AUTO_TEST_CASE(variables_may_have_other_names_in_checkpoints) {
  train::Saver saver(b, host, {.variables = {{"old/w", w}}});
  set(1, 2);
  auto path = save(saver);
  set(3, 4);
  BOOST_TEST(saver.restore(*session, path).ok());
  BOOST_TEST(values() == "float32[] [3] float32[] [2]");
  BOOST_TEST(saver.saved_name("w").value() == "old/w");
  BOOST_TEST(!saver.saved_name("v"));
}

BOOST_AUTO_TEST_CASE(a_subset_of_the_variables_can_be_restored) {
  train::Saver saver(b, host);
  set(1, 2);
  auto path = save(saver);
  set(3, 4);
  BOOST_TEST(saver.restore(*session, path, {"v"}).ok());
  BOOST_TEST(values() == "float32[] [1] float32[] [4]");
  BOOST_TEST(
      saver.restore(*session, path, {"x"}).to_string() ==
      "InvalidArgument: 'x' is not among the variables that are saved");
}

BOOST_AUTO_TEST_CASE(a_variable_missing_in_the_checkpoint_is_named) {
  train::Saver one(b, host, {.variables = {{"weights", v}}});
  train::Saver both(b, host, {.variables = {{"weights", v}, {"weight", w}}});
  set(1, 2);
  auto path = save(one);
  auto status = both.restore(*session, path);
  BOOST_TEST((status.code() == Code::not_found));
  BOOST_TEST(
      status.message() ==
      "Key weight not found in checkpoint '" + path + "'; did you mean 'weights'?");
  BOOST_TEST((status.where().task == "/job:worker/task:0"), status.to_string());
  BOOST_TEST(values() == "float32[] [1] float32[] [2]");
}

BOOST_AUTO_TEST_CASE(an_impossible_folder_is_an_error_and_the_cluster_goes_on) {
  train::Saver saver(b, host);
  set(1, 2);
  auto status = saver.save(*session, "/sys/model").status();
  BOOST_TEST((status.code() == Code::permission_denied), status.to_string());
  BOOST_TEST(values() == "float32[] [1] float32[] [2]");
  BOOST_TEST(saver.last_checkpoints().empty());
}

BOOST_AUTO_TEST_CASE(without_variables_there_is_nothing_to_save) {
  Builder empty;
  train::Saver saver(empty, host);
  BOOST_TEST(empty.status().to_string() == "InvalidArgument: there are no variables to save");
}

BOOST_AUTO_TEST_SUITE_END()
