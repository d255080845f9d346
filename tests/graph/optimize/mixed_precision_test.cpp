#include "troupe/graph/optimize/mixed_precision.hpp"

#include <map>

#include "troupe/graph/build/control_flow.hpp"
#include "troupe/tests/graph/optimize/pass_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

const std::string gpu = "/job:b/device:GPU:0";

/// Nodes are on a GPU, unless they are placeholders.
struct MixedFixture : PassFixture {
  PrecisionLists lists = *PrecisionLists::from({});
  Value x = b.named("x").placeholder(DType::float32, {4, 4});
  Value w = b.named("w").placeholder(DType::float32, {4, 4});
  std::string on_cpus = "none";  // an op

  MixedFixture() : PassFixture("") {}

  Value product(const Value& a, const std::string& name) {
    return b.on(gpu).named(name).matmul(a, w);
  }
  Value unary(const std::string& op, const Value& value, const std::string& name = "") {
    return b.on(gpu).named(name.empty() ? op : name).op(op, {value});
  }
  /// Through a node that keeps its dtype, as what is fetched does.
  Value out(const Value& value) {
    return b.on(gpu).named("out").op("Identity", {b.on(gpu).named("last").op("Exp", {value})});
  }

  std::shared_ptr<const PlacedStep> mix(const Values& fetches, Values feeds = {}) {
    BOOST_TEST_REQUIRE(b.status().ok(), b.status().to_string());
    StepSignature signature;
    for (const auto& fetch : fetches) signature.fetches.push_back(fetch.name());
    feeds.push_back(x);
    feeds.push_back(w);
    for (const auto& feed : feeds) signature.feeds.push_back(feed.name());
    auto step = prune(b.graph(), signature);
    BOOST_TEST_REQUIRE(step.ok(), step.status().to_string());
    std::map<NodeId, DeviceName> devices;
    for (auto id : step->nodes) {
      const auto& node = b.graph().node(id);
      auto is_gpu = node.device.ends_with("GPU:0") && node.op->name() != on_cpus;
      devices[id] = DeviceName{"b", 0, is_gpu ? "GPU" : "CPU", 0};
    }
    return mix_precision(b.graph(), *step, devices, lists);
  }

  /// The names of the nodes that give float16, but for casts and constants that were made.
  std::string halves(const Values& fetches, const Values& feeds = {}) {
    auto mixed = mix(fetches, feeds);
    if (!mixed) return "unchanged";
    std::string names;
    for (auto id : mixed->step.nodes) {
      const auto& node = mixed->graph->node(id);
      auto is_made = node.name.find("AutoMixedPrecision") != std::string::npos;
      if (is_made || node.output_dtypes.empty()) continue;
      if (node.output_dtypes[0] == DType::float16) names += (names.empty() ? "" : " ") + node.name;
    }
    return names;
  }

