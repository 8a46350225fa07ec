#pragma once

#include <functional>
#include <optional>
#include <string>

#include "files/particle_file.hpp"

/// How numbers of cosmological simulations become physical ones. With the scale factor a and the
/// Hubble constant 100 h km/s/Mpc, files have
///
/// * GADGET-2 to -4, AREPO: comoving positions in units of 1/h, masses in units of 1/h, velocities
///   that are peculiar ones divided by sqrt(a) (Springel 2005, GADGET-2's user guide, section 6);
///   also in simulations without expansion, lengths, masses and times are in units of 1/h.
/// * SWIFT: comoving positions, peculiar velocities, nothing in units of 1/h.
namespace gothic::files {

/// A number in a file and its place, "FILE: FIELD".
struct Stated {
  double value = 0;
  std::string place;
};

/// Finds a number by its name in GADGET's files and parameters; nothing if it is not told.
using FindNumber = std::function<std::optional<Stated>(const std::string& name)>;

/// Sets factors, time and notes of a file of GADGET or of a code that writes the same. It is
/// comoving if ComovingIntegrationOn is set or, where that is not told, if Redshift is not 0 or if
/// there are Omega0 or OmegaLambda and the scale factor is 1. Throws InputError if h or the scale
/// factor is missing or absurd.
/// \param time as the file has it: the scale factor if the file is comoving
/// \param header begins the names of fields that are missing, such as "FILE: /Header/"
void convert_gadget(FileFacts& facts, const FindNumber& find, double time,
                    const std::string& header);

/// Sets factors and notes of a file of a cosmological run with SWIFT.
void convert_swift(FileFacts& facts, const Stated& scale_factor);

}  // namespace gothic::files
