#include "settings/reading_options.hpp"

#include <iostream>

namespace gothic {

files::Reading reading_of(const Options& options, const std::string& program) {
  return {
      .gas_is_collisionless = options.text("gas") == "collisionless",
      .ignores_box = options.text("box") == "ignore",
      .gas_choice = options.shown("gas") + " collisionless",
      .box_choice = options.shown("box") + " ignore",
      .tell = [=](const std::string& note) { std::cerr << program << ": " << note << std::endl; }};
}

}  // namespace gothic
