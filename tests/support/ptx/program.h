// PTX as the stand-in runs it: functions of decoded instructions over slots of 64 bits.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rondo::ptx {

/// A program that cannot be run, or a run that did what a GPU would not: the text says which
/// instruction.
class PtxError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Thread;
struct Code;
struct Function;
using Handler = void (*)(Thread&, const Code&);

enum class Space : std::uint8_t { generic, global, shared, local, param };

/// Element types of instructions.
enum class Type : std::uint8_t {
  pred,
  b8,
  b16,
  b32,
  b64,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f32,
  f64,
};
int type_bytes(Type type);
/// Of "f32"; false if there is none of that name.
bool type_from_name(std::string_view name, Type& type);

enum class Rounding : std::uint8_t { none, nearest, zero, down, up };

/// One instruction.
struct Code {
  Handler run = nullptr;
  std::array<int, 4> to{-1, -1, -1, -1};  // slots
  std::array<int, 4> from{-1, -1, -1, -1};
  int guard = -1;
  bool guard_inverted = false;
  Space space = Space::generic;
  Type type = Type::b32;
  Type source_type = Type::b32;
  Rounding rounding = Rounding::none;
  bool to_integer = false;  // cvt: of a float to a whole number
  bool downwards = false;   // shfl: from a higher lane, not from one by number
  int width = 1;            // of a vector
  int base = -1;            // slot of an address
  std::int64_t offset = 0;
  int target = -1;  // of a branch
  const Function* callee = nullptr;
  std::vector<int> arguments, results;  // offsets in the caller's parameter space
  int line = 0;                         // in Function::lines
};

/// A piece of parameter space.
struct Parameter {
  std::string name;
  int offset = 0;
  int bytes = 0;
};

struct Constant {
  int slot;
  std::uint64_t bits;
};

enum class Special : std::uint8_t { tid, ntid, ctaid, nctaid, laneid };
struct SpecialRegister {
  int slot;
  Special kind;
  int axis;  // x, y, z
};

struct Function {
  std::string name;
  bool entry = false;
  std::vector<Parameter> parameters, results;
  int parameter_bytes = 0;  // of the whole frame: its own, results, and those of its calls
  int local_bytes = 0;
  int slots = 0;
  std::vector<Constant> constants;
  std::vector<SpecialRegister> specials;
  std::vector<Code> code;
  std::vector<std::string> lines;  // the text of each instruction
};

struct Module {
  std::map<std::string, std::unique_ptr<Function>> functions;
  std::vector<std::byte> memory;  // of variables in global and constant space
  std::unordered_map<std::string, std::uint64_t> globals;  // addresses
  std::unordered_map<std::string, std::uint64_t> shared;   // offsets
  std::size_t shared_bytes = 0;
};

/// Errors: PtxError, which names what it does not know.
std::unique_ptr<Module> parse_ptx(std::string_view text);

/// The handler of an instruction without its types and roundings, for instance "add" of f32; null
/// if there is none. It may set fields of `code`.
Handler find_handler(const std::vector<std::string>& words, Code& code);

}  // namespace rondo::ptx
