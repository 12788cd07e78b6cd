// Loads and stores of 16 elements: conversion between dtypes in memory and register classes.
#pragma once

#include "codegen/kernel.h"
#include "codegen/llvm/ir.h"

namespace rondo::codegen {

/// Where 16 neighbouring elements lie.
struct Place {
  llvm::Value* address = nullptr;  // of the first
  StrideClass stride_class = StrideClass::unit;
  llvm::Value* stride_bytes = nullptr;  // of class `any` only
};

/// The elements as register lanes; of class `zero`, one element in all lanes.
llvm::Value* load_lanes(Ir& ir, Dtype dtype, const Place& place);

/// Stores lanes whose values the dtype holds already.
void store_lanes(Ir& ir, Dtype dtype, const Place& place, llvm::Value* lanes);

/// Stores the first lane only.
void store_first_lane(Ir& ir, Dtype dtype, llvm::Value* address, llvm::Value* lanes);

}  // namespace rondo::codegen
