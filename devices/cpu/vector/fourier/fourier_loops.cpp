#include "troupe/devices/cpu/vector/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "troupe/devices/cpu/vector/fourier/fourier_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "troupe/devices/cpu/vector/fourier/fourier_loops.hpp"
#include "troupe/devices/cpu/vector/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace troupe::cpu::vector::HWY_NAMESPACE {

/// Complex numbers, a vector of each part.
template <class D>
struct Numbers {
  hn::Vec<D> real, imaginary;
};

template <class D, class R>
HWY_INLINE Numbers<D> load(D d, const Parts<R>& from, int64_t at) {
  return {hn::LoadU(d, from.real + at), hn::LoadU(d, from.imaginary + at)};
}

template <class D, class R>
HWY_INLINE void store(D d, const Numbers<D>& x, const Parts<R>& to, int64_t at) {
  hn::StoreU(x.real, d, to.real + at);
  hn::StoreU(x.imaginary, d, to.imaginary + at);
}

template <class D>
HWY_INLINE Numbers<D> sum(D, const Numbers<D>& x, const Numbers<D>& y) {
  return {hn::Add(x.real, y.real), hn::Add(x.imaginary, y.imaginary)};
}

template <class D>
HWY_INLINE Numbers<D> difference(D, const Numbers<D>& x, const Numbers<D>& y) {
  return {hn::Sub(x.real, y.real), hn::Sub(x.imaginary, y.imaginary)};
}

/// Times -i.
template <class D>
HWY_INLINE Numbers<D> turned(D, const Numbers<D>& x) {
  return {x.imaginary, hn::Neg(x.real)};
}

/// Times the complex number at `factor`.
template <class D, class R>
HWY_INLINE Numbers<D> product(D d, const Numbers<D>& x, const R* factor) {
  const auto a = hn::Set(d, factor[0]), b = hn::Set(d, factor[1]);
  return {
      hn::NegMulAdd(x.imaginary, b, hn::Mul(x.real, a)),
      hn::MulAdd(x.imaginary, a, hn::Mul(x.real, b))};
}

template <class D, class R>
HWY_INLINE void transform_2(D d, const FourierStage<R>& stage, int64_t p, int64_t q) {
  const auto s = stage.stride;
  const auto x = load(d, stage.in, p * s + q);
  const auto y = load(d, stage.in, (p + stage.columns) * s + q);
  store(d, sum(d, x, y), stage.out, 2 * p * s + q);
  store(d, product(d, difference(d, x, y), stage.factors + 2 * p), stage.out, (2 * p + 1) * s + q);
}

template <class D, class R>
HWY_INLINE void transform_4(D d, const FourierStage<R>& stage, int64_t p, int64_t q) {
  const auto s = stage.stride;
  auto column = [&](int64_t k)
                    HWY_ATTR { return load(d, stage.in, (p + k * stage.columns) * s + q); };
  const auto a = column(0), b = column(1), c = column(2), e = column(3);
  const auto even = sum(d, a, c), odd = sum(d, b, e), even_rest = difference(d, a, c),
             odd_rest = turned(d, difference(d, b, e));
  const auto* factors = stage.factors + 6 * p;
  auto set = [&](int64_t k, const Numbers<D>& x) HWY_ATTR {
    store(d, product(d, x, factors + 2 * (k - 1)), stage.out, (4 * p + k) * s + q);
  };
  store(d, sum(d, even, odd), stage.out, 4 * p * s + q);
  set(1, sum(d, even_rest, odd_rest));
  set(2, difference(d, even, odd));
  set(3, difference(d, even_rest, odd_rest));
}

