#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/cpu/random/random_draws.hpp"

// The expected numbers are TensorFlow's (2.21), which go back to its first releases.

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(random_streams)

const Attrs seeds = {{"seed", 3}, {"seed2", 4}};

Attrs with_seeds(Attrs attrs = {}) {
  attrs.insert(seeds.begin(), seeds.end());
  return attrs;
}

Attrs of_dtype(DType dtype) { return with_seeds({{"dtype", dtype}}); }

/// What an op answers to the last of some launches.
struct LaterDraw {
  const char* op;
  Attrs attrs;
  std::vector<Tensors> launches;
  std::vector<double> expected;
  size_t output = 0;
};

void check(const LaterDraw& c) {
  StreamKernel kernel(c.op, c.launches[0], c.attrs);
  Tensors last;
  for (const auto& inputs : c.launches) last = kernel.launch(inputs);
  check_near(c.op, numbers_of(last[c.output]), c.expected);
}

/// Launches with shapes of 3, of 2 and of 4 numbers, and always the same further inputs.
std::vector<Tensors> shapes(const Tensors& rest = {}) {
  std::vector<Tensors> launches;
  for (int32_t size : {3, 2, 4}) {
    launches.push_back({vec<int32_t>({size})});
    launches.back().insert(launches.back().end(), rest.begin(), rest.end());
  }
  return launches;
}

template <class T>
Tensor number(T value) {
  return Tensor::scalar<T>(value);
}

Tensor counted(int32_t count) {
  std::vector<int32_t> values;
  for (int32_t i = 0; i < count; ++i) values.push_back(i);
  return Tensor::of<int32_t>({count}, std::span<const int32_t>(values));
}

/// What is drawn of one launch, at some positions.
struct LargeDraw {
  const char* op;
  Attrs attrs;
  Tensors inputs;
  std::vector<int64_t> positions;
  std::vector<double> expected;
};

void check(const LargeDraw& c) {
  auto all = StreamKernel(c.op, c.inputs, c.attrs).launch(c.inputs)[0];
  std::vector<double> got;
  for (auto position : c.positions) got.push_back(number_at(all, position));
  check_near(c.op, got, c.expected);
}

BOOST_AUTO_TEST_CASE(even_and_normal_numbers_go_on_as_tensorflows_do) {
  auto one = DType::float32, two = DType::float64;
  check(LaterDraw{
      "RandomUniform",
      of_dtype(one),
      shapes(),
      {0.8628836870193481, 0.3407667875289917, 0.7693074941635132, 0.5152323246002197}});
  check(LaterDraw{
      "RandomUniform",
      of_dtype(two),
      shapes(),
      {0.9030702213584758, 0.1544602504283792, 0.636762778958126, 0.5872306749207752}});
  std::vector<double> normal = {
      0.45714184641838074, -0.2932099997997284, -0.06920979171991348, -0.7209293246269226};
  check(LaterDraw{"RandomStandardNormal", of_dtype(one), shapes(), normal});
  check(LaterDraw{"TruncatedNormal", of_dtype(one), shapes(), normal});
  check(LaterDraw{
      "RandomStandardNormal",
      of_dtype(two),
      shapes(),
      {0.37261677846428404, 0.25508168211582627, -0.49506149990916176, -0.810944081848626}});
  check(LaterDraw{
      "TruncatedNormal",
      of_dtype(two),
      shapes(),
      {0.37261677846428404, 0.25508168211582627, 0.6094939273577975, -0.6762788105766698}});
  check(LaterDraw{
      "RandomUniformInt",
      seeds,
      shapes({number<int32_t>(0), number<int32_t>(1000)}),
      {201, 71, 83, 754}});
  check(LaterDraw{
      "RandomUniformInt",
      seeds,
      shapes({number<int64_t>(0), number<int64_t>(1000)}),
      {217, 267, 582, 995}});
}

