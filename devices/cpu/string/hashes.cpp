#include <farmhash.h>
#include <array>
#include <bit>
#include <cstring>

#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/cpu/string/text.hpp"

namespace troupe::cpu {
namespace {

/// Up to 8 bytes as a number whose lowest byte is the first.
uint64_t little_endian(const char* bytes, size_t count) {
  uint64_t word = 0;
  for (size_t i = 0; i < count; ++i)
    word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return word;
}

/// MurmurHash64A, with the seed that TensorFlow gives it.
uint64_t murmur_hash(const std::string& text) {
  constexpr uint64_t seed = 0xdecafcaffe, factor = 0xc6a4a7935bd1e995;
  auto mix = [](uint64_t word) { return word ^ (word >> 47); };
  auto hash = seed ^ (text.size() * factor);
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8)
    hash = (hash ^ (mix(little_endian(text.data() + at, 8) * factor) * factor)) * factor;
  if (auto rest = text.size() - at) hash = (hash ^ little_endian(text.data() + at, rest)) * factor;
  return mix(mix(hash) * factor);
}

using SipKey = std::array<uint64_t, 2>;

/// The state of SipHash-2-4.
class SipState {
 public:
  explicit SipState(const SipKey& key)
      : v_{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
           key[1] ^ 0x7465646279746573} {}

  void add(uint64_t word) {
    v_[3] ^= word;
    run(2);
    v_[0] ^= word;
  }
  uint64_t finish() {
    v_[2] ^= 0xff;
    run(4);
    return v_[0] ^ v_[1] ^ v_[2] ^ v_[3];
  }

 private:
  void run(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      half_round(0, 1, 13, 2, 3, 16);
      half_round(2, 1, 17, 0, 3, 21);
    }
  }
  void half_round(int a, int b, int b_shift, int c, int d, int d_shift) {
    v_[a] += v_[b];
    v_[b] = std::rotl(v_[b], b_shift) ^ v_[a];
    v_[a] = std::rotl(v_[a], 32);
    v_[c] += v_[d];
    v_[d] = std::rotl(v_[d], d_shift) ^ v_[c];
  }

  std::array<uint64_t, 4> v_;
};

uint64_t sip_hash(const SipKey& key, const std::string& text) {
  SipState state(key);
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) state.add(little_endian(text.data() + at, 8));
  state.add(little_endian(text.data() + at, text.size() - at) | uint64_t{text.size() & 0xff} << 56);
  return state.finish();
}

/// The kernel that sets each element to hash(string) modulo the number of buckets.
template <class F>
Kernel hash_kernel(const Node& node, F hash) {
  auto buckets = static_cast<uint64_t>(node.attr<int64_t>("num_buckets"));
  return string_kernel([=](Launch& launch) {
    return map_strings<int64_t>(launch, [=](const std::string& text, int64_t& bucket) {
      bucket = static_cast<int64_t>(hash(text) % buckets);
      return Status();
    });
  });
}

Result<Kernel> make_fast_hash(const Node& node) {
  return hash_kernel(
      node, [](const std::string& text) { return util::Fingerprint64(text.data(), text.size()); });
}

Result<Kernel> make_strong_hash(const Node& node) {
  auto given = node.attr<std::vector<int64_t>>("key");
  SipKey key = {static_cast<uint64_t>(given[0]), static_cast<uint64_t>(given[1])};
  return hash_kernel(node, [key](const std::string& text) { return sip_hash(key, text); });
}

}  // namespace

void add_hash_kernels(KernelCatalog& catalog) {
  catalog.add("StringToHashBucket", [](const Node& node) -> Result<Kernel> {
    return hash_kernel(node, murmur_hash);
  });
  catalog.add("StringToHashBucketFast", make_fast_hash);
  catalog.add("StringToHashBucketStrong", make_strong_hash);
}

}  // namespace troupe::cpu
