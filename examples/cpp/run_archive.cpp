// Loads an archive, prints its methods, and runs each whose inputs are float32 or int64 on ones,
// with every symbolic size 1, or as large as said: run_archive FILE [SIZE].
#include <cstdlib>
#include <iostream>
#include <rondo/rondo.hpp>
#include <sstream>

namespace {

using rondo::api::Input;
using rondo::api::ValueInfo;

/// "[batch, 3]" as {symbol, 3}.
std::vector<std::int64_t> sizes(const std::string& shape, std::int64_t symbol) {
  std::vector<std::int64_t> result;
  std::istringstream words(shape.substr(1, shape.size() - 2));
  for (std::string word; std::getline(words, word, ',');) {
    const std::int64_t size = std::strtoll(word.c_str(), nullptr, 10);
    result.push_back(size > 0 ? size : symbol);
  }
  return result;
}

void print(const char* what, const std::vector<ValueInfo>& values) {
  for (const ValueInfo& value : values) {
    std::cout << "  " << what << ' ' << value.name << ": " << rondo_dtype_name(value.dtype) << ' '
              << value.shape << '\n';
  }
}

void run(rondo::api::Session& session, const std::string& method,
         const std::vector<ValueInfo>& infos, std::int64_t symbol) {
  std::vector<std::vector<float>> floats;
  std::vector<std::vector<std::int64_t>> integers;
  floats.reserve(infos.size());  // inputs point into them
  integers.reserve(infos.size());
  std::vector<Input> inputs;
  for (const ValueInfo& info : infos) {
    const std::vector<std::int64_t> shape = sizes(info.shape, symbol);
    std::size_t count = 1;
    for (const std::int64_t size : shape) {
      count *= static_cast<std::size_t>(size);
    }
    if (info.dtype == RONDO_FLOAT32) {
      floats.emplace_back(count, 1.0F);
      inputs.emplace_back(shape, floats.back());
    } else if (info.dtype == RONDO_INT64) {
      integers.emplace_back(count, 1);
      inputs.emplace_back(shape, integers.back());
    } else {
      return;
    }
  }
  for (const rondo::api::Output& output : session.run(method, inputs)) {
    std::cout << "  on ones: " << output.size() << " elements of "
              << rondo_dtype_name(output.dtype()) << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: run_archive FILE [SIZE]\n";
    return 2;
  }
  try {
    const auto module = rondo::api::Module::load(argv[1]);
    rondo::api::Session session(module);
    for (const std::string& method : module.methods()) {
      std::cout << "method " << method << '\n';
      print("input", module.inputs(method));
      print("output", module.outputs(method));
      run(session, method, module.inputs(method), argc == 3 ? std::atoll(argv[2]) : 1);
    }
  } catch (const rondo::api::Error& error) {
    std::cerr << error.kind() << ": " << error.what() << '\n';
    return 1;
  }
}
