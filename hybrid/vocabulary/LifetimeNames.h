// SPDX-License-Identifier: GPL-2.0-or-later
//
// Functions that begin, publish or end the life of an object, and locks under
// which code configures: by name, since their bodies are outside of what is
// analysed or end in memory that a pool manages. Where the program has the body
// of a function that is not in these tables, the body tells.

#ifndef KST_HYBRID_VOCABULARY_LIFETIMENAMES_H
#define KST_HYBRID_VOCABULARY_LIFETIMENAMES_H

#include <cstdint>
#include <span>
#include <string_view>

namespace kst {

enum class LifetimeRole : uint8_t {
  Allocates,        ///< the result is an object of the caller's own
  AllocatesCleared, ///< the same, all bytes zero
  Frees,            ///< ends the life of the object that Arg points into
  Publishes,        ///< others find the object of Arg afterwards
  Attaches,         ///< ... who find the object of Other
  Moves,            ///< what is attached to Arg's object is to Other's instead
  Dying,            ///< function Other gets Arg, of which it is the last user
  Keeps,            ///< does none of these, whatever its body seems to do
};

struct LifetimeName {
  std::string_view Function;
  LifetimeRole Role;
  uint8_t Arg = 0;
  uint8_t Other = 0;
};

/// The roles of a function; empty for one that is not known. Underscores in
/// front of the name, and the variants _noprof, _node, _node_track_caller and
/// _track_caller, do not matter.
std::span<const LifetimeName> lifetimeRoles(std::string_view Function);

/// An error code as a pointer: no object.
bool isErrorPointer(std::string_view Function);

/// Whether a function whose body is not in the program returns a fresh object,
/// or publishes one that it is given: by the words of its name.
bool soundsLikeAllocating(std::string_view Function);
bool soundsLikePublishing(std::string_view Function);

/// A field of a table of functions whose functions get, in parameter Param, an
/// object that is being made or taken apart.
struct LifetimeCallback {
  std::string_view Record, Field;
  uint8_t Param = 0;
  bool Dying = true;
};
std::span<const LifetimeCallback> lifetimeCallbacks();

/// What a call says about configuration: it begins, begins if the call
/// succeeds, or ends, or the function checks that it is going on.
enum class ConfigurationMark : uint8_t { None, Begins, Tries, Ends, Checked };
ConfigurationMark configurationMark(std::string_view Function);
/// Functions that take or release the lock that their argument names.
ConfigurationMark lockMark(std::string_view Function);
/// A variable or field that is a lock under which code configures.
bool isConfigurationLock(std::string_view Name);
/// A record that carries a request to configure from function to function.
bool isConfigurationRequest(std::string_view Record);

} // namespace kst

#endif
