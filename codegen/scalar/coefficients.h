// Coefficients of the polynomials. Made by make_coefficients.sh: change polynomials.sollya.
#pragma once

#include "codegen/scalar/lanes.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

// (e^x - 1 - x) / x^2
inline constexpr float kExpTailFloat[] = {0x1p-1F,        0x1.555554p-3F,  0x1.5554fp-5F,
                                          0x1.111306p-7F, 0x1.6d43c2p-10F, 0x1.9e0de4p-13F};
inline constexpr double kExpTailDouble[] = {0x1p-1,
                                            0x1.5555555555559p-3,
                                            0x1.555555555554dp-5,
                                            0x1.111111110f63p-7,
                                            0x1.6c16c16c1ab0fp-10,
                                            0x1.a01a01b01d04fp-13,
                                            0x1.a01a018e14p-16,
                                            0x1.71ddf7b89cf72p-19,
                                            0x1.27e51301d15d1p-22,
                                            0x1.af5fe54cc235bp-26,
                                            0x1.1f1aea57045bp-29};

// (tanh x - x) / x^3 in x^2
inline constexpr float kTanhFloat[] = {-0x1.55554ep-2F, 0x1.110f38p-3F,  -0x1.b9ca4ep-5F,
                                       0x1.62f1ccp-6F,  -0x1.0ed7bcp-7F, 0x1.529dcep-9F,
                                       -0x1.ddda5ep-12F};

// (log(1 + x) - x + x^2 / 2) / x^3
inline constexpr float kLogFloat[] = {0x1.555548p-2F,  -0x1.000008p-2F, 0x1.99a484p-3F,
                                      -0x1.555bb2p-3F, 0x1.23399p-3F,   -0x1.fc3394p-4F,
                                      0x1.e6eb38p-4F,  -0x1.ddf2bp-4F,  0x1.1412bcp-4F};

// (log((1 + x) / (1 - x)) / x - 2) / x^2 in x^2
inline constexpr double kLogDouble[] = {
    0x1.5555555555593p-1, 0x1.999999997fa39p-2, 0x1.2492494224e8ap-2, 0x1.c71c51dcf77abp-3,
    0x1.74664887e8376p-3, 0x1.39a0b4d914bdfp-3, 0x1.2f103aea38f07p-3};

// (erf x - x) / x in x^2
inline constexpr float kErfFloat[] = {0x1.06eba8p-3F,  -0x1.812742p-2F, 0x1.ce2de6p-4F,
                                      -0x1.b80c08p-6F, 0x1.54b154p-8F,  -0x1.a98p-11F,
                                      0x1.5a7084p-14F};
inline constexpr double kErfDouble[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379fep-2,  0x1.ce2f21a0436e4p-4,  -0x1.b82ce312ae13ap-6,
    0x1.565bcd1292ecbp-8,  -0x1.c02db4805b15ep-11, 0x1.f9a32dd4fbc3ap-14, -0x1.f4d22d48d6d15p-17,
    0x1.b9d8f9d5f2e89p-20, -0x1.5e7dc9001ff25p-23, 0x1.eaeadab1421e3p-27, -0x1.f0df90df37493p-31};

// -log2(erfc(x + 0.9375))
inline constexpr float kErfcFloat[] = {0x1.37b4bp1F,    0x1.d3f476p1F,   0x1.346c1ep0F,
                                       0x1.0484acp-4F,  -0x1.f19f78p-7F, 0x1.6cb0bp-9F,
                                       -0x1.23df9cp-12F};

// -log2(erfc(x + 0.875))
inline constexpr double kErfcDouble[] = {
    0x1.1b0f18be23025p1,    0x1.c0c6c4d07eaf3p1,    0x1.31443efd0bf03p0,    0x1.151f328c92221p-4,
    -0x1.0ba6ad93c27e9p-6,  0x1.956c59bedc58fp-9,   -0x1.2fbe028b75fb1p-12, -0x1.66c16e316ddfdp-14,
    0x1.dc86f32d3f847p-15,  -0x1.266aa8346e56cp-16, 0x1.8ab20b586ff45p-19,  0x1.ac2197f86f01dp-23,
    -0x1.70e3a0733f602p-22, 0x1.2a1c5a8bc4339p-23,  -0x1.343c914f46dep-25,  0x1.bc7b78ee3528ep-28,
    -0x1.b392bc9f772c5p-31, 0x1.05b5ff18d8186p-34,  -0x1.232296f0a11aep-39};

