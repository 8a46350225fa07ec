#include "ic/convert.hpp"

#include <filesystem>
#include <memory>

#include "files/error.hpp"
#include "files/hdf5.hpp"
#include "files/text_file.hpp"
#include "files/tipsy.hpp"
#include "files/tipsy_units.hpp"

namespace gothic::ic {
namespace {

struct ConvertOptions {
  std::string input, output, format;
};

bool is_hdf5(const std::filesystem::path& path) {
  files::hdf5::silence();
  return H5Fis_hdf5(path.c_str()) > 0;
}

/// Where the new file comes from: this conversion, the input's name, and what the input tells of
/// its own origin.
files::Provenance provenance(const ConvertOptions& options) {
  files::Provenance result = files::current_provenance("gothic-ic convert");
  result.date.clear();
  result.options["input"] = options.input;
  if (is_hdf5(options.input)) {
    for (const auto& [name, value] : files::read_origin(options.input)) {
      result.options["input." + name] = value;
    }
  } else {
    const std::filesystem::path units = files::tipsy::units_path(options.input);
    result.options["input.param"] =
        std::filesystem::exists(units) ? files::read_text(units, "units") : "";
  }
  return result;
}

void convert(const ConvertOptions& options) {
  const Format format = output_format(options.format, options.output);
  std::error_code missing;
  if (std::filesystem::equivalent(options.input, options.output, missing)) {
    throw InputError(options.output + ": output: is the input; choose another name");
  }
  write_any(options.output, format, read_any(options.input), provenance(options));
}

}  // namespace

void declare_format(CLI::App& app, std::string& word) {
  app.add_option("--format", word,
                 "Format of the output, hdf5 (GADGET) or tipsy [by the suffix of its name:\n"
                 ".h5, .hdf5 or .tipsy, .tip, .std]")
      ->check(CLI::IsMember({"hdf5", "tipsy"}).description(""))
      ->type_name("FORMAT");
}

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

files::Snapshot read_any(const std::filesystem::path& path) {
  return is_hdf5(path) ? files::read_snapshot(path) : files::read_tipsy(path);
}

void write_any(const std::filesystem::path& path, Format format, const files::Snapshot& snapshot,
               const files::Provenance& provenance) {
  if (format == Format::hdf5) {
    files::write_snapshot(path, snapshot, provenance);
  } else {
    files::write_tipsy(path, snapshot, provenance);
  }
}

void declare_convert(CLI::App& app) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand("convert", "Write a snapshot in another format");
  command->description(
      "Reads a snapshot, GADGET HDF5 or TIPSY, and writes it anew, by default in the format that "
      "the\n"
      "suffix of the new name tells. A TIPSY file keeps its units in NAME.param beside it; IDs "
      "and\n"
      "components are not part of that format.\n\n"
      "Example: gothic-ic convert nfw.h5 nfw.tipsy");
  command->add_option("input", options->input, "Snapshot to read")->required()->type_name("INPUT");
  command->add_option("output", options->output, "Snapshot to write")
      ->required()
      ->type_name("OUTPUT");
  declare_format(*command, options->format);
  if (CLI::Option* model = app.get_option_no_throw("model")) command->excludes(model);
  command->callback([options] { convert(*options); });
}

}  // namespace gothic::ic
