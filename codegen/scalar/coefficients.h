// Coefficients of the polynomials. Made by polynomials.sollya: change that file, not this one.
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

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
