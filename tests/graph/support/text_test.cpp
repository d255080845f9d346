#include "troupe/graph/support/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(quotes_and_blanks) {
  BOOST_TEST(quote("ps") == "'ps'");
  BOOST_TEST(trim(" \tps 0\r\n") == "ps 0");
  BOOST_TEST(trim(" \n") == "");
}

BOOST_AUTO_TEST_CASE(there_is_one_more_part_than_separators) {
  BOOST_TEST(split(" a, b ,c", ',') == (std::vector<std::string_view>{"a", "b", "c"}));
  BOOST_TEST(split("", ',') == std::vector<std::string_view>{""});
  BOOST_TEST(split("a,", ',') == (std::vector<std::string_view>{"a", ""}));
}

BOOST_AUTO_TEST_CASE(a_number_is_digits_and_nothing_else) {
  BOOST_TEST(parse_number("017").value() == 17);
  BOOST_TEST(parse_number("2147483647").value() == 2147483647);
  for (auto wrong : {"", "-1", "+1", " 1", "1.0", "0x1", "2147483648"})
    BOOST_TEST(!parse_number(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(a_size_may_have_a_unit) {
  BOOST_TEST(parse_bytes("0").value() == 0U);
  BOOST_TEST(parse_bytes("1234567").value() == 1234567U);
  BOOST_TEST(parse_bytes("512MiB").value() == 512ULL << 20);
  BOOST_TEST(parse_bytes("2 GiB").value() == 2ULL << 30);
  BOOST_TEST(parse_bytes("1.5G").value() == 3ULL << 29);
  BOOST_TEST(parse_bytes("64K").value() == 64ULL << 10);
  BOOST_TEST(parse_bytes("1TB").value() == 1ULL << 40);
  BOOST_TEST(parse_bytes("10Mi").value() == 10ULL << 20);
  for (auto wrong :
       {"", "G", "-1", "+1", ".5G", "inf", "nan", "1e9", "1X", "1GiBs", "1 2", "0x10", "16777216T",
        "99999999999999999999999999"})
    BOOST_TEST(!parse_bytes(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(seconds_have_one_decimal) {
  using namespace std::chrono_literals;
  BOOST_TEST(seconds_text(2500ms) == "2.5 s");
  BOOST_TEST(seconds_text(10s) == "10.0 s");
}

BOOST_AUTO_TEST_SUITE_END()
