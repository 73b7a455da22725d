// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes a profile out of rows in any order: interns texts, adds up what is
// about the same thing, sorts.

#pragma once

#include "hybrid/core/Result.h"
#include "hybrid/profile/Profile.h"

#include <string_view>
#include <tuple>
#include <unordered_map>

namespace kst {

/// Numbers that it hands out are its own, good until finish(): those of the
/// profile are others.
class ProfileBuilder {
public:
  ProfileBuilder();

  /// About the run; goes into the profile as it is, control characters
  /// replaced.
  std::map<std::string, std::string> Text;
  uint32_t Runs = 1;
  uint64_t DurationNs = 0;
  uint64_t Lost = 0;

  /// The number of a text. Control characters become '?'.
  TextId text(std::string_view Bytes);
  /// The number of a struct: equal ones are one. Elements that do not lie
  /// inside it are left out.
  uint32_t structure(std::string_view Name, uint32_t SizeBytes,
                     std::span<const MeasuredElement> Elements = {});
  /// The number of a site; its Struct, Function, File and Field are numbers of
  /// this builder. Counts of equal sites add up.
  uint32_t site(const MeasuredSite &Site);
  /// A region of sites of this builder, in any order; one that is named twice
  /// counts for both. Does not add to the counts of its sites.
  void region(TextId Function, TextId File,
              std::span<const SiteReference> Sites, uint64_t Count);
  void byAddress(uint32_t Struct, uint32_t OffsetBytes, uint64_t Reads,
                 uint64_t Writes);
  /// Accesses of a struct by its owner and by all others; adds up.
  void threads(uint32_t Struct, uint64_t ByOwner, uint64_t ByOthers);
  /// A member's name; what is behind the end of the struct is left out: of an
  /// array without a length nothing is inside.
  void member(uint32_t Struct, uint64_t OffsetBits, uint64_t SizeBits,
              std::string_view Name);
  void samples(TextId Function, uint64_t Count);
  void notCounted(TextId Function, TextId File);

  /// [number of this builder]: number in the profile.
  struct Numbers {
    std::vector<uint32_t> Structs, Sites;
  };
  /// The profile: it keeps all rules of checkProfile(). A Failure only when a
  /// count does not fit 64 bits. The builder is empty afterwards.
  Result<Profile> finish(Numbers *Where = nullptr);

private:
  struct SiteHash {
    size_t operator()(const MeasuredSite &Site) const;
  };
  struct SiteEqual {
    bool operator()(const MeasuredSite &A, const MeasuredSite &B) const;
  };
  std::vector<uint32_t> sortTexts();
  std::vector<uint32_t> sortStructs(const std::vector<uint32_t> &Texts);
  std::vector<uint32_t> sortSites(const std::vector<uint32_t> &Texts,
                                  const std::vector<uint32_t> &Structs);
  void sortRegions(const std::vector<uint32_t> &Texts,
                   const std::vector<uint32_t> &Sites);
  template <typename T, typename Add>
  void joinEqual(std::vector<T> &Rows, Add AddTo);

  Profile Made; ///< tables in the order of their making
  std::unordered_map<std::string, TextId> Texts;
  std::map<std::tuple<TextId, uint32_t, std::vector<MeasuredElement>>, uint32_t>
      StructIds;
  std::unordered_map<MeasuredSite, uint32_t, SiteHash, SiteEqual> SiteIds;
  bool Overflow = false;
};

} // namespace kst
