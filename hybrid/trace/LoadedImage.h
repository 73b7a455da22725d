// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the files of a traced process were: a line of the trace's text for each
// program and shared library.

#ifndef KST_HYBRID_TRACE_LOADEDIMAGE_H
#define KST_HYBRID_TRACE_LOADEDIMAGE_H

#include "hybrid/profile/Profile.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kst {

struct LoadedImage {
  uint64_t Begin = 0, End = 0; ///< addresses in the process
  uint64_t Bias =
      0; ///< modulo 2^64, what they have more than those of the file
  bool operator==(const LoadedImage &) const = default;
};

/// The line of a file: its key, by path, and its value.
std::string imageKey(std::string_view Path);
std::string imageText(const LoadedImage &Of);

/// The files of a process, as its recorder saw them now and then.
class LoadedImages {
public:
  void add(std::string_view Path, const LoadedImage &Of);
  /// A line for each but those that were at several places, or where another
  /// one was: of these no address tells whose it is.
  void write(std::map<std::string, std::string> &Text) const;

private:
  std::map<std::string, std::vector<LoadedImage>, std::less<>> Seen;
};

/// Where the file was, by its path or else by its name alone; none if nothing
/// says it, or files of that name were at several places.
std::optional<LoadedImage> loadedImage(const Profile &About,
                                       const std::string &Path);

} // namespace kst

#endif
