#include <boost/test/unit_test.hpp>
#include <cstring>

#include "troupe/devices/cpu/cpu_device.hpp"
#include "troupe/devices/executor.hpp"
#include "troupe/devices/step_trace.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/ops/transfer.hpp"
#include "troupe/graph/passes/fuse_elementwise.hpp"
#include "troupe/tests/devices/cpu/math/random_program.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"
#include "troupe/tests/devices/waiting.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace fused_kernel {
namespace {

template <class T>
bool same_elements(const Tensor& a, const Tensor& b) {
  const auto *x = a.data<T>(), *y = b.data<T>();
  for (int64_t i = 0; i < a.elements(); ++i) {
    auto u = static_cast<double>(x[i]), v = static_cast<double>(y[i]);
    if (std::memcmp(x + i, y + i, sizeof(T)) == 0 || (u != u && v != v)) continue;
    BOOST_TEST_MESSAGE("element " << i << " is " << u << " and " << v);
    return false;
  }
  return true;
}

/// Bit by bit, but for what a NaN looks like.
bool are_same(const Result<Tensors>& a, const Result<Tensors>& b) {
  if (!a || !b) return a.status() == b.status();
  if (a->size() != b->size()) return false;
  for (size_t i = 0; i < a->size(); ++i) {
    const auto &x = (*a)[i], &y = (*b)[i];
    if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
    bool same = x.dtype() == DType::float16    ? same_elements<float16>(x, y)
                : x.dtype() == DType::bfloat16 ? same_elements<bfloat16>(x, y)
                : x.dtype() == DType::float32  ? same_elements<float>(x, y)
                                               : same_elements<double>(x, y);
    if (!same) return false;
  }
  return true;
}

struct FusedFixture {
  std::shared_ptr<Device> device = make_cpu_device({.threads = 2});

  /// Runs it in both ways.
  void check_same(const FusedProgram& program) {
    auto single = program.run(/*fuses=*/false, device);
    auto fused = program.run(/*fuses=*/true, device);
    BOOST_TEST(are_same(single, fused));
    BOOST_TEST(are_same(single, program.run(/*fuses=*/true, device, /*copies=*/true)));
  }
};

}  // namespace
}  // namespace fused_kernel

using namespace fused_kernel;

BOOST_FIXTURE_TEST_SUITE(fused_kernel_suite, FusedFixture)

BOOST_AUTO_TEST_CASE(fused_nodes_have_the_bits_of_single_ones) {
  const Shape wholes[] = {{},        {1},     {7},       {5000},    {3, 5},       {37, 129},
                          {40, 1},   {1, 60}, {4, 6, 5}, {2, 1, 9}, {3, 4, 5, 6}, {700, 10},
                          {3, 5000}, {0},     {4, 0},    {0, 3, 2}};
  const DType dtypes[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16};
  int64_t fused = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    RandomProgram random(seed);
    auto dtype = dtypes[seed % 2 == 0 ? 0 : random.below(4)];
    auto program = random.program(dtype, wholes[random.below(std::size(wholes))]);
    BOOST_TEST_CONTEXT("seed " << seed) check_same(program);
    fused += program.fused_count;
  }
  BOOST_TEST(fused > 1900);
}

BOOST_AUTO_TEST_CASE(large_fused_nodes_have_the_bits_of_single_ones_on_several_threads) {
  for (uint64_t seed = 0; seed < 8; ++seed) BOOST_TEST_CONTEXT("seed " << seed)
  check_same(RandomProgram(seed).program(
      DType::float32, seed % 2 == 0 ? Shape{1500, 700} : Shape{1 << 20}));
}

