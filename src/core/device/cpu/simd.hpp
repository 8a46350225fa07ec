#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <experimental/simd>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "core/device/vec4.hpp"

/// The machine's vector registers as `std::experimental::simd`, and the few operations that the
/// library lacks: masks as bits, reciprocal square roots, gathers of four-float records.
namespace gothic::cpu {

namespace stdx = std::experimental;

using Float = stdx::native_simd<float>;
using Double = stdx::native_simd<double>;
using Mask = Float::mask_type;

/// One register for each component of `Vec4`.
struct Float4 {
  Float x, y, z, w;
};

/// Bits of a mask, lane 0 in bit 0.
inline std::uint32_t bits(const Mask& mask) {
  return std::uint32_t(mask.__to_bitset().to_ulong());  // libstdc++ offers no public conversion
}

/// Largest relative error of rsqrt_estimate: Intel's manual gives 2^-14 for AVX-512 and
/// 1.5 * 2^-12 for AVX; elsewhere the operations are correctly rounded.
#if defined(__AVX512F__)
inline constexpr double root_error = 6.104e-5;
#elif defined(__AVX__)
inline constexpr double root_error = 3.663e-4;
#else
inline constexpr double root_error = 1.2e-7;
#endif

/// The hardware's estimate of 1 / sqrt(x), x > 0.
inline Float rsqrt_estimate(const Float& x) {
#if defined(__AVX512F__)
  return Float(_mm512_rsqrt14_ps(static_cast<__m512>(x)));
#elif defined(__AVX__)
  return Float(_mm256_rsqrt_ps(static_cast<__m256>(x)));
#else
  return 1.0F / stdx::sqrt(x);
#endif
}

/// Mean of rsqrt_estimate(x)^power * sqrt(x)^power over a period of the mantissa: the estimate's
/// table leaves a small error of constant sign, which sums over many pairs do not average away.
float mean_estimate(int power);

/// 2 / sqrt(x), x > 0, to a few units in the last place: the estimate with one Newton step, of
/// which the factor one half is left to the caller.
inline Float twice_rsqrt(const Float& x) {
  const Float y = rsqrt_estimate(x);
  return y * (3.0F - (x * y) * y);
}

/// 1 / sqrt(x), x > 0, in double precision: two Newton steps take 14 bits to the last one or two.
inline Double rsqrt(const Double& x) {
#if defined(__AVX512F__)
  Double y(_mm512_rsqrt14_pd(static_cast<__m512d>(x)));
  y = y * (1.5 - (0.5 * x) * (y * y));
  return y * (1.5 - (0.5 * x) * (y * y));
#else
  return 1.0 / stdx::sqrt(x);
#endif
}

/// Records `base[index[lane]]` of all lanes, one register per component.
inline Float4 gather(const Vec4* base, const std::uint32_t* index) {
#if defined(__AVX512F__)
  const auto rows = [&](int first) {
    const auto row = [&](int lane) { return _mm_load_ps(&base[index[lane]].x); };
    __m512 r = _mm512_castps128_ps512(row(first));
    r = _mm512_insertf32x4(r, row(first + 4), 1);
    r = _mm512_insertf32x4(r, row(first + 8), 2);
    return _mm512_insertf32x4(r, row(first + 12), 3);
  };
  const __m512 r0 = rows(0), r1 = rows(1), r2 = rows(2), r3 = rows(3);
  const __m512 xy01 = _mm512_unpacklo_ps(r0, r1), zw01 = _mm512_unpackhi_ps(r0, r1);
  const __m512 xy23 = _mm512_unpacklo_ps(r2, r3), zw23 = _mm512_unpackhi_ps(r2, r3);
  return {Float(_mm512_shuffle_ps(xy01, xy23, 0x44)), Float(_mm512_shuffle_ps(xy01, xy23, 0xEE)),
          Float(_mm512_shuffle_ps(zw01, zw23, 0x44)), Float(_mm512_shuffle_ps(zw01, zw23, 0xEE))};
#else
  return {Float([&](auto i) { return base[index[i]].x; }),
          Float([&](auto i) { return base[index[i]].y; }),
          Float([&](auto i) { return base[index[i]].z; }),
          Float([&](auto i) { return base[index[i]].w; })};
#endif
}

/// `sharing` records, each in its part of the lanes: 16 / sharing lanes of AVX-512's 16.
template <int sharing>
Float4 spread(const Vec4* base) {
  constexpr int width = int(Float::size()), part = width / sharing;
#if defined(__AVX512F__)
  constexpr auto first_lanes = [](int floats) { return __mmask16((1U << floats) - 1); };
  if constexpr (sharing <= 4) {
    const __m512 all = _mm512_maskz_loadu_ps(first_lanes(4 * sharing), &base->x);
    const auto component = [&](int k) {
      const stdx::native_simd<int> place([=](auto lane) { return 4 * (int(lane) / part) + k; });
      return Float(_mm512_permutexvar_ps(static_cast<__m512i>(place), all));
    };
    return {component(0), component(1), component(2), component(3)};
  } else if constexpr (sharing == 8) {
    const __m512 low = _mm512_loadu_ps(&base[0].x), high = _mm512_loadu_ps(&base[4].x);
    const auto component = [&](int k) {
      const stdx::native_simd<int> place([=](auto lane) { return 4 * (int(lane) / part) + k; });
      return Float(_mm512_permutex2var_ps(low, static_cast<__m512i>(place), high));
    };
    return {component(0), component(1), component(2), component(3)};
  }
#endif
  alignas(64) std::uint32_t index[width];
  for (int lane = 0; lane < width; ++lane) index[lane] = std::uint32_t(lane / part);
  return gather(base, index);
}

/// `sharing` values, each in its part of the lanes.
template <int sharing>
Float spread(const float* base) {
  constexpr int part = int(Float::size()) / sharing;
#if defined(__AVX512F__)
  const __m512 all = _mm512_maskz_loadu_ps(__mmask16((1U << sharing) - 1), base);
  const stdx::native_simd<int> place([](auto lane) { return int(lane) / part; });
  return Float(_mm512_permutexvar_ps(static_cast<__m512i>(place), all));
#else
  return Float([&](auto lane) { return base[int(lane) / part]; });
#endif
}

/// Values `base[index[lane]]` of all lanes.
inline Float gather(const float* base, const std::uint32_t* index) {
#if defined(__AVX512F__)
  return Float(_mm512_i32gather_ps(_mm512_loadu_si512(index), base, 4));
#else
  return Float([&](auto i) { return base[index[i]]; });
#endif
}

/// Writes the integers of the lanes in `mask` to consecutive places, all of a register's length
/// being scratch; returns how many there are.
inline std::uint32_t compress(const std::uint32_t* values, const Mask& mask, std::uint32_t* out) {
  const std::uint32_t chosen = bits(mask);
#if defined(__AVX512F__)
  const __m512i all = _mm512_loadu_si512(values);
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(__mmask16(chosen), all));
#else
  for (std::uint32_t rest = chosen; rest != 0; rest &= rest - 1) {
    *out++ = values[std::countr_zero(rest)];
  }
#endif
  return std::uint32_t(std::popcount(chosen));
}

/// Copies base[0..n) to out; blocks of 16 without a branch, since n is mostly a leaf's few
/// particles.
inline void copy_records(Vec4* out, const Vec4* base, std::uint32_t n) {
#if defined(__AVX512F__)
  for (std::uint32_t begin = 0; begin < n; begin += 16) {
    const std::uint64_t lanes = ~std::uint64_t(0) >> (n - begin < 16 ? 64 - 4 * (n - begin) : 0);
    for (int part = 0; part < 4; ++part) {
      const auto mask = __mmask16(lanes >> (16 * part));
      const std::uint32_t at = begin + 4 * std::uint32_t(part);
      _mm512_mask_storeu_ps(&out[at].x, mask, _mm512_maskz_loadu_ps(mask, &base[at].x));
    }
  }
#else
  std::copy_n(base, n, out);
#endif
}

}  // namespace gothic::cpu