BOOST_AUTO_TEST_CASE(numbers_with_parameters_go_on_as_tensorflows_do) {
  check(LaterDraw{
      "RandomGamma",
      seeds,
      shapes({vec({0.5, 3})}),
      {1.0452388525009155, 3.576071262359619, 0.0040345885790884495, 2.338080644607544,
       1.5919454097747803, 2.3899805545806885, 1.1928141117095947, 0.8706691265106201}});
  check(LaterDraw{
      "RandomPoissonV2",
      of_dtype(DType::int64),
      shapes({vec({5, 50})}),
      {9, 58, 4, 44, 6, 54, 8, 48}});
  auto zero = number(0.0f), one = number(1.0f), least = number(-1.0f), greatest = number(2.0f);
  check(LaterDraw{
      "ParameterizedTruncatedNormal",
      seeds,
      shapes({zero, one, least, greatest}),
      {-0.5873273611068726, 0.1587807983160019, 0.5928958058357239, 0.48644477128982544}});
  check(LaterDraw{
      "ParameterizedTruncatedNormal",
      seeds,
      shapes({zero, one, vec({-1}), greatest}),
      {1.3822450637817383, 1.5221244096755981, 0.6354661583900452, -0.9062782526016235}});
}

BOOST_AUTO_TEST_CASE(choices_go_on_as_tensorflows_do) {
  check(LaterDraw{
      "RandomShuffle",
      seeds,
      {{counted(6)}, {counted(3)}, {counted(9)}},
      {5, 1, 4, 8, 7, 6, 2, 0, 3}});
  auto logits = vec({2, 4}, {0, 1, 2, 0.5, 1, 0, 0, 3});
  check(LaterDraw{
      "Multinomial",
      seeds,
      {{logits, number<int32_t>(3)}, {logits, number<int32_t>(2)}, {logits, number<int32_t>(5)}},
      {0, 0, 2, 1, 3, 0, 3, 3, 3, 3}});
}

BOOST_AUTO_TEST_CASE(samplers_go_on_as_tensorflows_do_and_learn) {
  Tensors classes = {vec<int64_t>({3, 1}, {1, 7, 7})};
  auto attrs = [](bool is_unique) {
    return with_seeds(
        {{"num_true", 1}, {"num_sampled", 4}, {"range_max", 10}, {"unique", is_unique}});
  };
  auto check_sampler = [&](const char* op, bool is_unique, std::vector<double> candidates,
                           std::vector<double> counts) {
    std::vector<Tensors> launches = {classes, classes, classes};
    check(LaterDraw{op, attrs(is_unique), launches, candidates, 0});
    check(LaterDraw{op, attrs(is_unique), launches, counts, 1});
  };
  std::vector<double> log_counts = {0.6763683557510376, 0.19647736847400665, 0.19647736847400665};
  check_sampler("UniformCandidateSampler", false, {4, 0, 4, 3}, {0.4, 0.4, 0.4});
  check_sampler(
      "UniformCandidateSampler", true, {4, 0, 3, 1},
      {0.4095100164413452, 0.4095100164413452, 0.4095100164413452});
  for (bool is_unique : {false, true}) {
    check_sampler("LogUniformCandidateSampler", is_unique, {7, 4, 0, 1}, log_counts);
    for (auto op : {"LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"})
      check_sampler(op, is_unique, {6, 1, 2, 8}, {0.75, 1.25, 1.25});
    auto fixed = attrs(is_unique);
    fixed["unigrams"] = std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    std::vector<double> last = {5, 4, 7, is_unique ? 9.0 : 7.0};
    check(LaterDraw{"FixedUnigramCandidateSampler", fixed, {classes, classes, classes}, last});
  }
}

BOOST_AUTO_TEST_CASE(numbers_drawn_in_parts_are_those_that_tensorflow_draws) {
  std::vector<int64_t> at = {0, 262143, 262144, 262147, 500001, 999999};
  Tensors shape = {vec<int32_t>({1000000})};
  auto floats = of_dtype(DType::float32);
  check(LargeDraw{
      "RandomUniform",
      floats,
      shape,
      at,
      {0.9237366914749146, 0.14248263835906982, 0.4473998546600342, 0.07790029048919678,
       0.5673656463623047, 0.09194564819335938}});
  check(LargeDraw{
      "RandomStandardNormal",
      floats,
      shape,
      at,
      {0.28962206840515137, 1.0026458501815796, 0.31537556648254395, 0.9299154281616211,
       -1.596233606338501, 0.18711596727371216}});
  check(LargeDraw{
      "RandomStandardNormal",
      of_dtype(DType::float64),
      shape,
      at,
      {-0.7030205923675534, -0.2040271266887483, 0.48731301893964196, -0.43422321274545406,
       0.7862368018865383, -1.7663383980451126}});
  check(LargeDraw{
      "TruncatedNormal",
      floats,
      shape,
      at,
      {0.28962206840515137, -0.2122713178396225, 0.41972774267196655, 1.6929060220718384,
       -0.5273204445838928, 0.4204534888267517}});
  check(LargeDraw{
      "RandomUniformInt",
      seeds,
      {shape[0], number<int64_t>(0), number<int64_t>(1000000)},
      at,
      {373121, 5668, 274653, 740080, 206700, 144796}});
  check(LargeDraw{
      "StatelessRandomNormal",
      {},
      {shape[0], vec<int64_t>({3, 4})},
      at,
      {-0.17393383383750916, 0.25885334610939026, -0.3721589148044586, -0.5003849267959595,
       0.47117334604263306, 0.1241883933544159}});
}