BOOST_AUTO_TEST_CASE(every_op_that_a_part_can_have_has_a_kernel_for_all_floating_dtypes) {
  for (const auto& [name, op] : fused_catalog()->all()) {
    auto operands = fusion::operand_count(name);
    if (operands == 0) continue;
    for (auto dtype : floating()) {
      FusedProgram program;
      auto x = program.feed(*Tensor::allocate(dtype, {2, 0}));
      auto y = program.feed(*Tensor::allocate(dtype, {name == "BiasAdd" ? 1 : 2, 0}));
      if (name == "BiasAdd") y = program.feed(*Tensor::allocate(dtype, {0}));
      auto of = operands == 1 ? std::vector<std::string>{x} : std::vector<std::string>{x, y};
      program.fetch(program.add("Neg", {program.add(name, of)}));
      auto answer = program.run(/*fuses=*/true, device);
      BOOST_TEST(answer.ok(), answer.status().to_string());
      BOOST_TEST(program.fused_count == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_error_is_at_the_node_that_was_fused) {
  FusedProgram program;
  auto x = program.feed(varied<float>({2, 3})), y = program.feed(varied<float>({4}));
  auto sum = program.add("Add", {program.add("Neg", {x}), y}, "the_sum");
  program.fetch(program.add("Relu", {sum}));
  auto fused = program.run(/*fuses=*/true, device).status();
  BOOST_TEST(
      fused.to_string() ==
      "InvalidArgument: shapes [2,3] and [4] cannot be broadcast together [node 'the_sum' (Add)]");
  BOOST_TEST((fused == program.run(/*fuses=*/false, device).status()));

  for (const auto& [op, shape] : std::vector<std::pair<std::string, Shape>>{
           {"BiasAdd", {4}}, {"BiasAdd", {1, 3}}, {"ReluGrad", {3}}, {"TanhGrad", {}}}) {
    FusedProgram other;
    auto a = other.feed(varied<float>({2, 3})), b = other.feed(varied<float>(shape));
    other.fetch(other.add("Neg", {other.add(op, {other.add("Exp", {a}), b}, "wrong")}));
    auto status = other.run(/*fuses=*/true, device).status();
    BOOST_TEST(status.where().node == "wrong");
    BOOST_TEST((status == other.run(/*fuses=*/false, device).status()));
  }
}

BOOST_AUTO_TEST_CASE(a_fetched_node_between_has_its_value) {
  FusedProgram program;
  auto x = program.feed(varied<float>({1000}));
  auto between = program.add("Tanh", {program.add("Neg", {x})});
  program.fetch(program.add("Sqrt", {program.add("Abs", {between})}), 0);
  program.fetch(between, 1);
  auto answer = program.run(/*fuses=*/true, device);
  BOOST_REQUIRE(answer.ok());
  BOOST_TEST(program.fused_count == 2);
  BOOST_TEST(are_same(answer, program.run(/*fuses=*/false, device)));
}

BOOST_AUTO_TEST_CASE(no_memory_is_taken_for_what_is_between) {
  constexpr uint64_t tensor = 1 << 20;
  FusedProgram program;
  auto x = program.feed(varied<float>({tensor / 4})), y = program.feed(varied<float>({tensor / 4}));
  // A tree, of which single nodes keep several results at once.
  auto a = program.add("Mul", {program.add("Add", {x, y}), program.add("Sub", {x, y})});
  auto b = program.add("Mul", {program.add("Tanh", {x}), program.add("Exp", {y})});
  program.fetch(program.add("Maximum", {a, b}));
  // The feeds are not of the device's memory.
  auto small = [] {
    return std::shared_ptr<Device>(make_cpu_device({.memory_limit = tensor * 3 / 2}));
  };
  BOOST_TEST(program.run(/*fuses=*/true, small()).ok());
  auto status = program.run(/*fuses=*/false, small()).status();
  BOOST_TEST((status.code() == Code::resource_exhausted));
}

BOOST_AUTO_TEST_CASE(a_result_without_memory_is_an_error_at_the_last_node) {
  FusedProgram program;
  auto x = program.feed(varied<float>({1 << 18}));
  program.fetch(program.add("Exp", {program.add("Neg", {x})}, "last"));
  std::shared_ptr<Device> small = make_cpu_device({.memory_limit = 1 << 19});
  auto status = program.run(/*fuses=*/true, small).status();
  BOOST_TEST((status.code() == Code::resource_exhausted));
  BOOST_TEST(status.where().node == "last");
  BOOST_TEST(status.where().op == "Exp");
}

BOOST_AUTO_TEST_CASE(a_dead_input_makes_a_fused_node_dead) {
  auto graph = std::make_shared<Graph>(fused_catalog());
  auto run = [&](bool fuses) {
    FusedProgram program;
    auto x = program.feed(varied<float>({4}));
    auto chosen = program.feed(Tensor::scalar(true));
    program.nodes.push_back(
        {.name = "switch",
         .op = "Switch",
         .inputs = {x, chosen},
         .attrs = {{"T", DType::float32}}});
    auto no = program.add("Exp", {program.add("Neg", {"switch:0"})});
    auto yes = program.add("Square", {program.add("Neg", {"switch:1"})});
    program.nodes.push_back(
        {.name = "merge",
         .op = "Merge",
         .inputs = {no, yes},
         .attrs = {{"T", DType::float32}, {"N", 2}}});
    program.fetch("merge:0");
    auto answer = show(program.run(fuses, device));
    BOOST_TEST(program.fused_count == (fuses ? 2 : 0));
    return answer;
  };
  BOOST_TEST(run(true) == run(false));
  BOOST_TEST(run(true).starts_with("float32[4]"));
}

BOOST_AUTO_TEST_CASE(a_trace_names_the_nodes_that_were_fused) {
  FusedProgram program;
  auto x = program.feed(varied<float>({100}));
  program.fetch(program.add("Exp", {program.add("Neg", {x}, "first")}, "last"));
  auto ticks = std::make_shared<int>(0);
  auto trace = std::make_shared<StepTrace>([ticks] { return StepTrace::Time(++*ticks); });
  BOOST_TEST(program.run(/*fuses=*/true, device, /*copies=*/false, trace).ok());
  const auto& runs = program.run_of.nodes;
  BOOST_REQUIRE(runs.size() == 4u);
  BOOST_TEST((runs[1].node == "first" && runs[1].op == "Neg" && runs[1].bytes == 0));
  BOOST_TEST((runs[2].node == "last" && runs[2].op == "Exp" && runs[2].bytes == 400));
  BOOST_TEST((runs[1].begin == runs[2].begin && runs[1].end == runs[2].end));
  BOOST_TEST((runs[1].begin < runs[1].end));
}

BOOST_AUTO_TEST_SUITE_END()
