#include "codegen/llvm/strip.h"

#include <algorithm>

namespace rondo::codegen {
namespace {

const llvm::Align kNoAlignment(1);
const llvm::Align kBufferAlignment(64);

std::int64_t element_bytes(Dtype dtype) {
  return size_bytes(dtype, 1);
}

}  // namespace

Strip::Strip(Ir& ir, const Kernel& kernel, const Variant& variant, Isa isa,
             const std::vector<int>& code, Level level)
    : ir_(ir), isa_(isa) {
  for (const int i : code) {
    const Instr& in = kernel.code[static_cast<std::size_t>(i)];
    const bool memory = in.kind == InstrKind::load || in.kind == InstrKind::store;
    const bool known = std::any_of(operands_.begin(), operands_.end(),
                                   [&](const StripOperand& o) { return o.number == in.operand; });
    if (!memory || in.level != level || known) {
      continue;
    }
    const auto number = static_cast<std::size_t>(in.operand);
    StripOperand operand;
    operand.number = in.operand;
    operand.dtype = kernel.operands[number].dtype;
    operand.written = kernel.operands[number].written;
    operand.start.stride_class = variant.strides[number];
    if (operand.written && operand.start.stride_class == StrideClass::zero) {
      operand.start.stride_class = StrideClass::any;  // A single element: only the tail stores it.
    }
    if (operand.start.stride_class != StrideClass::zero) {
      operand.buffer = ir.stack_variable(ir.lanes(ir.memory_type(operand.dtype)));
    }
    operands_.push_back(operand);
  }
}

/// How the remaining elements of an operand are copied. AVX2 loads by mask, but 4 and 8 bytes only;
/// its stores by mask are slow on many machines.
Strip::Copy Strip::copy_of(const StripOperand& operand) const {
  if (operand.start.stride_class == StrideClass::any) {
    return Copy::one_by_one;
  }
  const bool masked = !operand.written && element_bytes(operand.dtype) >= 4;
  return isa_ == Isa::v4 || masked ? Copy::by_mask : Copy::by_halves;
}

void Strip::copy_by_mask(const StripOperand& operand) {
  llvm::FixedVectorType* type = ir_.lanes(ir_.memory_type(operand.dtype));
  if (operand.written) {
    llvm::Value* lanes = ir_.CreateAlignedLoad(type, operand.buffer, kBufferAlignment);
    ir_.CreateMaskedStore(lanes, operand.start.address, kNoAlignment, mask_);
  } else {
    llvm::Value* lanes = ir_.CreateMaskedLoad(type, operand.start.address, kNoAlignment, mask_,
                                              llvm::Constant::getNullValue(type));
    ir_.CreateAlignedStore(lanes, operand.buffer, kBufferAlignment);
  }
}

/// Copies `type`, at a number of bytes from the element, in or out.
void Strip::copy_part(const StripOperand& operand, llvm::Type* type, llvm::Value* element,
                      llvm::Value* stride_bytes) {
  llvm::Value* bytes = ir_.number(element_bytes(operand.dtype));
  llvm::Value* outside = ir_.advance(operand.start.address, ir_.CreateMul(element, stride_bytes));
  llvm::Value* inside = ir_.advance(operand.buffer, ir_.CreateMul(element, bytes));
  llvm::Value* value =
      ir_.CreateAlignedLoad(type, operand.written ? inside : outside, kNoAlignment);
  ir_.CreateAlignedStore(value, operand.written ? outside : inside, kNoAlignment);
}

/// 8, 4, 2 and 1 elements, as the bits of the count say.
void Strip::copy_by_halves(const std::vector<const StripOperand*>& operands) {
  llvm::Value* element = ir_.number(0);
  for (std::uint32_t count = kLanes / 2; count > 0 && !operands.empty(); count /= 2) {
    llvm::Value* bit = ir_.CreateAnd(remaining_, ir_.number(count));
    Conditional inside(ir_, ir_.CreateICmpNE(bit, ir_.number(0)), "copy_part");
    for (const StripOperand* operand : operands) {
      llvm::Type* one = ir_.memory_type(operand->dtype);
      llvm::Type* part = count == 1 ? one : llvm::FixedVectorType::get(one, count);
      copy_part(*operand, part, element, ir_.number(element_bytes(operand->dtype)));
    }
    llvm::Value* next = ir_.CreateAdd(element, ir_.number(count));
    element = inside.close({{next, element}})[0];
  }
}

void Strip::copy_one_by_one(const std::vector<const StripOperand*>& operands) {
  if (operands.empty()) {
    return;
  }
  Loop elements(ir_, "copy_element");
  llvm::Value* element = elements.carry(ir_.number(0));
  for (const StripOperand* operand : operands) {
    copy_part(*operand, ir_.memory_type(operand->dtype), element, operand->start.stride_bytes);
  }
  llvm::Value* next = ir_.CreateAdd(element, ir_.number(1));
  elements.close(ir_.CreateICmpSLT(next, remaining_), {next});
}

/// Copies the remaining elements of what is read to the buffers, or of what is written back.
void Strip::copy(bool written) {
  std::vector<const StripOperand*> by_halves;
  std::vector<const StripOperand*> one_by_one;
  for (const StripOperand& operand : operands_) {
    if (operand.written != written || operand.buffer == nullptr) {
      continue;
    }
    const Copy how = copy_of(operand);
    if (how == Copy::by_mask) {
      copy_by_mask(operand);
      continue;
    }
    if (!written) {
      llvm::Type* type = ir_.lanes(ir_.memory_type(operand.dtype));
      ir_.CreateAlignedStore(llvm::Constant::getNullValue(type), operand.buffer, kBufferAlignment);
    }
    (how == Copy::by_halves ? by_halves : one_by_one).push_back(&operand);
  }
  copy_by_halves(by_halves);
  copy_one_by_one(one_by_one);
}

void Strip::enter(llvm::Value* tail, llvm::Value* remaining) {
  tail_ = tail;
  remaining_ = remaining;
  llvm::Value* clipped = ir_.CreateSelect(tail, remaining, ir_.number(kLanes));
  llvm::Value* count = ir_.CreateTrunc(clipped, ir_.getInt32Ty());
  std::vector<llvm::Constant*> lane_numbers;
  lane_numbers.reserve(kLanes);
  for (unsigned i = 0; i < kLanes; ++i) {
    lane_numbers.push_back(ir_.getInt32(i));
  }
  mask_ = ir_.CreateICmpSLT(llvm::ConstantVector::get(lane_numbers), ir_.splat(count));

  Conditional inside(ir_, tail, "tail_in");
  copy(false);
  std::vector<std::pair<llvm::Value*, llvm::Value*>> choices;
  for (const StripOperand& operand : operands_) {
    if (operand.buffer != nullptr) {
      choices.emplace_back(operand.buffer, operand.start.address);
    }
    if (operand.start.stride_class == StrideClass::any) {
      choices.emplace_back(ir_.number(element_bytes(operand.dtype)), operand.start.stride_bytes);
    }
  }
  const std::vector<llvm::Value*> merged = inside.close(choices);
  auto next = merged.begin();
  for (StripOperand& operand : operands_) {
    operand.place = operand.start;
    if (operand.buffer != nullptr) {
      operand.place.address = *next++;
    }
    if (operand.start.stride_class == StrideClass::any) {
      operand.place.stride_bytes = *next++;
    }
  }
  for (StripOperand& operand : operands_) {
    if (operand.start.stride_class == StrideClass::zero) {
      operand.value = load_lanes(ir_, operand.dtype, operand.place);
    }
  }
}

const StripOperand& Strip::find(int operand) const {
  return *std::find_if(operands_.begin(), operands_.end(),
                       [&](const StripOperand& o) { return o.number == operand; });
}

Place Strip::place_of(const StripOperand& operand, llvm::Value* i) {
  Place place = operand.place;
  if (place.stride_class == StrideClass::any) {
    place.address = ir_.advance(place.address, ir_.CreateMul(i, place.stride_bytes));
  } else if (place.stride_class == StrideClass::unit) {
    place.address = ir_.CreateGEP(ir_.memory_type(operand.dtype), place.address, i);
  }
  return place;
}

llvm::Value* Strip::load(int operand, llvm::Value* i) {
  const StripOperand& found = find(operand);
  if (found.value != nullptr) {
    return found.value;
  }
  const Place place = place_of(found, i);
  if (found.ahead_bytes != nullptr) {
    llvm::Value* ahead = ir_.advance(place.address, found.ahead_bytes);
    ir_.CreateIntrinsic(llvm::Intrinsic::prefetch, {ahead->getType()},
                        {ahead, ir_.getInt32(0), ir_.getInt32(3), ir_.getInt32(1)});
  }
  return load_lanes(ir_, found.dtype, place);
}

void Strip::store(int operand, llvm::Value* i, llvm::Value* lanes) {
  const StripOperand& found = find(operand);
  store_lanes(ir_, found.dtype, place_of(found, i), lanes);
}

void Strip::leave() {
  const bool writes = std::any_of(operands_.begin(), operands_.end(),
                                  [](const StripOperand& o) { return o.written; });
  if (!writes) {
    return;
  }
  Conditional inside(ir_, tail_, "tail_out");
  copy(true);
  inside.close();
}

}  // namespace rondo::codegen
