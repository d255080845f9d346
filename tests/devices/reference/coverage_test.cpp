#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include <boost/test/unit_test.hpp>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/functional.hpp"
#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/tests/devices/reference/recorded_call.hpp"

namespace troupe::testing {
namespace {

/// All sources of tests of devices and what is above them, as one text.
std::string tests_of_devices() {
  std::string text;
  for (const auto* folder : {"devices", "actors", "capnp"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(TROUPE_REFERENCE).parent_path() / folder))
      if (entry.is_regular_file()) {
        std::ifstream file(entry.path());
        text.append(std::istreambuf_iterator<char>(file), {});
      }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(coverage)

BOOST_AUTO_TEST_CASE(every_op_has_a_docstring) {
  auto catalog = op_catalog();
  for (const auto& [name, op] : catalog->all())
    BOOST_TEST(op.doc().size() >= 5u, name << " has no docstring");
}

BOOST_AUTO_TEST_CASE(every_op_has_recorded_calls_or_is_named_by_a_test) {
  std::set<std::string> recorded;
  for (const auto& call : recorded_calls())
    if (call.succeeds()) recorded.insert(call.op);
  auto tests = tests_of_devices();
  auto catalog = op_catalog();
  for (const auto& [name, op] : catalog->all()) {
    if (recorded.contains(name) || name == transfer::arg) continue;  // each fed step has one
    if (fusion::is_fused(name)) continue;                            // tests make them by passes
    BOOST_TEST(
        tests.find('"' + name + '"') != std::string::npos, name << " has no reference and no test");
  }
}

BOOST_AUTO_TEST_CASE(every_op_has_a_kernel_or_is_resolved_before_a_device_runs_it) {
  // Functions are inlined before a graph is partitioned; handles are bound when a plan is compiled.
  // Only programs that have Python can call its functions: capnp/python/native has their kernels.
  std::set<std::string> of_programs = {"PyFunc", "PyFuncStateless"};
  auto kernels = cpu::make_kernel_catalog();
  auto catalog = op_catalog();
  for (const auto& [name, op] : catalog->all())
    BOOST_TEST(
        (kernels.contains(name) || functional::is_functional(name) || of_programs.contains(name) ||
         op.makes_resource_handle() || name == fusion::rows_op),  // of cards alone
        name << " has no kernel");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
