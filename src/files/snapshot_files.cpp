#include "files/snapshot_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "files/error.hpp"
#include "files/gadget_binary.hpp"
#include "files/gadget_hdf5.hpp"
#include "files/hdf5.hpp"
#include "files/input_file.hpp"
#include "files/text.hpp"
#include "files/tipsy.hpp"

namespace gothic::files {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& problem) {
  throw InputError(path.string() + ": " + problem);
}

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// The name of a file, cut at its dots.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    words.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// The name of file k of the snapshot of `count` files that `path` is one of.
std::filesystem::path name_of(const std::filesystem::path& path, std::size_t k, std::size_t count) {
  std::vector<std::string> words = words_of(path.filename().string());
  const auto number = std::find_if(words.rbegin(), words.rend(), is_number);
  if (number == words.rend()) {
    fail(path, fmt::format("input: is one of {} files of a snapshot; call them NAME.0.hdf5, "
                           "NAME.1.hdf5, ..., or NAME.0, NAME.1, ...",
                           count));
  }
  *number = std::to_string(k);
  return path.parent_path() / fmt::format("{}", fmt::join(words, "."));
}

/// Throws unless a file belongs to the same snapshot as another one.
void require_same_snapshot(const FileFacts& own, const std::filesystem::path& path,
                           const FileFacts& other, const std::filesystem::path& other_path) {
  const auto require_equal = [&](const std::string& what, double a, double b) {
    if (a == b) return;
    fail(path, fmt::format("input: the {} is {}, but {} in {}; give files of one snapshot", what,
                           shortest(a), shortest(b), other_path.filename().string()));
  };
  require_equal("number of files", double(own.files), double(other.files));
  require_equal("time", own.time, other.time);
  require_equal("unit of length", own.units.length_in_cm, other.units.length_in_cm);
  require_equal("unit of mass", own.units.mass_in_g, other.units.mass_in_g);
}

/// Throws if the files do not hold the particles that they say the snapshot has. Types that no file
/// holds may have been left out.
void require_all_particles(const std::vector<std::unique_ptr<ParticleFile>>& files,
                           const std::filesystem::path& path) {
  const std::vector<double>& told = files.front()->facts().counts_of_all;
  for (std::size_t type = 0; type < told.size(); ++type) {
    double found = 0;
    for (const auto& file : files) {
      const std::vector<std::size_t>& counts = file->facts().counts;
      if (type < counts.size()) found += double(counts[type]);
    }
    if (found == told[type] || found == 0) continue;
    fail(path, fmt::format("input: its {} files hold {:.0f} particles of type {}, but the snapshot "
                           "has {:.0f}; copy all files again",
                           files.size(), found, type, told[type]));
  }
}

}  // namespace

std::unique_ptr<ParticleFile> open_particle_file(const std::filesystem::path& path) {
  require_readable(path);
  hdf5::silence();
  if (H5Fis_hdf5(path.c_str()) > 0) return std::make_unique<GadgetHdf5>(path);
  if (GadgetBinary::is_one(path)) return std::make_unique<GadgetBinary>(path);
  if (TipsyFile::is_one(path)) return std::make_unique<TipsyFile>(path);
  fail(path,
       "input: is no snapshot in a known format; give HDF5 of GADGET, AREPO, SWIFT or gothic-ic, a "
       "binary file of GADGET-2, or TIPSY");
}

std::vector<std::filesystem::path> names_of_snapshot(const std::filesystem::path& path) {
  if (std::ranges::none_of(words_of(path.filename().string()), is_number)) return {path};
  std::vector<std::filesystem::path> names;
  try {
    const std::size_t count = open_particle_file(path)->facts().files;
    if (count == 1) return {path};
    for (std::size_t k = 0; k < count; ++k) {
      names.push_back(name_of(path, k, count));
      if (!std::filesystem::exists(names.back())) break;
    }
  } catch (const InputError&) {
    names = {path};
  }
  return names;
}

std::vector<std::unique_ptr<ParticleFile>> open_snapshot_files(const std::filesystem::path& path) {
  std::vector<std::unique_ptr<ParticleFile>> files;
  files.push_back(open_particle_file(path));
  const std::size_t count = files.front()->facts().files;
  if (count == 1) return files;
  const FileFacts named = files.front()->facts();
  files.clear();
  for (std::size_t k = 0; k < count; ++k) {
    const std::filesystem::path name = name_of(path, k, count);
    std::error_code ignored;
    if (!std::filesystem::exists(name, ignored)) {
      fail(path, fmt::format("input: is one of {} files of a snapshot, and {} is missing; copy it "
                             "to the same folder",
                             count, name.filename().string()));
    }
    files.push_back(open_particle_file(name));
    require_same_snapshot(files.back()->facts(), name, named, path);
  }
  require_all_particles(files, path);
  return files;
}

}  // namespace gothic::files
