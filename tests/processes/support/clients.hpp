#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>

#include "troupe/capnp/client/client.hpp"

namespace troupe::testing {

// These fail the test if the call fails.

inline std::unique_ptr<Client> connect(
    const std::string& target, const ConnectOptions& options = {}) {
  auto client = Client::connect(target, options);
  BOOST_TEST_REQUIRE(client.ok(), client.status().to_string());
  return *std::move(client);
}

inline std::unique_ptr<Session> open(Client& client) {
  auto session = client.session();
  BOOST_TEST_REQUIRE(session.ok(), session.status().to_string());
  return *std::move(session);
}

inline void check_says(const std::string& text, const std::string& part) {
  BOOST_TEST(text.find(part) != std::string::npos, "'" << part << "' is not in: " << text);
}

}  // namespace troupe::testing
