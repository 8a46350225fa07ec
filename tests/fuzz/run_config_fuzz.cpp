#include "files/toml.hpp"
#include "fuzz.hpp"

/// The input is the text of a file for --config.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gothic;
  const std::filesystem::path path = fuzz::put("run.toml", {data, size});
  fuzz::read_or_refuse([&] { files::read_run_config(path); });
  return 0;
}
