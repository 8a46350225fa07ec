#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "files/snapshot.hpp"
#include "files/snapshot_reader.hpp"

namespace gothic::ic {
namespace {

/// Runs the program gothic-ic in a folder of its own.
class Program : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  struct Result {
    int status;
    std::string out, error;
  };

  Result run(const std::string& arguments) const {
    const std::string command =
        "cd '" + folder_.string() + "' && '" GOTHIC_IC_PROGRAM "' " + arguments + " >out 2>error";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content("out"), content("error")};
  }

  std::string content(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  void expect_refused(const std::string& arguments, const std::string& message) const {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.error, "gothic-ic: " + message + "\n");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "ic.h5"));
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("gothic-ic-" + std::to_string(::getpid()));
};

const std::string nfw = MODEL_FOLDER "/nfw.toml";

TEST_F(Program, WritesASnapshot) {
  const Result result = run(nfw + " --particles 1000 --seed 3 --duration 10 --output ic.h5");
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.error, "");
  const files::Snapshot snapshot = files::read_snapshot(folder_ / "ic.h5");
  EXPECT_EQ(snapshot.particles.size(), 1000U);
  EXPECT_GT(snapshot.softening, 0.1);  // so large for few particles
  EXPECT_EQ(snapshot.particles.type.front(), 1);
}

TEST_F(Program, TellsParticlesOfComponentsAndWarnsOfTooFew) {
  const std::string draw = MODEL_FOLDER "/m31.toml --particles 30000 --output ic.h5";
  const Result result = run(draw);
  EXPECT_EQ(result.status, 0) << result.error;
  std::istringstream table(result.out);
  std::vector<std::string> words(std::istream_iterator<std::string>(table), {});
  const std::vector<std::string> columns{"component", "particles",      "mass", "particle_mass",
                                         "softening", "relaxation_Gyr", "by"};
  ASSERT_EQ(words.size(), 4 * columns.size()) << result.out;
  EXPECT_TRUE(std::equal(columns.begin(), columns.end(), words.begin())) << result.out;
  EXPECT_EQ(words[7], "halo");
  EXPECT_EQ(words[14], "bulge");
  EXPECT_EQ(words[15], "1104");
  EXPECT_NE(result.error.find("warning: component 'bulge': encounters"), std::string::npos);
  EXPECT_EQ(run(draw + " --duration 0.01").error, "");
}

TEST_F(Program, CheckPrintsDiagnosticsOnly) {
  const Result result = run(nfw + " --check");
  EXPECT_EQ(result.status, 0) << result.error;
  for (const char* word :
       {"rho0", "mass within scale", "half-mass radius", "lowest f", "virial ratio", "sigma_r"}) {
    EXPECT_NE(result.out.find(word), std::string::npos) << word;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ic.h5"));
}

TEST_F(Program, WritesItsProfiles) {
  const Result result = run(MODEL_FOLDER "/m31.toml --table m31.csv");
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.out + result.error, "");
  std::istringstream table(content("m31.csv"));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line,
            "component,kind,radius,density,mass,v_circ,sigma_r,sigma_phi,sigma_z,v_mean,toomre_q,"
            "height,model,model_digest");
  std::size_t spheres = 0, discs = 0;
  while (std::getline(table, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 13) << line;
    spheres += line.find(",sphere,") != std::string::npos;
    discs += line.find("disc,disc,") == 0;
  }
  EXPECT_GT(spheres, 100U);
  EXPECT_GT(discs, 40U);
}

TEST_F(Program, NamesTheModelInParticlesAndProfiles) {
  std::ofstream(folder_ / "named.toml") << "name = 'NGC 1'\n" << std::ifstream(nfw).rdbuf();
  const auto component = [&](const std::string& model) {
    EXPECT_EQ(run(model + " --particles 1000 --duration 10 --output ic.h5 --table ic.csv").status,
              0);
    return files::read_snapshot(folder_ / "ic.h5").components.front();
  };
  const files::ComponentInfo named = component("named.toml"), unnamed = component(nfw);
  EXPECT_EQ(named.model, "NGC 1");
  EXPECT_EQ(unnamed.model, "nfw");
  EXPECT_NE(named.model_digest, unnamed.model_digest);
  EXPECT_NE(content("ic.csv").find(",nfw," + unnamed.model_digest + "\n"), std::string::npos);
}

TEST_F(Program, RefusesWrongUsage) {
  expect_refused("", "model is required; see gothic-ic --help");
  expect_refused(nfw,
                 "--particles and --output, --table or --check, is required; see gothic-ic --help");
  expect_refused(nfw + " --particles 10", "--particles requires --output; give both or neither");
}

TEST_F(Program, RefusesADiscThatFallsTooSlowly) {
  std::ofstream(folder_ / "flat.txt") << "0.1 1\n1 0.9\n2 0.8\n3 0.7\n";
  std::ofstream(folder_ / "disc.toml") << "[[component]]\nname = \"a\"\nmass = 1\nheight = 0.1\n"
                                          "profile = \"table_disc\"\ntable = \"flat.txt\"\n"
                                          "sigma_r = 0.2\n";
  expect_refused("disc.toml --particles 100 --output ic.h5",
                 "disc.toml: component 'a': its surface density falls too slowly; add cutoff and "
                 "cutoff_width");
}

TEST_F(Program, RefusesWhatIsNotInEquilibriumUnlessAllowed) {
  const auto expect_allowed = [&](const std::string& keys, const std::string& problem) {
    std::ofstream(folder_ / "a.toml") << "[[component]]\nname = \"a\"\nmass = 1\nscale = 1\n"
                                      << keys;
    const std::string arguments = "a.toml --particles 100 --output ic.h5";
    const Result refused = run(arguments);
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(refused.error.starts_with("gothic-ic: a.toml: component 'a': " + problem));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "ic.h5"));
    EXPECT_EQ(run(arguments + " --allow-negative").status, 0);
    EXPECT_TRUE(std::filesystem::remove(folder_ / "ic.h5"));
  };
  expect_allowed("profile = \"exponential_disc\"\nheight = 0.1\nsigma_r = 2\n",
                 "too hot to be in equilibrium");
  expect_allowed("profile = \"nfw\"\ncutoff = 5\ncutoff_width = 0.1\n",
                 "the distribution function is negative");
}

}  // namespace
}  // namespace gothic::ic