  /// The nodes that were made, "name(inputs)".
  std::string made(const Values& fetches, const Values& feeds = {}) {
    auto mixed = mix(fetches, feeds);
    if (!mixed) return "unchanged";
    std::string lines;
    for (auto id : mixed->step.nodes) {
      auto def = mixed->graph->def_of(id);
      auto at = def.name.find("-AutoMixedPrecision");
      if (at == std::string::npos) continue;
      lines += (lines.empty() ? "" : " ") + def.op + ":" + def.name.substr(0, at) + "(";
      for (const auto& input : def.inputs) lines += (&input == &def.inputs[0] ? "" : ",") + input;
      lines += ")";
    }
    return lines;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mixed_precision_pass, MixedFixture)

BOOST_AUTO_TEST_CASE(products_on_gpus_are_of_float16_with_casts_around_them) {
  auto y = out(product(x, "y"));
  BOOST_TEST(halves({y}) == "y");
  BOOST_TEST(
      made({y}) ==
      "Cast:x-0-CastToFp16(_feed/0/x:0) Cast:w-0-CastToFp16(_feed/0/w:0) "
      "Cast:y-0-CastToFp32(y:0)");
}

BOOST_AUTO_TEST_CASE(products_on_cpus_stay) {
  auto here = b.named("here").matmul(x, w);
  BOOST_TEST(halves({b.exp(here)}) == "unchanged");
  BOOST_TEST(halves({out(product(b.relu(here), "there"))}) == "there");
}

BOOST_AUTO_TEST_CASE(a_value_is_cast_once_for_all_that_use_it) {
  auto a = product(x, "a"), c = product(x, "c");
  auto y = out(b.on(gpu).named("both").add(a, c));
  BOOST_TEST(halves({y}) == "a c");
  auto casts = made({y});
  BOOST_TEST(casts.find("x-0-CastToFp16", casts.find("x-0-CastToFp16") + 1) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_fetched_or_fed_keeps_its_dtype) {
  auto y = product(x, "y");
  BOOST_TEST(halves({y}) == "unchanged");
  auto z = product(y, "z"), end = out(z);
  BOOST_TEST(halves({end, y}) == "z");
  BOOST_TEST(halves({end}, {y}) == "z");
  BOOST_TEST(made({end}, {y}).starts_with("Cast:y-0-CastToFp16(_feed/0/y:0)"));
}

BOOST_AUTO_TEST_CASE(what_lies_between_products_follows_them) {
  auto y = out(product(unary("Relu", unary("Tanh", product(x, "a"))), "c"));
  BOOST_TEST(halves({y}) == "a Tanh Relu c");
}

BOOST_AUTO_TEST_CASE(what_is_inferred_at_the_end_stays_and_what_moves_numbers_follows) {
  BOOST_TEST(halves({out(unary("Tanh", product(x, "a")))}) == "a");
  auto moved = unary("Neg", unary("Relu", product(x, "c")));
  BOOST_TEST(halves({b.on(gpu).named("end").op("Exp", {moved})}) == "c Relu Neg");
}

BOOST_AUTO_TEST_CASE(what_is_denied_stays_and_what_follows_from_it) {
  // Denied, clear, inferred: all three stay; after that a clear one follows the product.
  auto denied = unary("Neg", unary("Exp", product(x, "a")));
  auto inferred = b.on(gpu).named("sum").add(denied, unary("Neg", product(x, "c"), "other"));
  auto y = out(product(unary("Relu", inferred), "d"));
  BOOST_TEST(halves({y}) == "a c other Relu d");
}

BOOST_AUTO_TEST_CASE(other_dtypes_stay) {
  auto numbers = b.on(gpu).named("numbers").cast(x, DType::float64);
  auto wide = b.on(gpu).named("wide").matmul(numbers, numbers);
  BOOST_TEST(halves({b.on(gpu).named("end").exp(wide)}) == "unchanged");
  auto index = b.on(gpu).named("index").op("ArgMax", {product(x, "a"), b.constant(0)});
  auto y = b.on(gpu).named("end2").identity(index);
  BOOST_TEST(halves({y}) == "a");
  BOOST_TEST(made({y}).find("Fp32") == std::string::npos);  // it compares numbers of float16
}

BOOST_AUTO_TEST_CASE(a_cast_that_only_such_ops_use_gives_float16_itself) {
  auto pixels = b.named("pixels").placeholder(DType::uint8, {4, 4});
  auto real = b.named("real").cast(pixels, DType::float32);
  auto y = out(product(real, "y"));
  BOOST_TEST(halves({y}, {pixels}) == "real y");
  auto also = b.named("also").exp(real);
  BOOST_TEST(halves({y, also}, {pixels}) == "y");
  BOOST_TEST(halves({y, real}, {pixels}) == "y");
}

BOOST_AUTO_TEST_CASE(a_constant_has_a_second_one_beside_it) {
  auto ones = b.named("ones").constant(Tensor::of<float>({4}, {1, 2, 3, 4}));
  auto biased = b.on(gpu).named("biased").op("BiasAdd", {product(x, "a"), ones});
  auto y = out(product(biased, "c"));
  auto mixed = mix({y});
  BOOST_REQUIRE(mixed);
  auto id = mixed->graph->find("ones-0-CastToFp16-AutoMixedPrecision");
  BOOST_REQUIRE(id.ok());
  const auto& made = mixed->graph->node(*id);
  BOOST_TEST(made.op->name() == "Const");
  BOOST_TEST(static_cast<float>(made.attr<Tensor>("value").data<float16>()[2]) == 3.0f);
}

BOOST_AUTO_TEST_CASE(lists_of_values_are_of_several_dtypes) {
  auto list = b.on(gpu).named("list").op("IdentityN", {product(x, "a"), b.exp(x)});
  auto c = b.on(gpu).named("c").matmul(list.output(0), w);
  auto d = b.on(gpu).named("d").exp(list.output(1));
  auto mixed = mix({out(c), b.on(gpu).named("end").identity(d)});
  BOOST_REQUIRE(mixed);
  const auto& node = mixed->graph->node(*mixed->graph->find("list"));
  BOOST_TEST((node.output_dtypes == DTypes{DType::float16, DType::float32}));
  BOOST_TEST(halves({out(c)}) == "a list c");
}

BOOST_AUTO_TEST_CASE(a_normalization_keeps_its_statistics) {
  auto images = b.on(gpu).named("images").reshape(product(x, "a"), b.ints({1, 2, 2, 4}));
  auto scale = b.named("scale").constant(Tensor::of<float>({4}, {1, 1, 1, 1}));
  auto none = b.named("none").constant(Tensor::of<float>({0}, {}));
  auto norm = b.on(gpu).named("norm").op(
      "FusedBatchNorm", {images, scale, scale, none, none}, {{"is_training", true}});
  auto flat = b.on(gpu).named("flat").reshape(norm.output(0), b.ints({4, 4}));
  auto mixed = mix({out(product(flat, "c")), b.on(gpu).named("mean").exp(norm.output(1))});
  BOOST_REQUIRE(mixed);
  const auto& node = mixed->graph->node(*mixed->graph->find("norm"));
  BOOST_TEST(node.op->name() == "FusedBatchNormV2");
  BOOST_TEST((node.output_dtypes[0] == DType::float16));
  BOOST_TEST((node.output_dtypes[1] == DType::float32));
}

BOOST_AUTO_TEST_CASE(what_the_environment_adds_and_removes_changes_the_lists) {
  auto y = out(unary("Erf", product(x, "a")));
  auto changed = [&](const std::string& name, const std::string& value) {
    lists = *PrecisionLists::from({{"TF_AUTO_MIXED_PRECISION_GRAPH_REWRITE_" + name, value}});
    return halves({y});
  };
  BOOST_TEST(changed("WHITELIST_ADD", "Square") == "a");
  BOOST_TEST(changed("WHITELIST_REMOVE", "Conv2D, MatMul") == "unchanged");
  BOOST_TEST(changed("GRAYLIST_REMOVE", "Erf") == "a");
  BOOST_TEST(changed("LEVEL", "tensor_cores_only") == "a");
  BOOST_TEST(changed("LEVEL", "UNSAFE_FORCE_ALL") == "a Erf last");
  auto wrong = PrecisionLists::from({{"TF_AUTO_MIXED_PRECISION_GRAPH_REWRITE_LEVEL", "HIGH"}});
  BOOST_TEST((wrong.status().code() == Code::invalid_argument));
  wrong = PrecisionLists::from({{"TF_AUTO_MIXED_PRECISION_GRAPH_REWRITE_BLACKLIST_ADD", "MatMul"}});
  BOOST_TEST(
      wrong.status().message() == "the op 'MatMul' is in several of the lists for mixed precision");
}

BOOST_AUTO_TEST_CASE(a_reference_is_read_when_its_user_runs) {
  auto variable = b.on(gpu)
                      .named("variable")
                      .op("VariableV2", {}, {{"shape", Shape{4, 4}}, {"dtype", DType::float32}});
  auto before = b.on(gpu).named("before").op("NoOp");
  auto a = b.on(gpu).named("a").matmul(x, variable);
  auto c = b.after({before}).on(gpu).named("c").matmul(x, variable);
  auto casts = made({out(b.on(gpu).named("both").add(a, c))});
  BOOST_TEST(casts.find("variable-0-CastToFp16(variable:0) ") != std::string::npos, casts);
  BOOST_TEST(casts.find("variable-0-CastToFp16(variable:0,^before)") != std::string::npos, casts);
}

BOOST_AUTO_TEST_CASE(the_copy_of_a_variable_of_references_stays) {
  auto variable = b.on(gpu)
                      .named("variable")
                      .op("VariableV2", {}, {{"shape", Shape{4, 4}}, {"dtype", DType::float32}});
  auto read = b.on(gpu).named("variable/read").op("Identity", {variable});
  auto again = b.on(gpu).named("again").op("Identity", {read});
  auto y = out(b.on(gpu).named("a").matmul(x, again));
  BOOST_TEST(halves({y}) == "again a");
}

BOOST_AUTO_TEST_CASE(a_value_of_a_loop_has_one_dtype_in_all_iterations) {
  auto loop_from = [&](const Value& initial) {
    return while_loop(
        b.on(gpu),
        [](const Builder& g, const Values& at) {
          return g.op("Less", {at[0], g.constant(3.0f)});
        },
        [&](const Builder& g, const Values& at) {
          auto next = g.relu(g.named("inside").matmul(g.tanh(at[1]), w));
          return Values{g.add(at[0], g.constant(1.0f)), next};
        },
        {b.on(gpu).constant(0.0f), initial})[1];
  };
  auto merges = [](const PlacedStep& step) {
    return std::ranges::count_if(step.step.nodes, [&](NodeId id) {
      const auto& node = step.graph->node(id);
      return node.op->name() == "Merge" && node.output_dtypes[0] == DType::float16;
    });
  };
  // Around: the loop's value comes from a product, or from what is denied.
  auto plain = loop_from(product(x, "a")), denied = loop_from(b.on(gpu).exp(x));
  auto ends = [&](const Value& value) { return out(product(value, "c")); };
  auto mixed = mix({ends(plain)});
  BOOST_REQUIRE(mixed);
  BOOST_TEST(merges(*mixed) == 1);
  mixed = mix({ends(denied)});
  BOOST_REQUIRE(mixed);
  BOOST_TEST(merges(*mixed) == 0);
  on_cpus = "NextIteration";
  mixed = mix({ends(plain)});
  BOOST_REQUIRE(mixed);
  BOOST_TEST(merges(*mixed) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
