#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gothic {

/// Help whose explanations are broken into lines that fit a terminal, one blank line between groups
/// of options.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace gothic
