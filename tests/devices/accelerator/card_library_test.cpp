#include "troupe/devices/accelerator/card_library.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace troupe::accelerator;

namespace {

Status fault_of(const CudaPlaces& places) {
  auto library = load_cuda(places);
  BOOST_TEST_REQUIRE(!library.ok());
  return library.status();
}

constexpr const char* any_file = "/proc/self/exe";

}  // namespace

BOOST_AUTO_TEST_SUITE(card_library)

BOOST_AUTO_TEST_CASE(nothing_is_loaded_where_the_system_has_no_driver) {
  auto status = fault_of({.driver_files = {"/dev/none", "/dev/neither"}, .libraries = {any_file}});
  BOOST_TEST((status.code() == Code::not_found));
  BOOST_TEST(status.message() == "there is no NVIDIA driver: no /dev/none or /dev/neither");
}

BOOST_AUTO_TEST_CASE(a_build_without_cuda_says_so_where_there_is_a_driver) {
  auto status = fault_of({.driver_files = {any_file}, .libraries = {"/none/libtroupe_cuda.so"}});
  BOOST_TEST((status.code() == Code::failed_precondition));
  BOOST_TEST(
      status.message() ==
      "this Troupe was built without CUDA: there is no /none/libtroupe_cuda.so");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_library_of_cards_is_refused) {
  auto text = fault_of({.driver_files = {any_file}, .libraries = {TROUPE_REFERENCE "/README.md"}});
  BOOST_TEST(text.message().starts_with("cannot load " TROUPE_REFERENCE "/README.md"));
  auto of_ops = fault_of({.driver_files = {any_file}, .libraries = {TROUPE_OP_LIBRARY_FILE}});
  BOOST_TEST(of_ops.message() == TROUPE_OP_LIBRARY_FILE " is no library of cards");
}

#ifdef TROUPE_CUDA_LIBRARY
BOOST_AUTO_TEST_CASE(the_library_of_cards_is_loaded_beside_all_that_a_node_has) {
  // The messages of protobuf, a second time, would end the process.
  auto library = load_cuda({.driver_files = {any_file}, .libraries = {TROUPE_CUDA_LIBRARY}});
  BOOST_TEST_REQUIRE(library.ok(), library.status().to_string());
  auto count = (*library)->count();
  if (!count)
    BOOST_TEST(count.status().message().find("NVIDIA's driver is for CUDA") != std::string::npos);
  KernelCatalog kernels;
  (*library)->add_kernels(kernels);
}
#endif

BOOST_AUTO_TEST_SUITE_END()
