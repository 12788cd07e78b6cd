#include "codegen/llvm/memory.h"

namespace rondo::codegen {
namespace {

/// Operands may lie at any address.
const llvm::Align kNoAlignment(1);

llvm::Value* widen(Ir& ir, Dtype dtype, llvm::Value* memory) {
  switch (dtype) {
    case Dtype::boolean:
    case Dtype::uint8:
      return ir.CreateZExt(memory, ir.lanes(Reg::i32));
    case Dtype::int8:
    case Dtype::int16:
      return ir.CreateSExt(memory, ir.lanes(Reg::i32));
    case Dtype::float16: {
      llvm::Value* half = ir.CreateBitCast(memory, ir.lanes(ir.getHalfTy()));
      return ir.CreateFPExt(half, ir.lanes(Reg::f32));
    }
    case Dtype::bfloat16: {
      llvm::Value* bits = ir.CreateZExt(memory, ir.lanes(Reg::i32));
      return ir.CreateBitCast(ir.CreateShl(bits, 16), ir.lanes(Reg::f32));
    }
    default:
      return memory;
  }
}

llvm::Value* narrow(Ir& ir, Dtype dtype, llvm::Value* lanes) {
  llvm::Type* memory = ir.lanes(ir.memory_type(dtype));
  switch (dtype) {
    case Dtype::boolean:
    case Dtype::uint8:
    case Dtype::int8:
    case Dtype::int16:
      return ir.CreateTrunc(lanes, memory);
    case Dtype::float16: {
      llvm::Value* half = ir.CreateFPTrunc(lanes, ir.lanes(ir.getHalfTy()));
      return ir.CreateBitCast(half, memory);
    }
    case Dtype::bfloat16: {
      llvm::Value* bits = ir.CreateBitCast(lanes, ir.lanes(Reg::i32));
      return ir.CreateTrunc(ir.CreateLShr(bits, 16), memory);
    }
    default:
      return lanes;
  }
}

/// The addresses of 16 elements, four to a base, which is what addressing modes reach.
std::vector<llvm::Value*> lane_addresses(Ir& ir, const Place& place) {
  llvm::Value* stride = place.stride_bytes;
  llvm::Value* multiples[] = {nullptr, stride, ir.CreateMul(stride, ir.number(2)),
                              ir.CreateMul(stride, ir.number(3))};
  llvm::Value* group_bytes = ir.CreateMul(stride, ir.number(4));
  std::vector<llvm::Value*> addresses;
  llvm::Value* base = place.address;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (lane % 4 == 0 && lane != 0) {
      base = ir.advance(base, group_bytes);
    }
    addresses.push_back(lane % 4 == 0 ? base : ir.advance(base, multiples[lane % 4]));
  }
  return addresses;
}

}  // namespace

llvm::Value* load_lanes(Ir& ir, Dtype dtype, const Place& place) {
  llvm::Type* element = ir.memory_type(dtype);
  llvm::Type* lanes = ir.lanes(element);
  llvm::Value* memory = nullptr;
  if (place.stride_class == StrideClass::unit) {
    memory = ir.CreateAlignedLoad(lanes, place.address, kNoAlignment);
  } else if (place.stride_class == StrideClass::zero) {
    memory = ir.splat(ir.CreateAlignedLoad(element, place.address, kNoAlignment));
  } else {
    memory = llvm::PoisonValue::get(lanes);
    std::uint64_t lane = 0;
    for (llvm::Value* address : lane_addresses(ir, place)) {
      llvm::Value* one = ir.CreateAlignedLoad(element, address, kNoAlignment);
      memory = ir.CreateInsertElement(memory, one, lane++);
    }
  }
  return widen(ir, dtype, memory);
}

void store_lanes(Ir& ir, Dtype dtype, const Place& place, llvm::Value* lanes) {
  llvm::Value* memory = narrow(ir, dtype, lanes);
  if (place.stride_class == StrideClass::unit) {
    ir.CreateAlignedStore(memory, place.address, kNoAlignment);
    return;
  }
  std::uint64_t lane = 0;
  for (llvm::Value* address : lane_addresses(ir, place)) {
    ir.CreateAlignedStore(ir.CreateExtractElement(memory, lane++), address, kNoAlignment);
  }
}

void store_first_lane(Ir& ir, Dtype dtype, llvm::Value* address, llvm::Value* lanes) {
  ir.CreateAlignedStore(ir.first_lane(narrow(ir, dtype, lanes)), address, kNoAlignment);
}

}  // namespace rondo::codegen