// (sin x - x) / x^3 in x^2
inline constexpr float kSinFloat[] = {-0x1.555556p-3F, 0x1.11116p-7F, -0x1.a0439cp-13F,
                                      0x1.76878cp-19F};
inline constexpr double kSinDouble[] = {
    -0x1.5555555555555p-3,  0x1.111111111108fp-7,  -0x1.a01a01a007f31p-13, 0x1.71de3a41d9f97p-19,
    -0x1.ae643fd562546p-26, 0x1.61166a89c3b1cp-33, -0x1.a64997b3f6b5ap-41};

// (cos x - 1 + x^2 / 2) / x^4 in x^2
inline constexpr float kCosFloat[] = {0x1.555548p-5F, -0x1.6c0b08p-10F, 0x1.999a6cp-16F};
inline constexpr double kCosDouble[] = {0x1.5555555555548p-5,  -0x1.6c16c16c149a9p-10,
                                        0x1.a01a019befa6bp-16, -0x1.27e4f77ebfeacp-22,
                                        0x1.1ee98deec25f1p-29, -0x1.8f7e4238c61aap-37};

// (atan x - x) / x^3 in x^2
inline constexpr float kAtanFloat[] = {-0x1.55554ap-2F, 0x1.9991ep-3F, -0x1.23b95ep-3F,
                                       0x1.b21efcp-4F, -0x1.f2c476p-5F};
inline constexpr double kAtanDouble[] = {
    -0x1.5555555555554p-2, 0x1.99999999995bcp-3, -0x1.2492492471f6dp-3, 0x1.c71c71b5e2c8dp-4,
    -0x1.745d148e0898ap-4, 0x1.3b136ac514f11p-4, -0x1.110c45894c48cp-4, 0x1.e16ed7a6630aep-5,
    -0x1.ab6ac381c344p-5,  0x1.70a66bbccedfp-5,  -0x1.119d316a94682p-5, 0x1.ef98debebb6a8p-7};

// (asin x - x) / x^3 in x^2
inline constexpr float kAsinFloat[] = {0x1.55554cp-3F, 0x1.33389ep-4F, 0x1.6caab6p-5F,
                                       0x1.04af34p-5F, 0x1.d7924cp-7F, 0x1.33d432p-5F};
inline constexpr double kAsinDouble[] = {
    0x1.5555555555577p-3, 0x1.333333332e133p-4, 0x1.6db6db721247bp-5, 0x1.f1c71a95002fbp-6,
    0x1.6e8bdedebf9dfp-6, 0x1.1c49f077d5bc7p-6, 0x1.ca1f8af1f0a39p-7, 0x1.75859dad05d9ap-7,
    0x1.613c1e6ed7236p-7, 0x1.e5fbe88dfeb2cp-9, 0x1.639a894e21126p-6, -0x1.57fad0dea93ccp-6,
    0x1.0b45e9f72d94bp-5};

// For powers of floats, in double: log2((1 + x) / (1 - x)) / x in x^2, and 2^x
inline constexpr double kPowLog[] = {0x1.71547652beeb3p1, 0x1.ec709d11d001fp-1,
                                     0x1.277780b3d56bdp-1, 0x1.a58d2421bf7dap-2,
                                     0x1.5ceff4d923819p-2};
inline constexpr double kPowExp[] = {
    0x1.62e42ff0e6aedp-1,  0x1.ebfbe0790d65bp-3,  0x1.c6b08ab823fcbp-5, 0x1.3b29f20e35b02p-7,
    0x1.5d8a8b2ead974p-10, 0x1.445ddea064901p-13, 0x1.fde40d03626a2p-17};

// For powers of doubles: (log((1 + x) / (1 - x)) / (2 x) - 1 - x^2 / 3) / x^4 in x^2
inline constexpr double kPowTail[] = {
    0x1.9999999999b33p-3, 0x1.249249245774dp-3, 0x1.c71c722df7e32p-4, 0x1.745ce9ae525a4p-4,
    0x1.3b1ef624505bdp-4, 0x1.0f7ef257e323ep-4, 0x1.0e4c0c6318b77p-4};

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
