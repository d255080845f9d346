#include "troupe/devices/cpu/data/file_cache.hpp"

#include <filesystem>
#include <fstream>

#include "troupe/tests/devices/cpu/data/dataset_fixture.hpp"
#include "troupe/tests/temporary_folder.hpp"

namespace troupe::testing {
namespace {

struct FileCacheFixture : DatasetFixture {
  TemporaryFolder folder;
  std::string file = folder / "cache";

  Value cached(const Value& input, const Attrs& component = elements()) const {
    return dataset("CacheDataset", {input, text(file)}, {}, component);
  }
  size_t files() const {
    std::filesystem::directory_iterator all(folder.path());
    return static_cast<size_t>(std::distance(all, std::filesystem::directory_iterator()));
  }
  /// 4, then an error, then 4 again.
  Value damaged() {
    auto check = function("check", [](const Builder& f, const Values& in) {
      auto quotient = f.op("FloorDiv", {f.constant<int64_t>(4), in[0]});
      return Values{f.op("Abs", {quotient})};
    });
    auto numbers = slices(vec<int64_t>({1, 0, 1}), Shape());
    return mapped("MapDataset", {numbers}, check);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(file_caches, FileCacheFixture)

BOOST_AUTO_TEST_CASE(a_file_keeps_the_elements_for_later_iterations) {
  BOOST_TEST(numbers(repeat(cached(range(3)), 2)) == "0 1 2 0 1 2");
  BOOST_TEST(numbers(cached(range(7))) == "0 1 2");
  BOOST_TEST(files() == 1u);
}

BOOST_AUTO_TEST_CASE(tensors_of_any_shape_and_dtype_are_kept) {
  auto two = vec<std::string>({2, 2}, {"a", "", "c", "d"});
  auto components = elements(DType::string, Shape::unknown_rank());
  auto texts = cached(slices(two), components);
  auto expected = all(texts, components);
  BOOST_TEST(expected == "string[2] [\"a\" \"\"] | string[2] [\"c\" \"d\"]");
  BOOST_TEST(all(texts, components) == expected);
}

BOOST_AUTO_TEST_CASE(an_iteration_that_does_not_end_leaves_no_file) {
  {
    DatasetFixture other;
    auto it = other.iterator(other.dataset("CacheDataset", {other.range(3), other.text(file)}));
    BOOST_TEST(other.begin(it) == "");
    BOOST_TEST(other.next(it) == "int64[] [0]");
    BOOST_TEST(files() == 1u);
    BOOST_TEST(!std::filesystem::exists(file));
  }
  BOOST_TEST(files() == 0u);
}

BOOST_AUTO_TEST_CASE(elements_behind_an_error_are_not_kept) {
  auto text = all(cached(damaged()));
  BOOST_TEST(text.find("InvalidArgument") != std::string::npos, text);
  BOOST_TEST(files() == 0u);
}

BOOST_AUTO_TEST_CASE(a_file_of_other_elements_is_refused) {
  BOOST_TEST(numbers(cached(range(3))) == "0 1 2");
  auto floats = elements(DType::float32);
  BOOST_TEST(
      all(cached(slices(vec({1, 2}), Shape()), floats), floats) ==
      "InvalidArgument: the file '" + file +
          "' does not keep elements float32: remove it, or choose another name");
  std::ofstream(file) << "what is no record file at all";
  BOOST_TEST(starts_with(all(cached(range(3))), "DataLoss"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
