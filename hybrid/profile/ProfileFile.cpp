// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/profile/ProfileFile.h"

#include "hybrid/core/Hash.h"
#include "hybrid/core/TableBytes.h"
#include "hybrid/profile/ProfileCheck.h"

#include <cstddef>

namespace kst {
namespace {

struct Header {
  char Magic[8];
  uint32_t Version;
  uint32_t TableCount;
  uint64_t FileBytes;
  uint64_t Checksum;
  uint32_t Runs;
  uint32_t Zero;
  uint64_t DurationNs;
  uint64_t Lost;
};
static_assert(sizeof(Header) == 56);
constexpr char Magic[8] = {'K', 'S', 'T', 'P', 'R', 'O', 'F', 'L'};
constexpr size_t ChecksumFrom = offsetof(Header, Runs);

/// Calls Each with every table of plain rows, in the order of the file.
template <typename Of, typename Visit> bool forEachTable(Of &P, Visit Each) {
  return Each(P.Structs) && Each(P.Elements) && Each(P.Sites) &&
         Each(P.Regions) && Each(P.References) && Each(P.ByAddress) &&
         Each(P.Samples) && Each(P.NotCounted);
}
/// Without Threads and Members, which are there as far as they are needed.
constexpr uint32_t TableCount = 8 + 2 + 2;

uint32_t optionalTables(const Profile &P) {
  return P.Members.empty() ? !P.Threads.empty() : 2;
}

bool readText(const std::vector<std::string> &Pairs,
              std::map<std::string, std::string> &Text) {
  if (Pairs.size() % 2)
    return false;
  for (size_t I = 0; I < Pairs.size(); I += 2) {
    if (I && Pairs[I - 2] >= Pairs[I])
      return false;
    Text.emplace_hint(Text.end(), Pairs[I], Pairs[I + 1]);
  }
  return true;
}

Result<Profile> readAligned(std::string_view Bytes) {
  Header Head;
  if (!looksLikeProfile(Bytes))
    return Failure{"not a profile (.kstp)"};
  if (Bytes.size() < sizeof(Head))
    return Failure{"profile is cut short"};
  memcpy(&Head, Bytes.data(), sizeof(Head));
  const bool HasMembers = Head.TableCount == TableCount + 2;
  const bool HasThreads = HasMembers || Head.TableCount == TableCount + 1;
  if (Head.Version != ProfileFormatVersion ||
      (Head.TableCount != TableCount && !HasThreads))
    return Failure{"profile of version " + std::to_string(Head.Version) +
                   "; this program reads version " +
                   std::to_string(ProfileFormatVersion)};
  if (Head.FileBytes != Bytes.size())
    return Failure{"profile is cut short or has bytes behind its end"};
  if (Head.Checksum != hash64(Bytes.substr(ChecksumFrom)))
    return Failure{"profile is damaged: wrong checksum"};

  Profile P;
  std::vector<std::string> Text;
  TableReader In(Bytes, sizeof(Head));
  if (!forEachTable(P, [&](auto &Table) { return In.table(Table); }) ||
      !In.texts(P.Strings) || !In.texts(Text) ||
      (HasThreads && !In.table(P.Threads)) ||
      (HasMembers && !In.table(P.Members)) || !In.atEnd() || Head.Zero ||
      !readText(Text, P.Text))
    return Failure{"profile is damaged: a table does not fit"};
  P.Runs = Head.Runs;
  P.DurationNs = Head.DurationNs;
  P.Lost = Head.Lost;
  if (auto Broken = checkProfile(P))
    return *Broken;
  return P;
}

} // namespace

bool looksLikeProfile(std::string_view Bytes) {
  return Bytes.starts_with(std::string_view(Magic, sizeof(Magic)));
}

std::string writeProfile(const Profile &P) {
  TableWriter Out(sizeof(Header));
  forEachTable(P, [&](const auto &Table) {
    Out.table(Table);
    return true;
  });
  Out.texts(P.Strings);
  std::vector<std::string> Text;
  for (const auto &[Key, Value] : P.Text) {
    Text.push_back(Key);
    Text.push_back(Value);
  }
  Out.texts(Text);
  if (optionalTables(P) >= 1)
    Out.table(P.Threads);
  if (optionalTables(P) >= 2)
    Out.table(P.Members);

  Header Head = {{},
                 ProfileFormatVersion,
                 TableCount + optionalTables(P),
                 Out.Out.size(),
                 0,
                 P.Runs,
                 0,
                 P.DurationNs,
                 P.Lost};
  memcpy(Head.Magic, Magic, sizeof(Magic));
  memcpy(Out.Out.data(), &Head, sizeof(Head));
  Head.Checksum = hash64(std::string_view(Out.Out).substr(ChecksumFrom));
  memcpy(Out.Out.data(), &Head, sizeof(Head));
  return std::move(Out.Out);
}

Result<Profile> readProfile(std::string_view Bytes) {
  if (reinterpret_cast<uintptr_t>(Bytes.data()) % TableAlign == 0)
    return readAligned(Bytes);
  std::vector<uint64_t> Copy(tablePadded(Bytes.size()) / TableAlign);
  memcpy(Copy.data(), Bytes.data(), Bytes.size());
  return readAligned({reinterpret_cast<char *>(Copy.data()), Bytes.size()});
}

} // namespace kst
