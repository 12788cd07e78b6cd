#include "jit/disk_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

#include "core/base/error.h"
#include "jit/params.h"
#include "serialize/checksum.h"
#include "serialize/sink.h"

namespace rondo::jit {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMagic = 0x314b4f444e4f52ULL;  // "RONDOK1"
constexpr std::uint64_t kChecksumSeed = 0x9e3779b97f4a7c15ULL;

/// How old a temporary file is whose process has ended without finishing it.
constexpr std::chrono::minutes kForgotten{10};

struct Header {
  std::uint64_t magic = kMagic;
  std::uint64_t size = 0;
  std::uint64_t entry = 0;
  // Of the key and the code, with another seed than the file's name.
  std::uint64_t checksum_high = 0;
  std::uint64_t checksum_low = 0;
};

serialize::Hash128 checksum(const std::string& key, const codegen::MachineCode& code) {
  const serialize::Hash128 h = serialize::hash128(std::as_bytes(std::span(key)), kChecksumSeed);
  return serialize::hash128(code.bytes, h.high ^ h.low ^ code.entry);
}

std::string wanted_folder() {
  if (const char* own = std::getenv("RONDO_CACHE_DIR"); own != nullptr) {
    return own;
  }
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != '\0') {
    return std::string(xdg) + "/rondo";
  }
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : std::string(home) + "/.cache/rondo";
}

/// Made if need be; refused if others could write code into it.
bool usable(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  struct stat info{};
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid()) {
    return false;
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0 && chmod(folder.c_str(), S_IRWXU) != 0) {
    return false;
  }
  return true;
}

std::string file_of(const std::string& folder, const std::string& key) {
  return folder + "/" + serialize::hash128(std::as_bytes(std::span(key))).hex() + ".kernel";
}

}  // namespace

DiskCache& DiskCache::instance() {
  static DiskCache* const cache = new DiskCache;
  return *cache;
}

const std::string& DiskCache::folder() {
  const std::lock_guard lock(mutex_);
  if (!opened_) {
    opened_ = true;
    const std::string wanted = wanted_folder();
    folder_ = !wanted.empty() && usable(wanted) ? wanted : "";
    if (!folder_.empty()) {
      sweep();
    }
  }
  return folder_;
}

bool DiskCache::read(const std::string& key, codegen::MachineCode& code) {
  if (folder().empty()) {
    return false;
  }
  const std::string path = file_of(folder(), key);
  std::ifstream file(path, std::ios::binary);
  Header header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) {
    return false;
  }
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  bool good = !error && header.magic == kMagic && header.size == size - sizeof header &&
              header.entry < header.size;
  if (good) {
    code.bytes.resize(header.size);
    code.entry = header.entry;
    if (!file.read(reinterpret_cast<char*>(code.bytes.data()),
                   static_cast<std::streamsize>(header.size))) {
      return false;  // the disk's fault, not the file's
    }
    const serialize::Hash128 sum = checksum(key, code);
    good = sum.high == header.checksum_high && sum.low == header.checksum_low;
  }
  if (good) {
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // it was used: see sweep
  } else {
    fs::remove(path, error);
  }
  return good;
}

void DiskCache::write(const std::string& key, const codegen::MachineCode& code) {
  if (folder().empty()) {
    return;
  }
  const serialize::Hash128 sum = checksum(key, code);
  const Header header{kMagic, code.bytes.size(), code.entry, sum.high, sum.low};
  try {
    const std::unique_ptr<serialize::Sink> sink = serialize::replace_file(file_of(folder(), key));
    sink->write({reinterpret_cast<const std::byte*>(&header), sizeof header});
    sink->write(code.bytes);
    sink->commit();
  } catch (const IoError&) {
    // The kernel is in memory; a cache that cannot be written is no error.
  }
}

void DiskCache::sweep() {
  struct File {
    fs::file_time_type used;
    std::int64_t size;
    fs::path path;
  };
  std::vector<File> files;
  std::int64_t total = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const auto size = static_cast<std::int64_t>(entry.file_size(error));
    if (!error && entry.path().extension() == ".kernel") {
      files.push_back({entry.last_write_time(error), size, entry.path()});
      total += size;
    } else if (!error && entry.path().extension() == ".tmp" &&
               fs::file_time_type::clock::now() - entry.last_write_time(error) > kForgotten) {
      fs::remove(entry.path(), error);
    }
  }
  if (total <= params().disk_bytes) {
    return;
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (total <= params().disk_bytes) {
      return;
    }
    fs::remove(file.path, error);
    total -= file.size;
  }
}

}  // namespace rondo::jit
