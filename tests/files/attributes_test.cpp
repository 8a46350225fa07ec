#include "files/hdf5.hpp"
#include "files/output_file.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

using AttributesFile = FolderTest;

std::string read_text(const std::filesystem::path& path, const std::string& group,
                      const std::string& name) {
  const hdf5::Handle in(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "file");
  const hdf5::Handle attribute(
      H5Aopen_by_name(in.id(), group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
      name);
  const hdf5::Handle type(H5Aget_type(attribute.id()), H5Tclose, name);
  std::string value(H5Tget_size(type.id()), ' ');
  hdf5::check(H5Aread(attribute.id(), type.id(), value.data()), name);
  return value;
}

TEST_F(AttributesFile, ProvenanceNamesItsOrigin) {
  const char* const words[] = {"gothic", "run", "--input", "ic.h5"};
  Provenance provenance = current_provenance("gothic run", 4, words);
  provenance.device = "cpu";
  provenance.options["accuracy"] = "0.0078125";
  write_snapshot(file("s.h5"), example_snapshot(1), provenance);
  EXPECT_EQ(read_text(file("s.h5"), "/Provenance", "program"), "gothic run");
  EXPECT_EQ(read_text(file("s.h5"), "/Provenance", "command_line"), "gothic run --input ic.h5");
  EXPECT_EQ(read_text(file("s.h5"), "/Provenance", "device"), "cpu");
  EXPECT_EQ(read_text(file("s.h5"), "/Provenance", "revision"), provenance.revision);
  EXPECT_EQ(read_text(file("s.h5"), "/Provenance", "compiler"), provenance.compiler);
  EXPECT_EQ(read_text(file("s.h5"), "/Provenance", "date").size(),
            std::string("2000-01-01T00:00:00Z").size());
  EXPECT_EQ(read_text(file("s.h5"), "/Options", "accuracy"), "0.0078125");
}

TEST_F(AttributesFile, LaterValueReplacesEarlierOne) {
  OutputFile out(file("a.h5"));
  write_attributes(out.id(), "Timing", {{"device", std::string("cpu")}});
  write_attributes(out.id(), "Timing", {{"device", std::string("cuda")}});
  out.commit();
  EXPECT_EQ(read_text(file("a.h5"), "/Timing", "device"), "cuda");
}

}  // namespace
}  // namespace gothic::files
