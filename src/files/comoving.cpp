#include "files/comoving.hpp"

#include <fmt/format.h>

#include <cmath>

#include "files/error.hpp"
#include "files/text.hpp"

namespace gothic::files {
namespace {

[[noreturn]] void fail(const std::string& place, const std::string& problem) {
  throw InputError(place + ": " + problem);
}

double value_of(const std::optional<Stated>& stated, double otherwise) {
  return stated ? stated->value : otherwise;
}

/// Whether a number may be a scale factor.
bool is_possible(double a) { return a >= 1e-6 && a <= 1e6; }

bool is_comoving(const FindNumber& find, double time) {
  const std::optional<Stated> redshift = find("Redshift");
  const bool has_redshift = value_of(redshift, 0) != 0;
  if (const std::optional<Stated> on = find("ComovingIntegrationOn")) {
    if (on->value == 0 && has_redshift) {
      fail(redshift->place, "is " + shortest(redshift->value) + " though " + on->place +
                                " is 0; correct one of them");
    }
    return on->value != 0;
  }
  if (has_redshift) return true;
  for (const char* name : {"Omega0", "OmegaLambda"}) {
    const std::optional<Stated> omega = find(name);
    if (value_of(omega, 0) == 0) continue;
    if (time == 1) return true;
    if (value_of(find("HubbleParam"), 0) != 0) continue;
    fail(omega->place, "is " + shortest(omega->value) +
                           ", but nothing tells h, or that numbers are physical; add HubbleParam "
                           "and ComovingIntegrationOn (1 and 0 for physical numbers)");
  }
  return false;
}

/// h, 1 if a file that is not comoving does not tell it.
double little_h(const FindNumber& find, bool comoving, const std::string& header) {
  const std::optional<Stated> h = find("HubbleParam");
  if (!h || h->value == 0) {
    if (!comoving) return 1;
    fail(h ? h->place : header + "HubbleParam",
         "does not tell h, but the snapshot is comoving; add it, since lengths and masses are in "
         "units of 1/h");
  }
  if (!(h->value >= 0.01 && h->value <= 100)) {
    fail(h->place, "is " + shortest(h->value) + "; give the Hubble constant in 100 km/s/Mpc");
  }
  return h->value;
}

double scale_factor(const FindNumber& find, double time, const std::string& header) {
  const std::optional<Stated> redshift = find("Redshift");
  const double a = redshift ? 1 / (1 + redshift->value) : time;
  if (is_possible(a)) return a;
  fail(redshift ? redshift->place : header + "Time",
       "makes the scale factor " + shortest(a) + "; correct it");
}

}  // namespace

void convert_gadget(FileFacts& facts, const FindNumber& find, double time,
                    const std::string& header) {
  const bool comoving = is_comoving(find, time);
  const double h = little_h(find, comoving, header);
  facts.factors.mass = 1 / h;
  if (!comoving) {
    facts.factors.length = 1 / h;
    facts.time = time / h;
    if (h == 1) return;
    facts.notes.push_back(fmt::format(
        "converted from units of 1/h to physical ones: positions, masses and the time were divided "
        "by h = {}",
        shortest(h)));
    return;
  }
  const double a = scale_factor(find, time, header);
  facts.factors.length = a / h;
  facts.factors.velocity = std::sqrt(a);
  facts.time = 0;
  facts.notes.push_back(fmt::format(
      "converted from comoving to physical: positions times a / h, masses / h, velocities times "
      "sqrt(a), with a = {}, h = {}; velocities are peculiar, without the Hubble flow; the time "
      "starts at 0",
      rounded(a, 6), shortest(h)));
}

void convert_swift(FileFacts& facts, const Stated& scale_factor) {
  const double a = scale_factor.value;
  if (!is_possible(a)) {
    fail(scale_factor.place, "is " + shortest(a) + "; give the scale factor");
  }
  facts.factors.length = a;
  facts.notes.push_back(
      fmt::format("converted from comoving to physical: positions times a = {}; velocities are "
                  "peculiar, without the Hubble flow",
                  rounded(a, 6)));
}

}  // namespace gothic::files
