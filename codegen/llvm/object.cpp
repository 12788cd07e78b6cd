#include "codegen/llvm/object.h"

#include <llvm/Object/ELFObjectFile.h>

#include <cstring>
#include <map>
#include <string>

#include "core/base/error.h"

namespace rondo::codegen {
namespace {

using Elf = llvm::object::ELF64LE;
using ElfFile = llvm::object::ELFFile<Elf>;

template <class T>
T unwrap(llvm::Expected<T> value) {
  if (!value) {
    fail<CompileError>("llvm: the object file cannot be read: {}",
                       llvm::toString(value.takeError()));
  }
  return std::move(*value);
}

class Linker {
 public:
  explicit Linker(llvm::MemoryBufferRef object)
      : file_(unwrap(ElfFile::create(object.getBuffer()))) {
    for (const Elf::Shdr& section : unwrap(file_.sections())) {
      sections_.push_back(&section);
    }
  }

  MachineCode run(const char* entry) {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      place(i);
    }
    for (const Elf::Shdr* section : sections_) {
      if (section->sh_type == llvm::ELF::SHT_RELA && offsets_.contains(section->sh_info)) {
        relocate(*section);
      }
    }
    code_.entry = find(entry);
    return std::move(code_);
  }

 private:
  void place(std::size_t index) {
    const Elf::Shdr& section = *sections_[index];
    const bool loaded = (section.sh_flags & llvm::ELF::SHF_ALLOC) != 0;
    if (!loaded || section.sh_type != llvm::ELF::SHT_PROGBITS) {
      return;
    }
    check<CompileError>((section.sh_flags & llvm::ELF::SHF_WRITE) == 0,
                        "llvm: the kernel has variables: section {}; only code and constants are "
                        "expected",
                        unwrap(file_.getSectionName(section)).str());
    const llvm::ArrayRef<std::uint8_t> content = unwrap(file_.getSectionContents(section));
    const std::size_t align = std::max<std::size_t>(section.sh_addralign, 1);
    const std::size_t offset = (code_.bytes.size() + align - 1) / align * align;
    code_.bytes.resize(offset + content.size());
    std::memcpy(code_.bytes.data() + offset, content.data(), content.size());
    offsets_[index] = offset;
  }

  const Elf::Shdr* symbol_table() {
    for (const Elf::Shdr* section : sections_) {
      if (section->sh_type == llvm::ELF::SHT_SYMTAB) {
        return section;
      }
    }
    fail<CompileError>("llvm: the object file has no symbols");
  }

  std::string name_of(const Elf::Sym& symbol) {
    const llvm::StringRef names = unwrap(file_.getStringTableForSymtab(*symbol_table()));
    return unwrap(symbol.getName(names)).str();
  }

  std::size_t address_of(const Elf::Sym& symbol) {
    const auto found = offsets_.find(symbol.st_shndx);
    check<CompileError>(found != offsets_.end(),
                        "llvm: the kernel refers to what lies outside of it: {}", name_of(symbol));
    return found->second + symbol.st_value;
  }

  void relocate(const Elf::Shdr& section) {
    const std::size_t target = offsets_.at(section.sh_info);
    for (const Elf::Rela& relocation : unwrap(file_.relas(section))) {
      const std::uint32_t type = relocation.getType(false);
      const Elf::Sym& symbol = *unwrap(file_.getRelocationSymbol(relocation, symbol_table()));
      check<CompileError>(type == llvm::ELF::R_X86_64_PC32 || type == llvm::ELF::R_X86_64_PLT32,
                          "llvm: a relocation of type {} to {}; only distances are expected", type,
                          name_of(symbol));
      const std::size_t at = target + relocation.r_offset;
      const auto distance = static_cast<std::int64_t>(address_of(symbol)) + relocation.r_addend -
                            static_cast<std::int64_t>(at);
      const auto value = static_cast<std::int32_t>(distance);
      std::memcpy(code_.bytes.data() + at, &value, sizeof(value));
    }
  }

  std::size_t find(const char* name) {
    for (const Elf::Sym& symbol : unwrap(file_.symbols(symbol_table()))) {
      if (name_of(symbol) == name) {
        return address_of(symbol);
      }
    }
    fail<CompileError>("llvm: the object file has no function {}", name);
  }

  ElfFile file_;
  std::vector<const Elf::Shdr*> sections_;
  std::map<std::size_t, std::size_t> offsets_;  // of the sections that are kept
  MachineCode code_;
};

}  // namespace

MachineCode link_object(llvm::MemoryBufferRef object, const char* entry) {
  return Linker(object).run(entry);
}

}  // namespace rondo::codegen
