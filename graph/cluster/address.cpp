#include "troupe/graph/cluster/address.hpp"

#include <algorithm>
#include <optional>

#include "troupe/graph/support/text.hpp"

namespace troupe {
namespace {

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

bool is_ipv6_character(char c) { return is_host_character(c) || c == ':' || c == '%'; }

struct Parts {
  std::string_view host;
  std::optional<std::string_view> port;
  bool in_brackets = false;
};

std::optional<Parts> split_host_and_port(std::string_view text) {
  Parts parts;
  if (text.starts_with('[')) {
    auto end = text.find(']');
    if (end == std::string_view::npos) return {};
    parts.in_brackets = true;
    parts.host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (!text.empty() && text[0] != ':') return {};
  } else {
    parts.host = text.substr(0, text.find(':'));
    text.remove_prefix(parts.host.size());
  }
  if (!text.empty()) parts.port = text.substr(1);
  return parts;
}

std::string_view without_scheme(std::string_view text) {
  for (std::string_view scheme : {"troupe://", "grpc://"})
    if (text.starts_with(scheme)) return text.substr(scheme.size());
  return text;
}

}  // namespace

Result<Address> Address::parse(std::string_view text) {
  auto fault = [&](const std::string& why) {
    return invalid_argument("address " + quote(text) + ": " + why);
  };
  auto parts = split_host_and_port(without_scheme(text));
  if (!parts) return fault("expected host:port or [ipv6]:port");
  if (!parts->in_brackets && parts->port && parts->port->find(':') != std::string_view::npos)
    return fault("more than one ':'; write an IPv6 address as [::1]:port");
  if (parts->host.empty()) return fault("the host is missing");
  if (!std::ranges::all_of(parts->host, parts->in_brackets ? is_ipv6_character : is_host_character))
    return fault("the host " + quote(parts->host) + " has characters that no host name has");
  if (!parts->port) return Address{.host = std::string(parts->host)};
  auto port = parse_number(*parts->port);
  if (!port || *port > 65535)
    return fault("the port " + quote(*parts->port) + " is not a number from 0 to 65535");
  return Address{.host = std::string(parts->host), .port = *port};
}

std::string Address::to_string() const {
  bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace troupe
