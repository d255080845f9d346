#include "troupe/graph/cluster/address.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(address)

namespace {

std::string spelled(std::string_view text) {
  auto address = Address::parse(text);
  BOOST_TEST_REQUIRE(address.ok(), address.status().to_string());
  return address->to_string();
}

std::string fault_of(std::string_view text) {
  auto address = Address::parse(text);
  BOOST_TEST_REQUIRE(!address.ok(), "no fault found in " << text);
  BOOST_TEST((address.status().code() == Code::invalid_argument));
  return address.status().message();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_host_may_stand_without_port_and_with_a_scheme) {
  BOOST_TEST(spelled("host") == "host:2222");
  BOOST_TEST(spelled("tf-worker-0.ns_1.svc:80") == "tf-worker-0.ns_1.svc:80");
  BOOST_TEST(spelled("troupe://host:1") == "host:1");
  BOOST_TEST(spelled("grpc://host:65535") == "host:65535");
  BOOST_TEST(spelled("127.0.0.1:0") == "127.0.0.1:0");
}

BOOST_AUTO_TEST_CASE(an_ipv6_address_stands_in_brackets) {
  BOOST_TEST(Address::parse("[::1]:5")->host == "::1");
  BOOST_TEST(spelled("[::1]:5") == "[::1]:5");
  BOOST_TEST(spelled("[fe80::1%eth0]") == "[fe80::1%eth0]:2222");
  BOOST_TEST(
      fault_of("::1") == "address '::1': more than one ':'; write an IPv6 address as [::1]:port");
  BOOST_TEST(fault_of("[::1") == "address '[::1': expected host:port or [ipv6]:port");
  BOOST_TEST(fault_of("[::1]5") == "address '[::1]5': expected host:port or [ipv6]:port");
}

BOOST_AUTO_TEST_CASE(a_fault_quotes_the_address_and_says_what_is_wrong) {
  BOOST_TEST(fault_of("") == "address '': the host is missing");
  BOOST_TEST(fault_of(":80") == "address ':80': the host is missing");
  BOOST_TEST(
      fault_of("host:x") == "address 'host:x': the port 'x' is not a number from 0 to 65535");
  for (auto text :
       {"host:", "host:65536", "host:-1", "host:+1", "host: 1", "host:1/", "a b:1", "http://host:1",
        "user@host:1", "[]:1"})
    fault_of(text);
}

BOOST_AUTO_TEST_SUITE_END()
