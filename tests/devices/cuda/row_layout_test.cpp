#include "troupe/devices/cuda/fusion/row_layout.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/types/dtype.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(row_layouts)

using cuda::RowLayout;
using cuda::RowOperand;

/// x * scale - mean(x), of operands x, scale, and axes.
std::optional<RowLayout> layout_of(const Shape& x, const Shape& scale, std::vector<int64_t> axes) {
  std::vector<fusion::Part> parts = {
      {"mean", "Mean", {0, 2}}, {"product", "Mul", {0, 1}}, {"result", "Sub", {4, 3}}};
  const Shape operands[] = {x, scale};
  return cuda::layout_rows(parts, {.operands = operands, .axes = axes});
}

RowOperand scale_of(const Shape& x, const Shape& scale, std::vector<int64_t> axes) {
  auto layout = layout_of(x, scale, std::move(axes));
  BOOST_TEST_REQUIRE(layout.has_value());
  return layout->operands[1];
}

BOOST_AUTO_TEST_CASE(rows_are_what_the_last_axes_hold) {
  RowLayout expected{
      .whole = {4, 6, 64},
      .result = {4, 6, 64},
      .rows = 24,
      .columns = 64,
      .operands = {RowOperand::each, RowOperand::column},
      .varies = {true, true, false, false, true, true}};
  BOOST_TEST((layout_of({4, 6, 64}, {64}, {2}) == expected));
  BOOST_TEST((layout_of({4, 6, 64}, {64}, {-1}) == expected));
  auto wide = layout_of({4, 6, 64}, {6, 64}, {1, 2});
  BOOST_TEST_REQUIRE(wide.has_value());
  BOOST_TEST(wide->rows == 4);
  BOOST_TEST(wide->columns == 6 * 64);
}

BOOST_AUTO_TEST_CASE(operands_lie_along_rows_or_columns_or_anyhow) {
  const Shape x = {4, 6, 64};
  BOOST_TEST((scale_of(x, {4, 6, 64}, {2}) == RowOperand::each));
  BOOST_TEST((scale_of(x, {1, 1, 64}, {2}) == RowOperand::column));
  BOOST_TEST((scale_of(x, {4, 6, 1}, {2}) == RowOperand::row));
  BOOST_TEST((scale_of(x, {4, 1, 1}, {1, 2}) == RowOperand::row));
  BOOST_TEST((scale_of(x, {1}, {2}) == RowOperand::one));
  BOOST_TEST((scale_of(x, {}, {2}) == RowOperand::one));
  BOOST_TEST((scale_of(x, {6, 64}, {2}) == RowOperand::walked));
  BOOST_TEST((scale_of(x, {64}, {1, 2}) == RowOperand::walked));
}

BOOST_AUTO_TEST_CASE(what_is_reduced_otherwise_has_no_rows) {
  const Shape scale;
  BOOST_TEST(!layout_of({64, 64}, scale, {0}).has_value());        // no last axis
  BOOST_TEST(!layout_of({64, 64}, scale, {}).has_value());         // nothing to reduce
  BOOST_TEST(!layout_of({64, 64}, scale, {2}).has_value());        // no axis
  BOOST_TEST(!layout_of({64, 8}, scale, {1}).has_value());         // threads have a row each
  BOOST_TEST(!layout_of({2, 1 << 20}, scale, {1}).has_value());    // a row has many blocks
  BOOST_TEST(!layout_of({0, 64}, scale, {1}).has_value());         // no element
  BOOST_TEST(!layout_of({64, 64}, {3, 64, 64}, {1}).has_value());  // a result of another shape
  BOOST_TEST(!layout_of({64, 64}, {32}, {1}).has_value());         // operands that do not fit
  BOOST_TEST(
      layout_of({1 << 12, 1 << 14}, scale, {1}).has_value());  // as many rows as a card has blocks
}

BOOST_AUTO_TEST_CASE(a_last_reduction_may_drop_what_it_reduces) {
  std::vector<fusion::Part> parts = {{"square", "Square", {0}}, {"sum", "Sum", {2, 1}}};
  const Shape operands[] = {{6, 64}};
  const int64_t axes[] = {1};
  auto kept = cuda::layout_rows(parts, {.operands = operands, .axes = axes});
  auto dropped =
      cuda::layout_rows(parts, {.operands = operands, .axes = axes, .keeps_dims = false});
  BOOST_TEST_REQUIRE((kept && dropped));
  BOOST_TEST((kept->result == Shape{6, 1}));
  BOOST_TEST((dropped->result == Shape{6}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
