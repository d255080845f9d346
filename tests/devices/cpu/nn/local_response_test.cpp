#include <algorithm>
#include <cmath>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

struct Response {
  int64_t radius;
  double bias, alpha, beta;

  Attrs attrs() const {
    return {
        {"depth_radius", radius},
        {"bias", static_cast<float>(bias)},
        {"alpha", static_cast<float>(alpha)},
        {"beta", static_cast<float>(beta)}};
  }
  double norm(std::span<const double> row, int64_t channel) const {
    double sum = 0;
    for (auto i = std::max<int64_t>(0, channel - radius);
         i <= std::min(std::ssize(row) - 1, channel + radius); ++i)
      sum += row[size_t(i)] * row[size_t(i)];
    return bias + alpha * sum;
  }
  double output(std::span<const double> row, int64_t channel) const {
    return row[size_t(channel)] * std::pow(norm(row, channel), -beta);
  }
  /// Of the sum of the outputs.
  double gradient(std::span<const double> row, int64_t channel) const {
    auto result = std::pow(norm(row, channel), -beta);
    for (auto i = std::max<int64_t>(0, channel - radius);
         i <= std::min(std::ssize(row) - 1, channel + radius); ++i)
      result -= 2 * alpha * beta * row[size_t(i)] * row[size_t(channel)] *
                std::pow(norm(row, i), -beta - 1);
    return result;
  }
};

template <class T>
void check_response(const Response& response, double most) {
  constexpr int64_t channels = 35;
  Tensor x = varied<T>({2, 3, 1, channels});
  std::vector<T> ones(static_cast<size_t>(x.elements()), T(1));
  auto dy = Tensor::of<T>(x.shape(), std::span<const T>(ones));
  auto y = run_op("LRN", {x}, response.attrs());
  BOOST_REQUIRE(y);
  auto dx = run_op("LRNGrad", {dy, x, y->front()}, response.attrs());
  BOOST_REQUIRE(dx);
  auto from = x.values<T>(), got = y->front().template values<T>();
  auto gradients = dx->front().template values<T>();
  for (size_t first = 0; first < from.size(); first += channels) {
    std::vector<double> row;
    for (size_t c = 0; c < channels; ++c) row.push_back(double(from[first + c]));
    for (int64_t c = 0; c < channels; ++c) {
      BOOST_TEST(std::abs(double(got[first + size_t(c)]) - response.output(row, c)) <= most);
      auto gradient = double(gradients[first + size_t(c)]);
      BOOST_TEST(std::abs(gradient - response.gradient(row, c)) <= most);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(local_response)

BOOST_AUTO_TEST_CASE(channels_are_divided_by_a_power_of_their_neighbours) {
  for (double beta : {0.5, 1.0, 0.75, -2.0}) BOOST_TEST_CONTEXT(beta)
  for (int64_t radius : {0, 5, 34, 1000}) BOOST_TEST_CONTEXT(radius) {
      Response response{radius, 1.5, 0.5, beta};
      auto size = std::max(1.0, std::pow(20.0, -beta - 1)) * 20;
      check_response<float>(response, 2e-6 * size);
      check_response<double>(response, 1e-13 * size);
    }
  check_response<bfloat16>({5, 1.5, 0.5, 0.75}, 0.02);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
