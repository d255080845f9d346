#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

/// Each coordinate of each element that is not zero, in row-major order.
std::vector<int64_t> coordinates_of_nonzero(const Tensor& x) {
  std::vector<int64_t> all;
  const auto& shape = x.shape();
  for (int64_t i = 0; i < x.elements(); ++i) {
    if (x.data<int32_t>()[i] == 0) continue;
    auto begin = std::ssize(all);
    auto rest = i;
    for (auto axis = shape.rank() - 1; axis >= 0; --axis) {
      all.insert(all.begin() + begin, rest % shape[axis]);
      rest /= shape[axis];
    }
  }
  return all;
}

/// Numbers of which about one in `every` is not 0.
Tensor sparse_numbers(const Shape& shape, uint32_t every) {
  std::vector<int32_t> numbers;
  uint32_t state = 1;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    state = state * 1664525 + 1013904223;
    numbers.push_back((state >> 8) % every == 0 ? 1 + static_cast<int32_t>(state >> 24) : 0);
  }
  return Tensor::of<int32_t>(shape, std::span<const int32_t>(numbers));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(searches)

BOOST_AUTO_TEST_CASE(where_finds_the_coordinates_of_all_that_is_not_zero_in_their_order) {
  for (const Shape& shape :
       {Shape{100001}, Shape{300, 401}, Shape{70, 2, 901}, Shape{40000, 3, 1}, Shape{5, 0, 2}})
    for (uint32_t every : {1U, 2U, 1000U}) {
      auto x = sparse_numbers(shape, every);
      auto found = run_op("Where", {x});
      BOOST_REQUIRE_MESSAGE(found.ok(), found.status().to_string());
      auto got = (*found)[0].values<int64_t>();
      auto wanted = coordinates_of_nonzero(x);
      BOOST_TEST(std::ranges::equal(got, wanted), shape.to_string() << ", one in " << every);
    }
}

BOOST_AUTO_TEST_CASE(where_finds_elements_of_all_dtypes) {
  auto numbers = sparse_numbers({3, 67}, 3);
  auto wanted = coordinates_of_nonzero(numbers);
  for (auto dtype :
       {DType::boolean, DType::int8, DType::uint16, DType::uint32, DType::int64, DType::float16,
        DType::float32, DType::float64, DType::complex64}) {
    auto x = run_op("Cast", {numbers}, {{"DstT", dtype}});
    BOOST_REQUIRE_MESSAGE(x.ok(), x.status().to_string());
    auto found = run_op("Where", {(*x)[0]});
    BOOST_REQUIRE_MESSAGE(found.ok(), found.status().to_string());
    BOOST_TEST(std::ranges::equal((*found)[0].values<int64_t>(), wanted), to_string(dtype));
  }
  std::vector<float> floats(70, -0.0F);
  floats[3] = floats[69] = std::numeric_limits<float>::quiet_NaN();
  auto x = Tensor::of<float>({70}, std::span<const float>(floats));
  BOOST_TEST(show("Where", {x}) == "int64[2,1] [3 69]");
}

BOOST_AUTO_TEST_CASE(many_distinct_numbers_are_told_apart) {
  std::vector<int64_t> numbers;
  constexpr int64_t distinct = 5000;
  for (int64_t i = 0; i < 3 * distinct; ++i) numbers.push_back(i % distinct * 4096 - 7);
  auto x = Tensor::of<int64_t>({3 * distinct}, std::span<const int64_t>(numbers));
  auto found = run_op("UniqueWithCounts", {x});
  BOOST_REQUIRE_MESSAGE(found.ok(), found.status().to_string());
  BOOST_TEST(std::ranges::equal(
      (*found)[0].values<int64_t>(), std::span<const int64_t>(numbers).first(distinct)));
  auto which = (*found)[1].values<int32_t>();
  for (size_t i = 0; i < which.size(); ++i) BOOST_REQUIRE(which[i] == int64_t(i) % distinct);
  BOOST_TEST(
      std::ranges::all_of((*found)[2].values<int32_t>(), [](int count) { return count == 3; }));
  auto even = std::vector<int64_t>();
  for (size_t i = 0; i < distinct; i += 2) even.push_back(numbers[i]);
  auto left = run_op(
      "ListDiff",
      {(*found)[0], Tensor::of<int64_t>({distinct / 2}, std::span<const int64_t>(even))});
  BOOST_REQUIRE_MESSAGE(left.ok(), left.status().to_string());
  for (int64_t i = 0; i < distinct / 2; ++i)
    BOOST_REQUIRE((*left)[1].data<int32_t>()[i] == 2 * i + 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
