// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/CacheEntry.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"

#include <cstring>

using namespace llvm;

namespace kst {
namespace {

struct Header {
  char Magic[8];
  uint32_t Version;
  uint32_t Compressed;
  uint64_t Checksum; ///< of everything behind it
  Hash128 Key;
  uint64_t DependencyBytes; ///< stored, a multiple of 8
  uint64_t StoredBytes;     ///< of the facts in the file
  uint64_t FactsBytes;      ///< of the facts when unpacked
};
static_assert(sizeof(Header) == 64);
constexpr char Magic[8] = {'K', 'S', 'T', 'C', 'A', 'C', 'H', 'E'};
constexpr size_t ChecksumFrom = offsetof(Header, Key);
/// No unit gives that much; keeps a forged size from taking all memory.
constexpr uint64_t MaxFactsBytes = uint64_t(1) << 30;

template <typename T> void put(std::string &Out, const T &Value) {
  Out.append(reinterpret_cast<const char *>(&Value), sizeof(T));
}

template <typename T> bool take(StringRef &In, T &Value) {
  if (In.size() < sizeof(T))
    return false;
  memcpy(&Value, In.data(), sizeof(T));
  In = In.drop_front(sizeof(T));
  return true;
}

bool hasSize(DependencyKind Kind) {
  return Kind == DependencyKind::File || Kind == DependencyKind::Contents;
}
bool hasHash(DependencyKind Kind) {
  return Kind == DependencyKind::Contents || Kind == DependencyKind::Listing ||
         Kind == DependencyKind::Link;
}

/// Neighbours in a sorted list share most of their paths.
std::string encodeDependencies(ArrayRef<Dependency> Dependencies) {
  std::string Out;
  StringRef Last;
  for (const Dependency &D : Dependencies) {
    size_t Most = std::min<size_t>({Last.size(), D.Path.size(), UINT16_MAX});
    size_t Shared = 0;
    while (Shared < Most && Last[Shared] == D.Path[Shared])
      ++Shared;
    StringRef Rest = StringRef(D.Path).drop_front(Shared);
    put(Out, static_cast<uint8_t>(D.Kind));
    put(Out, static_cast<uint16_t>(Shared));
    put(Out, static_cast<uint16_t>(Rest.size()));
    Out += Rest;
    if (hasSize(D.Kind))
      put(Out, D.SizeBytes);
    if (hasHash(D.Kind))
      put(Out, D.Hash);
    Last = D.Path;
  }
  return Out;
}

} // namespace

std::string encodeCacheEntry(const Hash128 &Key,
                             ArrayRef<Dependency> Dependencies,
                             StringRef Facts) {
  Header Head = {{}, CacheEntryVersion, 0, 0, Key, 0, 0, Facts.size()};
  memcpy(Head.Magic, Magic, sizeof(Magic));
  SmallVector<uint8_t, 0> Packed;
  StringRef Stored = Facts;
  if (compression::zstd::isAvailable()) {
    compression::zstd::compress(arrayRefFromStringRef(Facts), Packed,
                                compression::zstd::BestSpeedCompression);
    Stored = toStringRef(Packed);
    Head.Compressed = 1;
  }
  std::string List = encodeDependencies(Dependencies);
  Head.DependencyBytes = List.size();
  Head.StoredBytes = Stored.size();

  std::string Out;
  Out.reserve(sizeof(Head) + List.size() + 8 + Stored.size());
  put(Out, Head);
  Out += List;
  Out.resize((Out.size() + 7) & ~size_t(7));
  Out += Stored;
  uint64_t Checksum = hash64(StringRef(Out).drop_front(ChecksumFrom));
  memcpy(&Out[offsetof(Header, Checksum)], &Checksum, sizeof(Checksum));
  return Out;
}

std::optional<CacheEntry> CacheEntry::open(StringRef Bytes,
                                           const Hash128 &Key) {
  Header Head;
  if (Bytes.size() < sizeof(Head))
    return std::nullopt;
  memcpy(&Head, Bytes.data(), sizeof(Head));
  uint64_t Left = Bytes.size() - sizeof(Head);
  if (memcmp(Head.Magic, Magic, sizeof(Magic)) != 0 ||
      Head.Version != CacheEntryVersion || Head.Compressed > 1 ||
      !(Head.Key == Key) || Head.DependencyBytes > Left)
    return std::nullopt;
  uint64_t FactsAt = (sizeof(Head) + Head.DependencyBytes + 7) & ~uint64_t(7);
  if (FactsAt > Bytes.size() || Head.StoredBytes != Bytes.size() - FactsAt ||
      Head.FactsBytes > MaxFactsBytes ||
      (!Head.Compressed && Head.FactsBytes != Head.StoredBytes) ||
      Head.Checksum != hash64(Bytes.drop_front(ChecksumFrom)))
    return std::nullopt;
  CacheEntry Entry;
  Entry.Dependencies = Bytes.substr(sizeof(Head), Head.DependencyBytes);
  Entry.Facts = Bytes.drop_front(FactsAt);
  Entry.FactsBytes = Head.FactsBytes;
  Entry.Compressed = Head.Compressed;
  return Entry;
}

bool CacheEntry::forEachDependency(
    function_ref<bool(StringRef, DependencyKind, uint64_t, const Hash128 &)>
        Each) const {
  SmallString<256> Path;
  for (StringRef In = Dependencies; !In.empty();) {
    uint8_t KindByte;
    uint16_t Shared, Rest;
    if (!take(In, KindByte) || !take(In, Shared) || !take(In, Rest) ||
        KindByte > static_cast<uint8_t>(DependencyKind::Link) ||
        Shared > Path.size() || Rest > In.size())
      return false;
    Path.truncate(Shared);
    Path += In.take_front(Rest);
    In = In.drop_front(Rest);
    auto Kind = static_cast<DependencyKind>(KindByte);
    uint64_t SizeBytes = 0;
    Hash128 Hash;
    if (hasSize(Kind) && !take(In, SizeBytes))
      return false;
    if (hasHash(Kind) && !take(In, Hash))
      return false;
    if (!Each(Path, Kind, SizeBytes, Hash))
      return false;
  }
  return true;
}

std::optional<StringRef>
CacheEntry::facts(SmallVectorImpl<uint8_t> &Room) const {
  if (!Compressed)
    return Facts;
  if (!compression::zstd::isAvailable())
    return std::nullopt;
  Room.clear();
  if (Error E = compression::zstd::decompress(arrayRefFromStringRef(Facts),
                                              Room, FactsBytes)) {
    consumeError(std::move(E));
    return std::nullopt;
  }
  if (Room.size() != FactsBytes)
    return std::nullopt;
  return toStringRef(Room);
}

} // namespace kst
