// What the scalar source takes from GCC and clang, in the words of NVRTC. It comes before
// everything else in a GPU kernel.
#pragma once

#define __extension__
#define __builtin_inf() __builtin_bit_cast(double, 0x7FF0000000000000UL)
#define __builtin_nan(text) __builtin_bit_cast(double, 0x7FF8000000000000UL)
#define __builtin_clzll(x) ::__clzll(static_cast<long long>(x))
#define __builtin_fma ::fma
#define __builtin_fmaf ::fmaf
#define __builtin_sqrt ::sqrt
#define __builtin_sqrtf ::sqrtf
#define __builtin_floor ::floor
#define __builtin_floorf ::floorf
#define __builtin_ceil ::ceil
#define __builtin_ceilf ::ceilf
#define __builtin_trunc ::trunc
#define __builtin_truncf ::truncf
#define __builtin_nearbyint ::nearbyint
#define __builtin_nearbyintf ::nearbyintf
#define __builtin_fabs ::fabs
#define __builtin_fabsf ::fabsf
// Only vectors, which there are none of here, get as far as these.
#define __builtin_convertvector(x, ...) static_cast<__VA_ARGS__>(x)
#define __builtin_reduce_and(x) (x)
