#include "ic/convert.hpp"

#include <filesystem>

#include "files/error.hpp"
#include "files/hdf5.hpp"
#include "files/input_file.hpp"
#include "files/snapshot_files.hpp"
#include "files/snapshot_reader.hpp"
#include "files/tipsy.hpp"
#include "files/units_file.hpp"

namespace gothic::ic {
namespace {

bool is_hdf5(const std::filesystem::path& path) {
  files::hdf5::silence();
  return H5Fis_hdf5(path.c_str()) > 0;
}

/// Provenance of the new file: this conversion, the input's name, what was done with its numbers,
/// and the input's own provenance.
files::Provenance provenance(const std::string& input, const std::string& notes) {
  files::Provenance result = files::current_provenance("gothic-ic convert");
  result.date.clear();
  result.machine.clear();
  result.options["input"] = input;
  if (!notes.empty()) result.options["input.notes"] = notes;
  if (is_hdf5(input)) {
    for (const auto& [name, value] : files::read_origin(input)) {
      result.options["input." + name] = value;
    }
  } else {
    const std::filesystem::path units = files::units_path(input);
    result.options["input.param"] =
        std::filesystem::exists(units) ? files::read_text(units, "units") : "";
  }
  return result;
}

void write(const std::filesystem::path& path, Format format, const files::Snapshot& snapshot,
           const files::Provenance& provenance) {
  if (format == Format::hdf5) {
    files::write_snapshot(path, snapshot, provenance);
  } else {
    files::write_tipsy(path, snapshot, provenance);
  }
}

}  // namespace

Format output_format(const std::string& word, const std::filesystem::path& output) {
  const std::string suffix = output.extension().string();
  if (word == "hdf5") return Format::hdf5;
  if (word == "tipsy") return Format::tipsy;
  if (suffix == ".h5" || suffix == ".hdf5") return Format::hdf5;
  if (suffix == ".tipsy" || suffix == ".tip" || suffix == ".std") return Format::tipsy;
  throw InputError(output.string() +
                   ": output: its suffix tells no format; end the name in .h5 or .tipsy, or give "
                   "--format");
}

void convert(const std::string& input, const std::string& output, const std::string& format,
             files::Reading reading) {
  const Format written = output_format(format, output);
  std::string notes;
  const auto tell = reading.tell;
  reading.tell = [&](const std::string& note) {
    notes += (notes.empty() ? "" : "; ") + note;
    if (tell) tell(note);
  };
  const files::Snapshot snapshot = files::read_snapshot(input, files::Masses::needed, reading);
  write(output, written, snapshot, provenance(input, notes));
}

}  // namespace gothic::ic