/// Of an odd radix, which is known here where `fixed` is not 0: columns j and radix - j, whose
/// roots are conjugates, are added and subtracted first.
template <int fixed, class D, class R>
HWY_INLINE void transform_odd(D d, const FourierStage<R>& stage, int64_t p, int64_t q) {
  const auto s = stage.stride, radix = fixed > 0 ? fixed : stage.radix;
  constexpr int64_t most = fixed > 0 ? fixed : fourier_radix_max;
  Numbers<D> sums[most / 2], differences[most / 2];
  const auto first = load(d, stage.in, p * s + q);
  auto all = first;
  for (int64_t j = 0; j < radix / 2; ++j) {
    const auto x = load(d, stage.in, (p + (j + 1) * stage.columns) * s + q);
    const auto y = load(d, stage.in, (p + (radix - 1 - j) * stage.columns) * s + q);
    sums[j] = sum(d, x, y);
    differences[j] = turned(d, difference(d, x, y));
    all = sum(d, all, sums[j]);
  }
  store(d, all, stage.out, radix * p * s + q);
  const auto* factors = stage.factors + 2 * (radix - 1) * p;
  for (int64_t k = 1; k <= radix / 2; ++k) {
    auto even = first;
    Numbers<D> odd = {hn::Zero(d), hn::Zero(d)};
    for (int64_t j = 0; j < radix / 2; ++j) {
      const auto* root = stage.roots + 2 * ((j + 1) * k % radix);
      const auto cosine = hn::Set(d, root[0]), sine = hn::Set(d, root[1]);
      even.real = hn::MulAdd(sums[j].real, cosine, even.real);
      even.imaginary = hn::MulAdd(sums[j].imaginary, cosine, even.imaginary);
      odd.real = hn::MulAdd(differences[j].real, sine, odd.real);
      odd.imaginary = hn::MulAdd(differences[j].imaginary, sine, odd.imaginary);
    }
    store(
        d, product(d, sum(d, even, odd), factors + 2 * (k - 1)), stage.out,
        (radix * p + k) * s + q);
    store(
        d, product(d, difference(d, even, odd), factors + 2 * (radix - k - 1)), stage.out,
        (radix * p + radix - k) * s + q);
  }
}

template <class D, class R>
void run_stage_by(D d, const FourierStage<R>& stage) {
  const auto lanes = lanes_of(d);
  auto each = [&](auto transform) HWY_ATTR {
    for (int64_t p = 0; p < stage.columns; ++p)
      for (int64_t q = 0; q < stage.stride; q += lanes) transform(p, q);
  };
  switch (stage.radix) {
    case 2: return each([&](int64_t p, int64_t q) HWY_ATTR { transform_2(d, stage, p, q); });
    case 3: return each([&](int64_t p, int64_t q) HWY_ATTR { transform_odd<3>(d, stage, p, q); });
    case 4: return each([&](int64_t p, int64_t q) HWY_ATTR { transform_4(d, stage, p, q); });
    case 5: return each([&](int64_t p, int64_t q) HWY_ATTR { transform_odd<5>(d, stage, p, q); });
    default: return each([&](int64_t p, int64_t q) HWY_ATTR { transform_odd<0>(d, stage, p, q); });
  }
}

/// Calls f(d) with the widest vectors of which a whole number makes a column.
template <class R, class F>
HWY_INLINE void with_vectors(int64_t column, const F& f) {
  const hn::ScalableTag<R> widest;
  const hn::CappedTag<R, 4> narrow;
  if (column % lanes_of(widest) == 0) f(widest);
  else if (column % lanes_of(narrow) == 0) f(narrow);
  else f(hn::CappedTag<R, 1>());
}

template <class R>
void run_stage(const FourierStage<R>& stage) {
  with_vectors<R>(stage.stride, [&](auto d) HWY_ATTR { run_stage_by(d, stage); });
}

template <class D>
HWY_INLINE Numbers<D> conjugate(D, const Numbers<D>& x) {
  return {x.real, hn::Neg(x.imaginary)};
}

