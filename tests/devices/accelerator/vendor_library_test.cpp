#include "troupe/devices/accelerator/vendor_library.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::accelerator;

BOOST_AUTO_TEST_SUITE(vendor_library)

BOOST_AUTO_TEST_CASE(what_the_loader_finds_is_installed) {
  for (const char* file : {"libc.so.6", "libstdc++.so.6"}) {
    BOOST_TEST(check_installed(file).ok());
    BOOST_TEST(load_library(file).ok());
  }
}

BOOST_AUTO_TEST_CASE(what_it_does_not_find_is_not_installed) {
  auto status = check_installed("libc.so.none");
  BOOST_TEST((status.code() == Code::unimplemented));
  BOOST_TEST(status.message() == "there is no libc.so.none where libraries are looked for");
  auto library = load_library("libc.so.none");
  BOOST_TEST((library.status().code() == Code::failed_precondition));
  BOOST_TEST(library.status().message().starts_with("cannot load libc.so.none: "));
}

BOOST_AUTO_TEST_CASE(functions_that_a_library_lacks_are_null) {
  auto library = load_library("libc.so.6");
  BOOST_TEST_REQUIRE(library.ok());
  int (*there)(int) = nullptr;
  int (*missing)(int) = &::isalpha;
  find_function(*library, "toupper", there);
  find_function(*library, "no_function_of_c", missing);
  BOOST_TEST(there('a') == 'A');
  BOOST_TEST(!missing);
}

BOOST_AUTO_TEST_SUITE_END()
