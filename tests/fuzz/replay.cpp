#include <algorithm>
#include <iterator>
#include <vector>

#include "fuzz.hpp"

/// Runs the target on the files of the folders named, in builds without libFuzzer.
int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (const char* folder : std::span(argv + 1, std::size_t(argc - 1))) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files) {
    std::fprintf(stderr, "%s\n", file.c_str());  // the last one is the culprit
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%zu inputs read or refused\n", files.size());
  return files.empty() ? 1 : 0;
}
