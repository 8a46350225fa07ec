#include "app/help.hpp"

#include <sstream>
#include <utility>

namespace gothic {

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  const std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
  return CLI::detail::find_and_replace(text, "\n\n\n", "\n\n");
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  constexpr std::size_t columns = 100;
  const std::size_t width = columns - get_column_width();
  std::string text;
  std::size_t length = 0;
  std::istringstream words(option->get_description());
  for (std::string word; words >> word; length += word.size()) {
    if (length == 0) {
      text += word;
    } else if (length + 1 + word.size() > width) {
      text += '\n' + word;
      length = 0;
    } else {
      text += ' ' + word;
      ++length;
    }
  }
  return text;
}

}  // namespace gothic
