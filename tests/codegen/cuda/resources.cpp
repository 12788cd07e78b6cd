#include "tests/codegen/cuda/resources.h"

#include <map>
#include <regex>
#include <sstream>

namespace rondo::codegen::cuda {

std::vector<KernelResources> read_resources(const std::string& log, std::string& warnings) {
  static const std::regex kEntry("ptxas info +: Compiling entry function '([^']+)' for .*");
  static const std::regex kProperties("ptxas info +: Function properties for (\\S+)");
  static const std::regex kStack(
      ".* (\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads");
  static const std::regex kUsed(
      "ptxas info +: Used (\\d+) registers,.*?(?:, (\\d+) bytes smem)?.*");
  static const std::regex kShared(".*, (\\d+) bytes smem.*");
  static const std::regex kNoise("ptxas info +: (\\d+ bytes gmem.*|Compile time.*)|");
  std::map<std::string, KernelResources> found;
  std::vector<std::string> order;
  std::string entry;
  std::string current;
  std::istringstream lines(log);
  const auto of = [&](const std::string& name) -> KernelResources& {
    if (found.emplace(name, KernelResources{name, false, 0, 0, 0, 0}).second) {
      order.push_back(name);
    }
    return found[name];
  };
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, kEntry)) {
      entry = match[1];
      of(entry).entry = true;
    } else if (std::regex_match(line, match, kProperties)) {
      current = match[1];
    } else if (std::regex_match(line, match, kStack)) {
      of(current).stack_bytes = std::stoi(match[1]);
      of(current).spill_bytes = std::stoi(match[2]) + std::stoi(match[3]);
    } else if (std::regex_match(line, match, kUsed)) {
      of(entry).registers = std::stoi(match[1]);
      if (std::regex_match(line, match, kShared)) {
        of(entry).shared_bytes = std::stoi(match[1]);
      }
    } else if (!std::regex_match(line, kNoise)) {
      warnings += line + "\n";
    }
  }
  std::vector<KernelResources> all;
  for (const std::string& name : order) {
    all.push_back(found[name]);
  }
  return all;
}

}  // namespace rondo::codegen::cuda
