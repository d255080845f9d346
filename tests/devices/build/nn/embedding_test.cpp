#include "troupe/graph/build/nn/embedding.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe::nn {

namespace {

/// Seven rows [i, i + 0.5].
struct Embedded : testing::Model {
  Value part(const std::vector<float>& rows) const {
    std::vector<float> values;
    for (auto row : rows) {
      values.push_back(row);
      values.push_back(row + 0.5f);
    }
    return floats({static_cast<int64_t>(rows.size()), 2}, values);
  }
  Value ids = ints({2, 2}, {6, 0, 3, 5});
  std::vector<double> expected = {6, 6.5, 0, 0.5, 3, 3.5, 5, 5.5};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(embedding, Embedded)

BOOST_AUTO_TEST_CASE(rows_are_found_in_one_table) {
  check(embedding_lookup_in_tensors(b, {part({0, 1, 2, 3, 4, 5, 6})}, ids), expected);
}

BOOST_AUTO_TEST_CASE(rows_are_found_in_parts_by_the_remainder) {
  Values parts{part({0, 3, 6}), part({1, 4}), part({2, 5})};
  check(embedding_lookup_in_tensors(b, parts, ids), expected);
}

BOOST_AUTO_TEST_CASE(rows_are_found_in_parts_of_successive_rows) {
  Values parts{part({0, 1, 2}), part({3, 4}), part({5, 6})};
  check(embedding_lookup_in_tensors(b, parts, ids, {.partition_strategy = "div"}), expected);
}

BOOST_AUTO_TEST_CASE(rows_of_a_large_norm_are_scaled) {
  check(
      embedding_lookup_in_tensors(b, {part({0, 1, 2, 3, 4, 5, 6})}, ids, {.max_norm = 2}),
      {1.3565601, 1.4696069, 0, 0.5, 1.3015827, 1.5185132, 1.3453456, 1.4798801});
}

BOOST_AUTO_TEST_CASE(the_gradients_of_parts_are_rows) {
  std::vector<Variable> tables{
      b.variable("a", part({0, 3, 6})), b.variable("b", part({1, 4})),
      b.variable("c", part({2, 5}))};
  auto rows = embedding_lookup(b, tables, ids);
  auto grads = sparse_gradients(b, {rows}, {tables[0].handle, tables[1].handle});
  BOOST_REQUIRE(grads.ok());
  BOOST_REQUIRE((*grads)[0].rows && (*grads)[1].rows);
  auto first = to_tensor(b, *(*grads)[0].rows), second = to_tensor(b, *(*grads)[1].rows);
  initialize();
  check(rows, expected);
  check(first, {1, 1, 1, 1, 1, 1});
  check(second, {0, 0, 0, 0});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::nn