template <class R>
void join_spectrum(const RealSpectrum<R>& of) {
  with_vectors<R>(of.width, [&](auto d) HWY_ATTR {
    const auto half = hn::Set(d, R(0.5));
    for (int64_t k = 0; k <= of.size; ++k) {
      const auto x = (k < of.size ? k : 0) * of.width, y = (k > 0 ? of.size - k : 0) * of.width;
      for (int64_t q = 0; q < of.width; q += lanes_of(d)) {
        const auto a = load(d, of.in, x + q), b = conjugate(d, load(d, of.in, y + q));
        const auto odd = product(d, turned(d, difference(d, a, b)), of.roots + 2 * k);
        const auto all = sum(d, sum(d, a, b), odd);
        store(d, {hn::Mul(all.real, half), hn::Mul(all.imaginary, half)}, of.out, k * of.width + q);
      }
    }
  });
}

template <class R>
void split_spectrum(const RealSpectrum<R>& of) {
  with_vectors<R>(of.width, [&](auto d) HWY_ATTR {
    for (int64_t k = 0; k < of.size; ++k) {
      const R root[] = {of.roots[2 * k], -of.roots[2 * k + 1]};
      for (int64_t q = 0; q < of.width; q += lanes_of(d)) {
        const auto a = load(d, of.in, k * of.width + q);
        const auto b = conjugate(d, load(d, of.in, (of.size - k) * of.width + q));
        const auto odd = product(d, difference(d, a, b), root);
        // Less -i times it is more i times it.
        store(d, difference(d, sum(d, a, b), turned(d, odd)), of.out, k * of.width + q);
      }
    }
  });
}

/// Which numbers of which lines; from the first of each on.
struct Part {
  int64_t numbers = 0, lines = 0;
};

/// Calls f(element of the parts, of the tensor) for all numbers but those of `done`.
template <class R, class F>
HWY_INLINE void each_number(const FourierLines<R>& of, const Part& done, const F& f) {
  for (int64_t i = 0; i < of.length; ++i)
    for (auto l = i < done.numbers ? done.lines : 0; l < of.count; ++l)
      f(i * of.width + l, of.starts[l] + i * of.step);
}

/// Whether the lines are neighbours, so that numbers of one place lie one after the other.
template <class R>
bool are_neighbours(const FourierLines<R>& of) {
  return of.step > 2 && of.starts[of.count - 1] - of.starts[0] == 2 * (of.count - 1);
}

#if HWY_TARGET != HWY_SCALAR
/// Exchanges the rows and the columns of four vectors of four.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void transpose_four(D d, V (&v)[4]) {
  const auto a = hn::InterleaveLower(d, v[0], v[2]), b = hn::InterleaveLower(d, v[1], v[3]),
             c = hn::InterleaveUpper(d, v[0], v[2]), e = hn::InterleaveUpper(d, v[1], v[3]);
  v[0] = hn::InterleaveLower(d, a, b);
  v[1] = hn::InterleaveUpper(d, a, b);
  v[2] = hn::InterleaveLower(d, c, e);
  v[3] = hn::InterleaveUpper(d, c, e);
}

/// Calls f(first number, first line) for blocks of four numbers of four lines, where lines are
/// whole in memory, and returns which those are.
template <class F>
HWY_INLINE Part each_block(const FourierLines<float>& of, const F& f) {
  if (of.step != 2) return {};
  const Part part{.numbers = of.length / 4 * 4, .lines = of.count / 4 * 4};
  for (int64_t i = 0; i < part.numbers; i += 4)
    for (int64_t l = 0; l < part.lines; l += 4) f(i, l);
  return part;
}

Part load_blocks(const FourierLines<float>& of) {
  const hn::Full128<float> d;
  return each_block(of, [&](int64_t i, int64_t l) HWY_ATTR {
    hn::Vec<decltype(d)> real[4], imaginary[4];
    for (int64_t k = 0; k < 4; ++k)
      hn::LoadInterleaved2(d, of.tensor + of.starts[l + k] + 2 * i, real[k], imaginary[k]);
    transpose_four(d, real);
    transpose_four(d, imaginary);
    for (int64_t k = 0; k < 4; ++k)
      store(d, {real[k], imaginary[k]}, of.parts, (i + k) * of.width + l);
  });
}

