#include "troupe/devices/op_library.hpp"

#include <dlfcn.h>

#include <exception>
#include <filesystem>
#include <fstream>

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/loaded_ops.hpp"
#include "troupe/tests/devices/check_gradient.hpp"
#include "troupe/tests/devices/run_graph.hpp"

namespace troupe::testing {
namespace {

/// A copy of the library under another name, so another library for the system.
std::string copy_of_library(const std::string& name) {
  auto path = std::filesystem::temp_directory_path() / name;
  std::filesystem::copy_file(
      TROUPE_OP_LIBRARY_FILE, path, std::filesystem::copy_options::overwrite_existing);
  return path.string();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(op_libraries)

BOOST_AUTO_TEST_CASE(a_catalog_and_a_device_made_before_have_the_ops_of_a_library) {
  GraphRunner runner;
  Builder b;
  auto library = load_op_library(TROUPE_OP_LIBRARY_FILE);
  BOOST_REQUIRE_MESSAGE(library.ok(), library.status().to_string());
  BOOST_TEST((library->ops == std::vector<std::string>{"RowNorms"}));
  auto x = b.constant(Tensor::of<float>({2, 2}, {3, 4, 0, 2}));
  auto norms = b.op("RowNorms", {x});
  BOOST_TEST(norms.shape().to_string() == "[2]");
  auto answers = runner.run(b, {}, {norms.name()});
  BOOST_REQUIRE_MESSAGE(answers.ok(), answers.status().to_string());
  BOOST_TEST(answers->front().to_string() == "float32[2] [5 2]");
}

BOOST_AUTO_TEST_CASE(an_op_of_a_library_has_a_gradient) {
  BOOST_REQUIRE(load_op_library(TROUPE_OP_LIBRARY_FILE).ok());
  GradientCase c{.op = "RowNorms", .inputs = {{Tensor::of<double>({2, 3}, {1, 2, 3, -4, 5, 6})}}};
  check_gradient(c, KnownShapes::shapes);
  check_gradient(c, KnownShapes::nothing);
}

BOOST_AUTO_TEST_CASE(a_library_that_is_loaded_again_adds_nothing) {
  BOOST_REQUIRE(load_op_library(TROUPE_OP_LIBRARY_FILE).ok());
  auto again = load_op_library(TROUPE_OP_LIBRARY_FILE);
  BOOST_REQUIRE(again.ok());
  BOOST_TEST(again->ops.size() == 1u);
  BOOST_TEST(loaded_ops::all().size() == 1u);
}

BOOST_AUTO_TEST_CASE(an_op_that_is_there_already_is_not_replaced) {
  BOOST_REQUIRE(load_op_library(TROUPE_OP_LIBRARY_FILE).ok());
  auto path = copy_of_library("troupe_same_ops.so");
  auto status = load_op_library(path).status();
  BOOST_TEST(
      status.to_string() ==
      "AlreadyExists: " + path + " cannot be loaded: there is an op 'RowNorms' already");
  std::filesystem::remove(path);
}

BOOST_AUTO_TEST_CASE(what_is_no_library_of_ops_is_an_error_that_says_so) {
  BOOST_TEST(
      load_op_library("/no/such.so").status().to_string() ==
      "NotFound: there is no file /no/such.so");
  auto text = std::filesystem::temp_directory_path() / "troupe_no_library.so";
  std::ofstream(text) << "no library";
  auto status = load_op_library(text.string()).status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message().find("cannot load " + text.string()) != std::string::npos);
  std::filesystem::remove(text);
  Dl_info standard_library{};
  BOOST_REQUIRE(::dladdr(reinterpret_cast<void*>(&std::terminate), &standard_library) != 0);
  auto other = load_op_library(standard_library.dli_fname).status();
  BOOST_TEST(other.message().find("is no library of ops") != std::string::npos, other.message());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
