#include "troupe/devices/cpu/shared_arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <map>
#include <random>

#include "troupe/devices/cpu/pool_allocator.hpp"
#include "troupe/graph/types/tensor.hpp"

using namespace troupe;
using cpu::SharedArena;

namespace {

constexpr size_t mebibyte = size_t{1} << 20;

uint64_t pages_bytes(const SharedFile& file) {
  struct stat facts {};
  BOOST_REQUIRE(::fstat(file.descriptor().number(), &facts) == 0);
  return static_cast<uint64_t>(facts.st_blocks) * 512;
}

Descriptor copy_of(const Descriptor& descriptor) {
  return Descriptor(::fcntl(descriptor.number(), F_DUPFD_CLOEXEC, 0));
}

struct ArenaFixture {
  std::shared_ptr<SharedFile> file = SharedFile::create(64 * mebibyte);
  SharedArena arena{file, 8 * mebibyte};

  void* use(size_t bytes) {
    auto* block = arena.allocate(bytes);
    if (block) std::memset(block, 1, bytes);
    return block;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(shared_arena, ArenaFixture)

BOOST_AUTO_TEST_CASE(blocks_in_use_never_overlap_and_all_places_can_be_used_again) {
  std::mt19937 random(1);
  std::map<std::byte*, size_t> blocks;
  for (int i = 0; i < 5000; ++i) {
    if (random() % 2 == 0 && !blocks.empty()) {
      auto victim = std::next(blocks.begin(), random() % blocks.size());
      arena.deallocate(victim->first, victim->second);
      blocks.erase(victim);
      continue;
    }
    auto bytes = 1 + random() % (4 * mebibyte);
    auto* block = static_cast<std::byte*>(arena.allocate(bytes));
    if (!block) continue;
    BOOST_REQUIRE(file->contains(block));
    BOOST_REQUIRE(file->contains(block + bytes - 1));
    auto next = blocks.lower_bound(block);
    BOOST_REQUIRE((next == blocks.end() || block + bytes <= next->first));
    if (next != blocks.begin()) {
      auto before = std::prev(next);
      BOOST_REQUIRE(before->first + before->second <= block);
    }
    blocks.emplace(block, bytes);
  }
  for (auto [block, bytes] : blocks) arena.deallocate(block, bytes);
  arena.trim();
  BOOST_TEST(arena.allocate(64 * mebibyte) != nullptr);
}

BOOST_AUTO_TEST_CASE(a_block_is_taken_again_with_its_pages_by_the_next_of_its_size) {
  auto* block = use(2 * mebibyte);
  arena.deallocate(block, 2 * mebibyte);
  BOOST_TEST(arena.kept_bytes() == 2 * mebibyte);
  BOOST_TEST(pages_bytes(*file) == 2 * mebibyte);
  BOOST_TEST(arena.allocate(2 * mebibyte) == block);
  BOOST_TEST(arena.kept_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(no_more_is_kept_than_the_bound_and_nothing_after_a_trim) {
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(use(2 * mebibyte));
  BOOST_TEST(pages_bytes(*file) == 16 * mebibyte);
  for (auto* block : blocks) arena.deallocate(block, 2 * mebibyte);
  BOOST_TEST(arena.kept_bytes() == 8 * mebibyte);
  BOOST_TEST(pages_bytes(*file) == 8 * mebibyte);
  arena.trim();
  BOOST_TEST(pages_bytes(*file) == 0u);
}

BOOST_AUTO_TEST_CASE(once_the_file_is_retired_nothing_in_it_changes) {
  auto* block = static_cast<std::byte*>(use(16 * mebibyte));  // more than is kept
  file->retire();
  arena.deallocate(block, 16 * mebibyte);
  arena.trim();
  BOOST_TEST((block[0] == std::byte(1)));
  BOOST_TEST(arena.allocate(mebibyte) == nullptr);
}

BOOST_AUTO_TEST_CASE(there_is_no_block_where_there_is_no_place) {
  BOOST_TEST(arena.allocate(65 * mebibyte) == nullptr);
  BOOST_TEST(arena.allocate(SIZE_MAX) == nullptr);
  BOOST_TEST(arena.allocate(40 * mebibyte) != nullptr);
  BOOST_TEST(arena.allocate(40 * mebibyte) == nullptr);
}

BOOST_AUTO_TEST_CASE(another_mapping_of_the_file_reads_what_lies_in_a_block) {
  auto* block = static_cast<std::byte*>(use(mebibyte));
  auto mapped = SharedFile::map(copy_of(file->descriptor()), file->bytes(), Descriptor());
  BOOST_REQUIRE(mapped.ok());
  BOOST_TEST(((*mapped)->data()[block - file->data()] == std::byte(1)));
}

BOOST_AUTO_TEST_CASE(a_file_that_may_shrink_or_is_smaller_is_not_mapped) {
  Descriptor may_shrink(::memfd_create("test", MFD_CLOEXEC));
  BOOST_REQUIRE(::ftruncate(may_shrink.number(), mebibyte) == 0);
  auto code_of = [](Descriptor descriptor, uint64_t bytes) {
    return SharedFile::map(std::move(descriptor), bytes, Descriptor()).status().code();
  };
  BOOST_TEST((code_of(std::move(may_shrink), mebibyte) == Code::invalid_argument));
  BOOST_TEST((code_of(copy_of(file->descriptor()), file->bytes() + 1) == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(an_allocator_that_shares_has_large_tensors_in_its_file_and_counts_them) {
  cpu::PoolAllocator pool(64 * mebibyte, /*shares=*/true);
  Allocator& allocator = pool;
  auto shared = allocator.shared_file();
  BOOST_REQUIRE(shared);
  auto large = *Tensor::allocate(DType::uint8, {2 << 20}, pool);
  auto small = *Tensor::allocate(DType::uint8, {1000}, pool);
  BOOST_TEST(shared->contains(large.raw()));
  BOOST_TEST(!shared->contains(small.raw()));
  BOOST_TEST(pool.bytes_in_use() >= 2 * mebibyte);
  large = small = Tensor();
  BOOST_TEST(pool.bytes_in_use() == 0u);
}

BOOST_AUTO_TEST_CASE(a_tensor_in_shared_memory_may_outlive_its_allocator) {
  auto pool = std::make_unique<cpu::PoolAllocator>(64 * mebibyte, /*shares=*/true);
  auto tensor = *Tensor::allocate(DType::uint8, {2 << 20}, *pool);
  tensor.mutable_data<uint8_t>()[0] = 7;
  pool.reset();
  BOOST_TEST(tensor.value<uint8_t>() == 7);
}

BOOST_AUTO_TEST_SUITE_END()
