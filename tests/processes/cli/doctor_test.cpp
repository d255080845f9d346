#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "troupe/tests/processes/cli/run_cli.hpp"
#include "troupe/tests/processes/support/clients.hpp"
#include "troupe/tests/processes/support/nodes.hpp"

using namespace troupe;
using namespace troupe::testing;
using Json = nlohmann::json;

BOOST_AUTO_TEST_SUITE(doctor_command)

BOOST_AUTO_TEST_CASE(doctor_finds_nothing_wrong_with_a_cluster_that_is_well) {
  NodeCluster nodes({{"ps", 1}, {"worker", 1}});
  auto doctor = run_cli({"--target", nodes.target("ps", 0), "doctor"});
  BOOST_TEST(doctor.code == 0, doctor.output);
}

BOOST_AUTO_TEST_CASE(doctor_warns_of_a_clock_that_differs_and_says_the_mend) {
  auto ports = std::array{free_port(), free_port()};
  auto address = [&](int task) { return "127.0.0.1:" + std::to_string(ports[task]); };
  auto start = [&](int task, const std::string& shift_ms) {
    return Process(
        {.program = program("troupe-node"),
         .arguments =
             {"--cluster", "worker=" + address(0) + "," + address(1), "--job", "worker", "--task",
              std::to_string(task)},
         .environment = {
             {"LD_PRELOAD", TROUPE_SHIFTED_CLOCK},
             {"ASAN_OPTIONS", "verify_asan_link_order=0"},
             {"TROUPE_TEST_CLOCK_SHIFT_MS", shift_ms}}});
  };
  auto well = start(0, "0");
  auto ahead = start(1, "1500");
  auto target = await_target(well);
  await_target(ahead);
  auto doctor = run_cli({"--target", target, "doctor"});
  BOOST_TEST(doctor.code == 0, doctor.output);  // the cluster works
  check_says(doctor.output, "warning  clock of /job:worker/task:1: it is 1500.");
  check_says(doctor.output, " ms ahead of the others\n");
  check_says(doctor.output, "timedatectl set-ntp true");
  auto lines = run_cli({"--json", "--target", target, "doctor"}).output;
  std::map<std::string, Json> clocks;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);)
    if (auto found = Json::parse(line); found.contains("offset_ms"))
      clocks[found["subject"].get<std::string>()] = found;
  BOOST_TEST_REQUIRE(clocks.size() == 3U, lines);
  BOOST_TEST(clocks["clock of this machine"]["state"] == "well");
  BOOST_TEST(clocks["clock of /job:worker/task:0"]["ok"] == true);
  const auto& off = clocks["clock of /job:worker/task:1"];
  BOOST_TEST(off["state"] == "warning");
  BOOST_TEST(off["ok"] == false);
  auto error_ms = std::abs(off["offset_ms"].get<double>() - 1500);
  BOOST_TEST(error_ms <= off["uncertainty_ms"].get<double>());
}

BOOST_AUTO_TEST_SUITE_END()