BOOST_AUTO_TEST_CASE(samples_drawn_in_parts_are_those_that_tensorflow_draws) {
  std::vector<int64_t> at = {0, 16383, 16384, 50001, 99999};
  auto shape = vec<int32_t>({50000});
  check(LargeDraw{
      "RandomGamma",
      seeds,
      {shape, vec({0.5, 3})},
      at,
      {0.03009897843003273, 1.7073121070861816, 0.0910956859588623, 2.6788740158081055,
       2.818791627883911}});
  check(LargeDraw{
      "RandomPoissonV2", of_dtype(DType::int64), {shape, vec({5, 50})}, at, {4, 48, 8, 55, 55}});
  // These two as TensorFlow draws them on one thread: with more, it draws others.
  check(LargeDraw{
      "ParameterizedTruncatedNormal",
      seeds,
      {vec<int32_t>({100000}), number(0.0f), number(1.0f), number(-1.0f), number(2.0f)},
      at,
      {0.28962206840515137, 0.4560399055480957, 0.28025123476982117, 0.6726598143577576,
       -0.6420839428901672}});
  std::vector<float> logits;
  for (int i = 0; i < 160000; ++i) logits.push_back(static_cast<float>(i % 8) / 4);
  check(LargeDraw{
      "Multinomial",
      seeds,
      {Tensor::of<float>({20000, 8}, std::span<const float>(logits)), number<int32_t>(5)},
      at,
      {5, 4, 0, 6, 0}});
}

BOOST_AUTO_TEST_CASE(gradients_of_gamma_numbers_move_with_their_quantiles) {
  Builder b;
  auto alpha = b.constant(vec<double>({0.5, 3}));
  auto drawn = b.op("RandomGamma", {b.ints({2}), alpha}, seeds);
  auto weighted = drawn * b.constant(vec<double>({2, 2}, {1, 2, 3, 4}));
  auto derivatives = gradients(b, {weighted}, {alpha});
  BOOST_REQUIRE_MESSAGE(derivatives.ok(), derivatives.status().to_string());
  auto got = run_graph(b, {}, {drawn, (*derivatives)[0]});
  BOOST_REQUIRE_MESSAGE(got.ok(), got.status().to_string());
  check_near(
      "RandomGamma", numbers_of((*got)[0]),
      {0.030098978607101822, 2.58650501978315, 0.358395496536684, 2.8985037685086525});
  check_near(
      "derivatives", numbers_of((*got)[1]), {3.568470829448457, 6.116415249817909},
      /*tolerance=*/1e-6);
}

BOOST_AUTO_TEST_CASE(seeds_of_zero_draw_other_numbers_each_time) {
  auto parameter = vec({2, 3});
  auto logits = vec({1, 4}, {0, 0, 0, 0});
  struct Case {
    const char* op;
    Attrs attrs;
    Tensors inputs;
  };
  for (const auto& c : std::vector<Case>{
           {"RandomShuffle", {}, {counted(100)}},
           {"RandomUniformInt", {}, {vec<int32_t>({50}), number(0), number(1000)}},
           {"RandomGamma", {}, {vec<int32_t>({50}), parameter}},
           {"RandomPoissonV2", {}, {vec<int32_t>({50}), parameter}},
           {"Multinomial", {}, {logits, number<int32_t>(100)}}}) {
    auto draw = [&] { return StreamKernel(c.op, c.inputs, c.attrs).launch(c.inputs)[0]; };
    BOOST_TEST(!equal(draw(), draw()), c.op);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
