#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// The address of a server.
struct Address {
  static constexpr int default_port = 2222;

  std::string host;
  int port = default_port;  // 0: the system chooses one

  /// "host:port", "host" (the default port), "[::1]:port"; with or without a scheme "troupe://" or
  /// "grpc://". InvalidArgument quotes the text and says what is wrong.
  static Result<Address> parse(std::string_view text);
  std::string to_string() const;  // "host:port"
  auto operator<=>(const Address&) const = default;
};

}  // namespace troupe
