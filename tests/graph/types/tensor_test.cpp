#include <boost/test/unit_test.hpp>

#include <cmath>
#include <thread>

#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

namespace {

/// Counts what it gave and got back, and refuses more than its limit.
class CountingAllocator final : public Allocator {
 public:
  explicit CountingAllocator(size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  void* allocate(size_t bytes) override {
    if (held_bytes + bytes > limit_bytes_) return nullptr;
    held_bytes += bytes;
    return heap_allocator().allocate(bytes);
  }
  void deallocate(void* memory, size_t bytes) noexcept override {
    held_bytes -= bytes;
    heap_allocator().deallocate(memory, bytes);
  }

  size_t held_bytes = 0;

 private:
  size_t limit_bytes_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tensor)

BOOST_AUTO_TEST_CASE(copies_share_the_elements_until_one_is_left) {
  auto tensor = Tensor::of<float>({2}, {1, 2});
  BOOST_TEST(tensor.is_sole_owner());
  {
    auto copy = tensor;
    BOOST_TEST(copy.raw() == tensor.raw());
    BOOST_TEST(!tensor.is_sole_owner());
  }
  BOOST_TEST(tensor.is_sole_owner());
  auto moved = std::move(tensor);
  BOOST_TEST(!tensor.is_set());
  BOOST_TEST(moved.is_sole_owner());
}

BOOST_AUTO_TEST_CASE(the_last_owner_gives_the_memory_back) {
  CountingAllocator memory(1 << 20);
  {
    auto tensor = Tensor::allocate(DType::float32, {100}, memory);
    BOOST_REQUIRE(tensor.ok());
    BOOST_TEST(memory.held_bytes >= 400);
    auto view = tensor->reshaped({10, 10});
    tensor = internal("dropped");
    BOOST_TEST(memory.held_bytes >= 400);
  }
  BOOST_TEST(memory.held_bytes == 0);
}

BOOST_AUTO_TEST_CASE(elements_lie_aligned) {
  for (int64_t size : {0, 1, 1000}) {
    auto tensor = Tensor::allocate(DType::int8, {size});
    BOOST_TEST(reinterpret_cast<uintptr_t>(tensor->raw()) % Allocator::alignment == 0);
    BOOST_TEST(tensor->bytes() == static_cast<size_t>(size));
  }
}

BOOST_AUTO_TEST_CASE(no_memory_is_an_error_that_names_the_size) {
  CountingAllocator memory(1000);
  auto tensor = Tensor::allocate(DType::float64, {10, 100}, memory);
  BOOST_TEST((tensor.status().code() == Code::resource_exhausted));
  BOOST_TEST(tensor.status().message() == "no memory for a tensor of 8000 bytes (float64[10,100])");
  auto much = int64_t{1} << 40;
  BOOST_TEST(
      Tensor::allocate(DType::float32, {much, much}, memory).status().message() ==
      "no tensor can have the shape [1099511627776,1099511627776]");
}

BOOST_AUTO_TEST_CASE(an_alias_releases_its_memory_once_and_may_not_be_reused) {
  std::vector<int32_t> memory = {1, 2, 3};
  int released = 0;
  {
    auto tensor = Tensor::alias(DType::int32, {3}, memory.data(), [&] { ++released; });
    BOOST_TEST(tensor.raw() == memory.data());
    BOOST_TEST(!tensor.is_sole_owner());
    auto copy = tensor;
    BOOST_TEST(copy.values<int32_t>()[2] == 3);
  }
  BOOST_TEST(released == 1);
}

BOOST_AUTO_TEST_CASE(a_reshaped_tensor_shares_the_elements) {
  auto flat = Tensor::of<int32_t>({6}, {0, 1, 2, 3, 4, 5});
  auto matrix = flat.reshaped({2, 3});
  BOOST_TEST(matrix.shape().to_string() == "[2,3]");
  BOOST_TEST(matrix.raw() == flat.raw());
  BOOST_TEST(!flat.is_sole_owner());
  flat = Tensor();
  BOOST_TEST(matrix.values<int32_t>()[5] == 5);
}

BOOST_AUTO_TEST_CASE(what_is_derived_from_elements_is_kept_until_they_are_written_or_freed) {
  struct Counted : DerivedData {
    explicit Counted(int& alive) : alive(++alive) {}
    ~Counted() override { --alive; }
    int& alive;
  };
  int alive = 0;
  auto tensor = Tensor::of<float>({2}, {1, 2});
  const auto& held = tensor;
  BOOST_TEST(!tensor.derived());
  tensor.keep_derived(std::make_shared<Counted>(alive));
  auto other = std::make_shared<Counted>(alive);
  held.keep_derived(other);
  BOOST_TEST(alive == 1);
  BOOST_TEST(Tensor(tensor).derived() == other);
  BOOST_TEST(held.data<float>()[1] == 2);
  BOOST_TEST(tensor.derived() == other);
  tensor.mutable_data<float>()[1] = 3;
  BOOST_TEST(!tensor.derived());
  tensor.keep_derived(std::exchange(other, nullptr));
  tensor.mutable_raw();
  BOOST_TEST(alive == 0);
  tensor.keep_derived(std::make_shared<Counted>(alive));
  tensor = {};
  BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(strings_and_handles_are_made_and_destroyed) {
  auto strings = Tensor::allocate(DType::string, {3});
  BOOST_TEST(strings->values<std::string>()[2] == "");
  strings->mutable_data<std::string>()[1] = std::string(1000, 'x');
  auto copy = *strings;
  BOOST_TEST(copy.values<std::string>()[1].size() == 1000);
  auto handle = Tensor::scalar(ResourceHandle{.container = "c", .name = "v", .resource = nullptr});
  BOOST_TEST((handle.dtype() == DType::resource));
  BOOST_TEST(handle.to_string() == "resource[] [v]");
}

BOOST_AUTO_TEST_CASE(threads_may_copy_and_drop_at_once) {
  auto tensor = Tensor::of<int32_t>({1}, {7});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([tensor] {
      for (int k = 0; k < 1000; ++k) Tensor(tensor).value<int32_t>();
    });
  for (auto& thread : threads) thread.join();
  threads.clear();
  BOOST_TEST(tensor.is_sole_owner());
}

BOOST_AUTO_TEST_CASE(a_tensor_prints_its_first_elements) {
  BOOST_TEST(
      (Tensor::of<float>({2, 2}, {1, 2, 3, 4.5}).to_string(3)) == "float32[2,2] [1 2 3 ...]");
  BOOST_TEST(Tensor::scalar<int8_t>(65).to_string() == "int8[] [65]");
  BOOST_TEST(Tensor::string("a").to_string() == "string[] [\"a\"]");
  BOOST_TEST(Tensor().to_string() == "<unset>");
}

BOOST_AUTO_TEST_CASE(equal_tensors_have_one_dtype_shape_and_all_elements) {
  auto two = Tensor::of<float>({2}, {1, 2});
  BOOST_TEST(equal(two, Tensor::of<float>({2}, {1, 2})));
  BOOST_TEST(!equal(two, Tensor::of<float>({2}, {1, 3})));
  BOOST_TEST(!equal(two, Tensor::of<float>({1, 2}, {1, 2})));
  BOOST_TEST(!equal(two, Tensor::of<double>({2}, {1, 2})));
  BOOST_TEST(equal(Tensor::string("a"), Tensor::string("a")));
  BOOST_TEST(!equal(Tensor::scalar(NAN), Tensor::scalar(NAN)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
