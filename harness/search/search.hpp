#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/answer.hpp"
#include "harness/core/axis.hpp"
#include "harness/core/verdict.hpp"

namespace brink {

/// One trial's verdict at a point. Every tell is one trial; telling a point twice is two trials.
struct Told {
  Verdict verdict = Verdict::good;
  std::string signature;         ///< of the failure (bad), or of the other failure (skip); may be ""
  std::string failure_class;     ///< likewise
  std::optional<double> cost_s;  ///< nullopt: unknown, then nothing is cheap
  bool known = false;            ///< from --known: evidence, never a confirmed side
  bool heavy = false;            ///< took more than half of the machine's memory (an open range stops)
};

struct HolePolicy {
  enum class Kind { automatic, share, off };
  Kind kind = Kind::automatic;
  double share = 0;  ///< in (0,1): exclude a hole share over this at 95 %
};

struct SearchOptions {
  double confidence = 0.95;  ///< in (0,1)
  HolePolicy holes;
  bool false_bad = false;  ///< a good config may fail too
  std::uint64_t seed = 0;  ///< of the random probes; same seed, same tells, same asks
};

/// Which configs next. Pure and deterministic: no clock, no I/O. Every kind accepts any number of slots,
/// answers in any order, tells that nobody asked for, and repeats. The state is never saved: replay the tells
/// into a new one.
class Search {
 public:
  virtual ~Search() = default;
  /// At most `slots` points worth probing now, best first; they count as in flight until told or cancelled.
  /// May be fewer, or none while what is in flight decides. A point may be asked again (to confirm).
  virtual std::vector<Point> ask(int slots) = 0;
  /// Takes one verdict; returns the points in flight whose answer has become pointless (all their asks are
  /// withdrawn).
  virtual std::vector<Point> tell(const Point& point, const Told& told) = 0;
  /// Nothing more will be asked, whatever comes from what is in flight.
  virtual bool done() const = 0;
  /// What is known now; provisional until done(). A search that is not done gives `bracket` (or `none`).
  virtual Answer answer() const = 0;
  /// Gives up asks whose trial ended without evidence (infrastructure, lost): the point may be asked again.
  virtual void withdraw(const Point& point) = 0;
};

std::unique_ptr<Search> make_threshold(Axis axis, SearchOptions options);
std::unique_ptr<Search> make_sweep(std::vector<Axis> axes);

}  // namespace brink
