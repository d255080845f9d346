#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "troupe/tests/processes/cli/run_cli.hpp"
#include "troupe/tests/processes/support/clients.hpp"

using namespace troupe;
using namespace troupe::testing;
using Json = nlohmann::json;

BOOST_AUTO_TEST_SUITE(command_line_words)

BOOST_AUTO_TEST_CASE(ops_are_listed_as_lines_and_as_objects) {
  auto text = run_cli({"ops"});
  BOOST_TEST(text.code == 0, text.errors);
  check_says(text.output, "\nMatMul(a: T, b: T");
  auto json = run_cli({"ops", "--json"});
  std::istringstream lines(json.output);
  std::set<std::string> families;
  for (std::string line; std::getline(lines, line);) {
    auto op = Json::parse(line);
    if (op["op"] == "MatMul") BOOST_TEST(op["has_gradient"] == true);
    families.insert(op["family"].get<std::string>());
  }
  BOOST_TEST(families.size() > 10U);
}

BOOST_AUTO_TEST_CASE(launch_names_its_targets_as_objects_where_it_is_asked_to) {
  auto ended = run_cli({"launch", "--json", "worker=1", "--", "true"});
  BOOST_TEST(ended.code == 0, ended.errors);
  auto task = Json::parse(ended.errors.substr(0, ended.errors.find('\n')));
  BOOST_TEST(task["task"] == "/job:worker/task:0");
  check_says(task["target"].get<std::string>(), "troupe://127.0.0.1:");
}

BOOST_AUTO_TEST_CASE(
    each_command_has_an_example_and_is_completed_with_its_flags_and_the_common_ones) {
  auto completion = run_cli({"completion"}).output;
  auto begin = completion.find("all_commands=\"") + 14;
  std::istringstream commands(completion.substr(begin, completion.find('"', begin) - begin));
  auto count = 0;
  for (std::string command; commands >> command; ++count) {
    auto help = run_cli({command, "--help"});
    BOOST_TEST(help.output.find("troupe " + command) != std::string::npos, command);
    check_says(help.output, "Example");
    // What bash would offer for "troupe COMMAND --".
    Process bash(
        {.program = "/bin/bash",
         .arguments =
             {"-c", completion + "COMP_WORDS=(troupe " + command +
                        " --); COMP_CWORD=2; _troupe; echo ${COMPREPLY[@]}"},
         .environment = {}});
    BOOST_TEST(bash.wait().value_or(-1) == 0);
    for (const auto* flag : {"--help", "--target", "--timeout", "--json"})
      check_says(bash.output(), flag);
  }
  BOOST_TEST(count > 10);
}

BOOST_AUTO_TEST_CASE(wrong_words_are_refused_with_a_hint) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {},
           {"frob"},
           {"launch", "worker"},
           {"launch", "worker=0"},
           {"ls", "--", "sleep", "1"},
           {"launch", "worker=1", "--hosts", "a"}}) {
    auto ended = run_cli(words);
    BOOST_TEST(ended.code == 2);
    check_says(ended.errors, "troupe: InvalidArgument: ");
  }
  auto nobody =
      run_cli({"--timeout", "0.2", "--target", "127.0.0.1:" + std::to_string(free_port()), "ls"});
  BOOST_TEST(nobody.code == 1);
  check_says(nobody.errors, "TROUPE_TARGET");
}

BOOST_AUTO_TEST_SUITE_END()
