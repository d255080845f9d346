#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

Tensor random_points(int64_t count, int64_t dimensions, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(static_cast<size_t>(count * dimensions));
  for (auto& number : numbers) number = normal(random);
  return Tensor::of<float>({count, dimensions}, std::span<const float>(numbers));
}

double squared_distance(const Tensor& a, int64_t i, const Tensor& b, int64_t j) {
  auto columns = a.shape()[1];
  double sum = 0;
  for (int64_t k = 0; k < columns; ++k) {
    double difference = a.data<float>()[i * columns + k] - b.data<float>()[j * columns + k];
    sum += difference * difference;
  }
  return sum;
}

Result<Tensors> nearest(const Tensor& points, const Tensor& centers, int64_t k) {
  return run_op("NearestNeighbors", {points, centers, Tensor::scalar<int64_t>(k)});
}

Result<Tensors> sample(const Tensor& points, int64_t count, int64_t seed, int64_t retries) {
  auto number = [](int64_t value) { return Tensor::scalar<int64_t>(value); };
  return run_op(
      "KmeansPlusPlusInitialization", {points, number(count), number(seed), number(retries)});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(clustering)

BOOST_AUTO_TEST_CASE(neighbors_are_the_nearest_centers_in_order) {
  struct Case {
    int64_t points, dimensions, centers, k;
  };
  for (auto [count, dimensions, center_count, k] :
       {Case{7, 3, 5, 1}, Case{130, 8, 20, 3}, Case{70, 4, 2500, 1}, Case{70, 4, 2500, 5},
        Case{5, 2, 3, 9}}) {
    auto points = random_points(count, dimensions, 1);
    auto centers = random_points(center_count, dimensions, 2);
    auto found = nearest(points, centers, k);
    BOOST_TEST_REQUIRE(found.ok());
    auto kept = std::min(k, center_count);
    BOOST_TEST_REQUIRE(((*found)[0].shape() == Shape{count, kept}));
    for (int64_t i = 0; i < count; ++i) {
      std::vector<std::pair<double, int64_t>> all;
      for (int64_t j = 0; j < center_count; ++j)
        all.emplace_back(squared_distance(points, i, centers, j), j);
      std::sort(all.begin(), all.end());
      for (int64_t j = 0; j < kept; ++j) {
        auto [distance, center] = all[static_cast<size_t>(j)];
        BOOST_TEST((*found)[0].data<int64_t>()[i * kept + j] == center);
        BOOST_TEST(std::abs((*found)[1].data<float>()[i * kept + j] - distance) < 1e-3);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(centers_at_no_place_are_the_last_neighbors) {
  auto centers = vec({4, 1}, {NAN, 3, NAN, 1});
  for (int64_t k : {1, 4}) {
    auto found = nearest(vec({1, 1}, {0}), centers, k);
    BOOST_TEST_REQUIRE(found.ok());
    auto places = (*found)[0].values<int64_t>();
    std::vector<int64_t> expected = {3, 1, 0, 2};
    BOOST_TEST(std::equal(places.begin(), places.end(), expected.begin(), expected.begin() + k));
  }
}

BOOST_AUTO_TEST_CASE(sampled_points_differ_while_there_are_any) {
  auto points = random_points(40, 2, 3);
  for (int64_t retries : {0, 3, -1}) {
    auto found = sample(points, 40, 7, retries);
    BOOST_TEST_REQUIRE(found.ok());
    std::set<std::pair<float, float>> distinct;
    auto numbers = (*found)[0].values<float>();
    for (size_t i = 0; i < numbers.size(); i += 2) distinct.emplace(numbers[i], numbers[i + 1]);
    BOOST_TEST(distinct.size() == 40u);
  }
  auto same = sample(vec({3, 1}, {5, 5, 5}), 3, 1, 2);
  BOOST_TEST_REQUIRE(same.ok());
  BOOST_TEST(show(same) == "float32[3,1] [5 5 5]");
}

BOOST_AUTO_TEST_CASE(points_far_from_the_others_are_sampled_first) {
  auto points = vec({5, 1}, {0, 0.1f, 100, 0.2f, -100});
  for (int64_t seed = 0; seed < 20; ++seed) {
    auto found = sample(points, 3, seed, 2);
    BOOST_TEST_REQUIRE(found.ok());
    auto numbers = (*found)[0].values<float>();
    BOOST_TEST(std::ranges::count(numbers, 100) == 1);
    BOOST_TEST(std::ranges::count(numbers, -100) == 1);
  }
}

BOOST_AUTO_TEST_CASE(a_chain_ends_at_places_in_proportion_to_their_distances) {
  auto distances = vec({0, 0, 3, 0, 1, 3, 1, 3, 1, 3, 1, 3, 1, 0});
  int counts[2] = {};
  for (int64_t seed = 0; seed < 400; ++seed) {
    auto found = run_op("KMC2ChainInitialization", {distances, Tensor::scalar<int64_t>(seed)});
    BOOST_TEST_REQUIRE(found.ok());
    auto distance = distances.values<float>()[size_t((*found)[0].value<int64_t>())];
    BOOST_TEST_REQUIRE(distance > 0);
    ++counts[distance == 1];
  }
  BOOST_TEST(2 * counts[0] > 3 * counts[1]);
}

BOOST_AUTO_TEST_CASE(arguments_that_do_not_fit_are_refused) {
  auto points = random_points(4, 2, 1);
  auto message = [](const Result<Tensors>& result) { return result.status().message(); };
  BOOST_TEST(message(sample(points, 5, 0, 0)).find("'num_to_sample'") != std::string::npos);
  BOOST_TEST(message(sample(points, 0, 0, 0)).find("'num_to_sample'") != std::string::npos);
  BOOST_TEST(message(sample(points, 2, 0, 1 << 30)).find("'num_retries") != std::string::npos);
  BOOST_TEST(message(nearest(points, points, -1)).find("'k'") != std::string::npos);
  BOOST_TEST(!nearest(points, random_points(4, 3, 1), 1).ok());
  BOOST_TEST(!run_op("KMC2ChainInitialization", {points, Tensor::scalar<int64_t>(0)}).ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
