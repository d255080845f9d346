#include "troupe/devices/cpu/vector/softmax.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "troupe/tests/devices/cpu/vector/targets.hpp"

namespace troupe::testing {
namespace {

/// A row of logits, a distribution, and what they are expected to come to.
template <class T>
struct CrossedRow {
  std::vector<T> logits, labels;
  std::vector<long double> probabilities;
  long double loss = 0;

  explicit CrossedRow(int64_t size) {
    long double sum = 0, label_sum = static_cast<long double>(size * (size + 1) / 2);
    for (int64_t i = 0; i < size; ++i) {
      logits.push_back(static_cast<T>(std::sin(double(i) * 1.7) * 20));
      labels.push_back(static_cast<T>(static_cast<long double>(i + 1) / label_sum));
      probabilities.push_back(std::exp(static_cast<long double>(logits.back())));
      sum += probabilities.back();
    }
    for (size_t i = 0; i < logits.size(); ++i) {
      probabilities[i] /= sum;
      loss -= labels[i] * std::log(probabilities[i]);
    }
  }
};

template <class T>
void check_cross_entropy(DType dtype) {
  const auto loops = cpu::vector::cross_entropy_loops(dtype);
  const auto most = 64 * static_cast<long double>(std::numeric_limits<T>::epsilon());
  for (int64_t size = 1; size <= 66; ++size) {
    CrossedRow<T> row(size);
    auto in_place = row.logits;
    T loss;
    loops.dense(&loss, in_place.data(), in_place.data(), row.labels.data(), size);
    BOOST_TEST(std::abs(loss - row.loss) <= most);
    for (size_t i = 0; i < in_place.size(); ++i)
      BOOST_TEST(std::abs(in_place[i] - (row.probabilities[i] - row.labels[i])) <= most);
    const auto label = static_cast<size_t>(size / 2);
    loops.sparse(&loss, row.logits.data(), row.logits.data(), size / 2, size);
    BOOST_TEST(std::abs(loss + std::log(row.probabilities[label])) <= most);
    for (size_t i = 0; i < row.logits.size(); ++i)
      BOOST_TEST(std::abs(row.logits[i] - (row.probabilities[i] - (i == label ? 1 : 0))) <= most);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cross_entropy_loops)

BOOST_AUTO_TEST_CASE(rows_of_every_length_have_a_cross_entropy) {
  with_each_target([] {
    check_cross_entropy<float>(DType::float32);
    check_cross_entropy<double>(DType::float64);
  });
}

BOOST_AUTO_TEST_CASE(nan_anywhere_in_a_row_makes_its_loss_and_its_gradient_nan) {
  with_each_target([] {
    auto loops = cpu::vector::cross_entropy_loops(DType::float32);
    for (size_t at = 0; at < 40; ++at) {
      std::vector<float> row(40, 1), labels(40, 0.025f);
      row[at] = std::numeric_limits<float>::quiet_NaN();
      auto same = row;
      float loss;
      loops.dense(&loss, row.data(), row.data(), labels.data(), 40);
      BOOST_TEST((std::isnan(loss) && std::isnan(row[0]) && std::isnan(row[39])));
      loops.sparse(&loss, same.data(), same.data(), 3, 40);
      BOOST_TEST((std::isnan(loss) && std::isnan(same[0]) && std::isnan(same[39])));
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