Part store_blocks(const FourierLines<float>& of, float scale) {
  const hn::Full128<float> d;
  const auto by = hn::Set(d, scale);
  return each_block(of, [&](int64_t i, int64_t l) HWY_ATTR {
    hn::Vec<decltype(d)> real[4], imaginary[4];
    for (int64_t k = 0; k < 4; ++k) {
      const auto x = load(d, of.parts, (i + k) * of.width + l);
      real[k] = hn::Mul(x.real, by);
      imaginary[k] = hn::Mul(x.imaginary, by);
    }
    transpose_four(d, real);
    transpose_four(d, imaginary);
    for (int64_t k = 0; k < 4; ++k)
      hn::StoreInterleaved2(real[k], imaginary[k], d, of.tensor + of.starts[l + k] + 2 * i);
  });
}
#endif

/// Of other types, and where there are no vectors, none.
template <class R>
Part load_blocks(const FourierLines<R>&) {
  return {};
}
template <class R>
Part store_blocks(const FourierLines<R>&, R) {
  return {};
}

template <class R>
void load_lines(const FourierLines<R>& of) {
  if (are_neighbours(of)) {
    return with_vectors<R>(of.count, [&](auto d) HWY_ATTR {
      for (int64_t i = 0; i < of.length; ++i)
        for (int64_t l = 0; l < of.count; l += lanes_of(d)) {
          Numbers<decltype(d)> x;
          hn::LoadInterleaved2(
              d, of.tensor + of.starts[0] + i * of.step + 2 * l, x.real, x.imaginary);
          store(d, x, of.parts, i * of.width + l);
        }
    });
  }
  each_number(of, load_blocks(of), [&](int64_t part, int64_t at) {
    of.parts.real[part] = of.tensor[at];
    of.parts.imaginary[part] = of.tensor[at + 1];
  });
}

template <class R>
void store_lines(const FourierLines<R>& of, R scale) {
  if (are_neighbours(of)) {
    return with_vectors<R>(of.count, [&](auto d) HWY_ATTR {
      const auto by = hn::Set(d, scale);
      for (int64_t i = 0; i < of.length; ++i)
        for (int64_t l = 0; l < of.count; l += lanes_of(d)) {
          const auto x = load(d, of.parts, i * of.width + l);
          hn::StoreInterleaved2(
              hn::Mul(x.real, by), hn::Mul(x.imaginary, by), d,
              of.tensor + of.starts[0] + i * of.step + 2 * l);
        }
    });
  }
  each_number(of, store_blocks(of, scale), [&](int64_t part, int64_t at) {
    of.tensor[at] = of.parts.real[part] * scale;
    of.tensor[at + 1] = of.parts.imaginary[part] * scale;
  });
}

template <class R>
FourierLoops<R> loops_of() {
  return {
      .run_stage = run_stage<R>,
      .join_spectrum = join_spectrum<R>,
      .split_spectrum = split_spectrum<R>,
      .load = load_lines<R>,
      .store = store_lines<R>};
}

FourierLoops<float> float_loops() { return loops_of<float>(); }
FourierLoops<double> double_loops() { return loops_of<double>(); }

}  // namespace troupe::cpu::vector::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace troupe::cpu::vector {

HWY_EXPORT(float_loops);
HWY_EXPORT(double_loops);

FourierLoops<float> fourier_loops(float) { return HWY_DYNAMIC_DISPATCH(float_loops)(); }
FourierLoops<double> fourier_loops(double) { return HWY_DYNAMIC_DISPATCH(double_loops)(); }

}  // namespace troupe::cpu::vector
#endif
