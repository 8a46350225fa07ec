#include "settings/options.hpp"

#include <gtest/gtest.h>

#include "files/error.hpp"

namespace gothic {
namespace {

Options run_with(const std::vector<GivenOption>& given,
                 Spelling spelling = Spelling::command_line) {
  return {command_named("gothic run"), given, spelling};
}

std::string refusal(const std::vector<GivenOption>& given,
                    Spelling spelling = Spelling::command_line) {
  try {
    run_with(given, spelling);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(OptionTable, EveryOptionTakesItsDefaultAndHasNoOtherOfItsName) {
  for (const Command& command : all_commands()) {
    for (const Option& option : command.options) {
      SCOPED_TRACE(command.name + " --" + option.name);
      EXPECT_EQ(command.find(option.name), &option);
      EXPECT_FALSE(option.help.empty());
      EXPECT_TRUE(option.default_value.empty() || option.refusal(option.default_value).empty());
      if (option.default_by.empty()) continue;
      for (const std::string& choice : command.find(option.default_by)->choices) {
        EXPECT_TRUE(option.refusal(option.defaults.at(choice)).empty());
      }
    }
  }
}

TEST(OptionTable, NamesOfOtherOptionsAreKnown) {
  for (const Command& command : all_commands()) {
    for (const Option& option : command.options) {
      SCOPED_TRACE(command.name + " --" + option.name);
      EXPECT_TRUE(option.needs.empty() || command.find(option.needs) != nullptr);
      for (const std::string& other : option.excludes) EXPECT_EQ(any_option(other).name, other);
    }
  }
}

TEST(OptionTable, RefusalsTellTheValuesThatAreTaken) {
  for (const Command& command : all_commands()) {
    for (const Option& option : command.options) {
      SCOPED_TRACE(command.name + " --" + option.name);
      const std::string refusal = option.refusal("");
      EXPECT_TRUE(refusal.starts_with(" is no"));
      EXPECT_TRUE(refusal.ends_with("; correct it"));
      EXPECT_NE(refusal.find(option.values()), std::string::npos);
    }
  }
}

TEST(OptionTable, ValuesWithUnitsNeedParticlesWithUnits) {
  const files::Units galactic{files::kiloparsec, 1e10 * files::solar_mass, 1e5};
  const Option& times = any_option("snapshot-times");
  EXPECT_EQ(times.refusal("1,2Myr", {}), unit_refusal("1,2Myr"));
  EXPECT_EQ(times.refusal("1,2Myr", galactic), "");
  EXPECT_EQ(times.refusal("1,2", {}), "");
  EXPECT_EQ(any_option("softening").refusal("-1", {}), any_option("softening").refusal("-1"));
  EXPECT_EQ(any_option("mac").refusal("opening", {}), "");
}

TEST(OptionTable, UnknownNamesAreErrorsOfTheProgram) {
  EXPECT_THROW(any_option("etta"), std::logic_error);
  EXPECT_THROW(run_with({}).number("etta"), std::logic_error);
  EXPECT_THROW(command_named("gothic walk"), std::logic_error);
}

TEST(Options, ValuesAreThoseGivenOrTheDefaults) {
  const Options options =
      run_with({{"eta", {"0.25"}}, {"stop-after", {"2h"}}, {"snapshot-times", {"1,2.5"}}});
  EXPECT_EQ(options.number("eta"), 0.25);
  EXPECT_EQ(options.seconds("stop-after"), 7200);
  EXPECT_EQ(options.seconds("checkpoint-interval"), 1800);
  EXPECT_EQ(options.quantities("snapshot-times", {}), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(options.number("split-ratio"), 8);
  EXPECT_EQ(options.text("mac"), "acceleration");
  EXPECT_TRUE(options.flag("snapshot"));
  EXPECT_FALSE(options.given("dt"));
  EXPECT_EQ(options.number("dt"), 0);
}

TEST(Options, DefaultsMayDependOnOtherOptions) {
  EXPECT_EQ(run_with({}).number("accuracy"), 0x1p-7);
  EXPECT_EQ(run_with({{"mac", {"multipole"}}}).number("accuracy"), 0x1p-4);
  EXPECT_EQ(run_with({{"mac", {"opening"}}}).number("accuracy"), 0.6);
}

TEST(Options, OtherCommandsHaveTheDefaultsOfTheTable) {
  const Options options(command_named("gothic direct"), {});
  EXPECT_FALSE(options.has("curve"));
  EXPECT_EQ(options.text("curve"), "hilbert");
}

TEST(Options, OriginsAreKept) {
  const auto origins = run_with({{"eta", {"1"}, "run.toml:3"}, {"mac", {"opening"}}}).origins();
  EXPECT_EQ(origins.at("eta"), "run.toml:3");
  EXPECT_EQ(origins.at("mac"), "command line");
  EXPECT_EQ(origins.at("root"), "default");
}

TEST(Options, WhatCommandsNeedIsRequired) {
  EXPECT_THROW(run_with({{"input", {"a"}}, {"output", {"b"}}}).require_complete(), InputError);
  EXPECT_NO_THROW(
      run_with({{"input", {"a"}}, {"output", {"b"}}, {"steps", {"1"}}}).require_complete());
}

TEST(Options, MessagesAreInTheWordsOfTheCaller) {
  EXPECT_EQ(refusal({{"dt-max", {"0"}}}), "--dt-max: 0 is no time above 0; correct it");
  EXPECT_EQ(refusal({{"dt-max", {"0"}, "run.toml:7"}}),
            "--dt-max (run.toml:7): 0 is no time above 0; correct it");
  EXPECT_EQ(refusal({{"dt-max", {"0"}}}, Spelling::python),
            "dt_max: 0 is no time above 0; correct it");
  EXPECT_EQ(refusal({{"dt-max", {"1"}}, {"dt", {"1"}}}, Spelling::python),
            "dt_max excludes dt; leave out one of them");
  EXPECT_EQ(refusal({{"restart", {"true"}}}, Spelling::python),
            "restart: gothic run has no such option; correct or remove it");
}

TEST(Options, WhatChangesTheCourseOfARunIsKnown) {
  for (const char* name : {"eta", "mac", "input", "warp-threads", "external.text"}) {
    EXPECT_TRUE(changes_course(name)) << name;
  }
  for (const char* name : {"output", "device", "threads", "time", "snapshot-times", "log"}) {
    EXPECT_FALSE(changes_course(name)) << name;
  }
}

TEST(Options, NumbersHaveOneSpelling) {
  const Options options =
      run_with({{"accuracy", {"2^-9"}}, {"eta", {"2.5e-1"}}, {"steps", {"2^10"}}});
  EXPECT_EQ(options.text("accuracy"), "0.001953125");
  EXPECT_EQ(options.text("eta"), "0.25");
  EXPECT_EQ(options.integer("steps"), 1024);
  EXPECT_EQ(run_with({{"group-size", {"2^5"}}}).integer("group-size"), 32);
}

TEST(Options, UnitsThatDoNotFitAreRefusedWithThoseThatDo) {
  EXPECT_EQ(refusal({{"softening", {"5 Myr"}}}),
            "--softening: 5 Myr is no length above 0, whose unit may be cm, km, au, pc, kpc, Mpc; "
            "correct it");
  EXPECT_EQ(refusal({{"eta", {"0.5pc"}}}), "--eta: 0.5pc is no number above 0; correct it");
  EXPECT_NE(refusal({{"time", {"-1 Myr"}}}), "");
  EXPECT_NE(refusal({{"snapshot-times", {"1Myr,2kpc"}}}), "");
  EXPECT_NE(refusal({{"steps", {"1.5"}}}), "");
  EXPECT_NE(refusal({{"steps", {"1e30"}}}), "");
}

TEST(Options, DurationsHaveUnits) {
  EXPECT_EQ(read_duration("90"), 90);
  EXPECT_EQ(read_duration("90s"), 90);
  EXPECT_EQ(read_duration("1.5 min"), 90);
  EXPECT_EQ(read_duration("1e-9s"), 1e-9);
  EXPECT_EQ(read_duration("2d"), 172800);
  for (const char* text : {"", "s", "5 fortnights", "1h30", "soon"}) {
    EXPECT_FALSE(read_duration(text)) << text;
  }
}

}  // namespace
}  // namespace gothic
