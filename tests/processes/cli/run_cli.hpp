#pragma once

#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "troupe/tests/processes/support/nodes.hpp"

namespace troupe::testing {

struct EndedCommand {
  int code;
  std::string output, errors;
};

/// Runs `troupe` to its end.
inline EndedCommand run_cli(std::vector<std::string> arguments) {
  Process command(
      {.program = program("troupe"), .arguments = std::move(arguments), .environment = {}});
  auto code = command.wait();
  BOOST_TEST_REQUIRE(code.has_value(), "it does not end; " << command.errors());
  return {*code, command.output(), command.errors()};
}

}  // namespace troupe::testing
