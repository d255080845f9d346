#pragma once

namespace troupe::cpu {

// Normal numbers between bounds, by one of three rejections, with the bits of one stream. All
// operations round to the numbers' type, as TensorFlow's do. Kernels of the CPU and of NVIDIA's
// cards compute them alike: nvcc compiles for both what is constexpr. `Math` has the type Number,
// its functions, and what blocks of bits make of that type.

/// So many numbers that are refused, one after the other, are too many.
inline constexpr int bounded_tries_max = 1000;

/// Of the numbers of one batch.
template <class Math>
struct NormalParameters {
  using T = typename Math::Number;

  T mean, deviation, least, greatest;

  constexpr bool are_valid() const {
    return deviation > Math::of(0) && least < greatest && (is_finite(least) || is_finite(greatest));
  }
  static constexpr bool is_finite(T number) {
    auto wide = Math::wide(number);
    return wide - wide == 0;
  }
};

template <class Math>
class BoundedProposals {
 public:
  using T = typename Math::Number;

  constexpr explicit BoundedProposals(const NormalParameters<Math>& p)
      : mean_(p.mean), deviation_(p.deviation), least_(p.least), greatest_(p.greatest) {
    // One bound that is finite is made the lower one; bounds on one side of the mean, positive.
    auto has_no_least = !p.is_finite(p.least) && p.least < Math::of(0);
    if (has_no_least || p.greatest < p.mean) {
      least_ = p.greatest;
      greatest_ = p.least;
      deviation_ = -p.deviation;
    }
    least_ = (least_ - mean_) / deviation_;
    greatest_ = (greatest_ - mean_) / deviation_;
    choose();
  }

  /// Of the stream, each time.
  constexpr int blocks() const { return kind_ == Kind::uniform ? 2 : 1; }
  /// How many numbers are proposed each time.
  constexpr int size() const {
    return kind_ == Kind::exponential ? Math::numbers_of_block / 2 : Math::numbers_of_block;
  }

  /// Proposes numbers. Bit i says whether number i is accepted.
  template <class Start>
  constexpr unsigned propose(const Start& start, T* numbers) const {
    T made[Math::numbers_of_block]{}, chances[Math::numbers_of_block]{};
    unsigned accepted = 0;
    if (kind_ == Kind::normal) Math::normals(start.block(), made);
    else Math::uniforms(start.block(), made);
    if (kind_ == Kind::uniform) Math::uniforms(start.skip(1).block(), chances);
    for (int i = 0; i < size(); ++i) {
      auto is_accepted = false;
      switch (kind_) {
        case Kind::normal:
          numbers[i] = made[i];
          is_accepted = made[i] >= least_ && made[i] <= greatest_;
          break;
        case Kind::uniform: is_accepted = take_uniform(made[i], chances[i], numbers[i]); break;
        case Kind::exponential:
          is_accepted = take_exponential(made[2 * i], made[2 * i + 1], numbers[i]);
      }
      accepted |= (is_accepted ? 1u : 0u) << i;
    }
    return accepted;
  }

  /// What the result is of a number that was accepted.
  constexpr T result(T number) const { return Math::product(number, deviation_) + mean_; }

 private:
  enum class Kind : unsigned char { normal, uniform, exponential };

  static constexpr T half(T number) { return number / Math::of(2); }

  constexpr void choose() {
    // So far from the mean that normal numbers are mostly between the bounds.
    const T far = Math::of(1.3), zero = Math::of(0);
    if ((least_ < -far && greatest_ >= zero) || (greatest_ > far && least_ <= zero)) return;
    auto root = Math::root(Math::product(least_, least_) + Math::of(4));
    auto power = Math::of(0.5) + Math::product(least_, least_ - root) / Math::of(4);
    auto cutoff = Math::product(Math::of(2), Math::exponential(power)) / (least_ + root);
    kind_ = greatest_ - least_ < cutoff ? Kind::uniform : Kind::exponential;
    most_ = least_ < zero ? zero : Math::product(least_, least_);
    alpha_ = half(least_ + root);
  }
  constexpr bool take_uniform(T number, T chance, T& z) const {
    z = Math::product(number, greatest_ - least_) + least_;
    return chance <= Math::exponential(half(most_ - Math::product(z, z)));
  }
  /// Takes two numbers of a block.
  constexpr bool take_exponential(T number, T chance, T& z) const {
    z = -Math::logarithm(number) / alpha_ + least_;
    auto x = least_ < alpha_ ? alpha_ - z : least_ - alpha_;
    return chance <= Math::exponential(half(Math::product(-x, x))) && z < greatest_;
  }

  T mean_, deviation_;
  T least_, greatest_;  // in deviations from the mean
  T most_{}, alpha_{};
  Kind kind_ = Kind::normal;
};

}  // namespace troupe::cpu
