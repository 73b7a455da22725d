// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/CounterTable.h"

#include "hybrid/core/Hash.h"
#include "hybrid/profile/Profile.h"

#include <bit>
#include <cstring>

namespace kst {
namespace {

static_assert(std::endian::native == std::endian::little,
              "rows are copied as they lie in memory");

struct Header {
  char Magic[8];
  uint32_t Version;
  uint32_t Bytes;
  uint64_t Hash;
  uint32_t Counters, Structs, Elements, Functions, Sites, Regions, References,
      Terms, StringBytes, MainFile;
};
static_assert(sizeof(Header) == 64);
static_assert(sizeof(CounterTable::Struct) == 16 &&
              sizeof(CounterTable::Element) == 8 &&
              sizeof(CounterTable::Function) == 16 &&
              sizeof(CounterTable::Site) == 40 &&
              sizeof(CounterTable::Region) == 24 &&
              sizeof(CounterTable::Reference) == 8 &&
              sizeof(CounterTable::Term) == 8);
constexpr char Magic[8] = {'K', 'S', 'T', 'T', 'A', 'B', 'L', 'E'};
constexpr uint32_t Version = 1;
constexpr size_t HashedFrom = 24;
constexpr size_t BlobAlign = 8;

class Checker {
public:
  explicit Checker(const CounterTable &T) : T(T) {}

  const char *run() {
    if (T.Strings.empty() || T.Strings.back() || T.Strings.front())
      return "texts that do not end";
    if (!text(T.MainFile))
      return "a wrong main file";
    if (!structs())
      return "a wrong struct";
    for (const auto &F : T.Functions)
      if (!text(F.Name) || !text(F.File))
        return "a wrong function";
    for (const auto &S : T.Sites)
      if (!site(S))
        return "a wrong site";
    if (!regions())
      return "a wrong region";
    for (const auto &R : T.References)
      if (R.Site >= T.Sites.size() || !R.Times)
        return "a wrong reference";
    for (const auto &Term : T.Terms)
      if (Term.Counter >= T.Counters || (Term.Factor != 1 && Term.Factor != -1))
        return "a wrong term";
    return nullptr;
  }

private:
  bool text(uint32_t Offset) const { return Offset < T.Strings.size(); }
  static bool range(uint64_t First, uint64_t Count, size_t Rows) {
    return First + Count <= Rows;
  }

  bool structs() const {
    uint64_t Elements = 0;
    for (const auto &S : T.Structs) {
      if (!text(S.Name) || !T.Strings[S.Name] ||
          !range(S.FirstElement, S.Elements, T.Elements.size()))
        return false;
      Elements += S.Elements;
    }
    return Elements <= T.Elements.size(); // else ranges overlap
  }

  bool site(const CounterTable::Site &S) const {
    return (S.Struct == NoStruct || S.Struct < T.Structs.size()) &&
           S.Function < T.Functions.size() && text(S.File) &&
           S.Kind < SiteKinds;
  }

  bool regions() const {
    uint64_t References = 0, Terms = 0;
    for (const auto &R : T.Regions) {
      if (R.Function >= T.Functions.size() ||
          !range(R.FirstReference, R.References, T.References.size()) ||
          !range(R.FirstTerm, R.Terms, T.Terms.size()))
        return false;
      References += R.References;
      Terms += R.Terms;
    }
    return References <= T.References.size() && Terms <= T.Terms.size();
  }

  const CounterTable &T;
};

template <typename T>
void take(std::string_view &Bytes, uint32_t Count, std::vector<T> &Rows) {
  Rows.resize(Count);
  if (Count)
    memcpy(Rows.data(), Bytes.data(), Count * sizeof(T));
  Bytes.remove_prefix(Count * sizeof(T));
}

/// Blob begins with a header; its size was checked. The first thing wrong, or
/// null.
const char *readBlob(std::string_view Blob, CounterTable &T) {
  Header Head;
  memcpy(&Head, Blob.data(), sizeof(Head));
  if (Head.Hash != hash64(Blob.substr(HashedFrom)))
    return "a wrong hash";
  uint64_t Size =
      sizeof(Head) + uint64_t(Head.Structs) * sizeof(CounterTable::Struct) +
      uint64_t(Head.Elements) * sizeof(CounterTable::Element) +
      uint64_t(Head.Functions) * sizeof(CounterTable::Function) +
      uint64_t(Head.Sites) * sizeof(CounterTable::Site) +
      uint64_t(Head.Regions) * sizeof(CounterTable::Region) +
      uint64_t(Head.References) * sizeof(CounterTable::Reference) +
      uint64_t(Head.Terms) * sizeof(CounterTable::Term) + Head.StringBytes;
  if (((Size + BlobAlign - 1) & ~uint64_t(BlobAlign - 1)) != Blob.size())
    return "tables that do not fit its size";
  T.Hash = Head.Hash;
  T.Counters = Head.Counters;
  T.MainFile = Head.MainFile;
  Blob.remove_prefix(sizeof(Head));
  take(Blob, Head.Structs, T.Structs);
  take(Blob, Head.Elements, T.Elements);
  take(Blob, Head.Functions, T.Functions);
  take(Blob, Head.Sites, T.Sites);
  take(Blob, Head.Regions, T.Regions);
  take(Blob, Head.References, T.References);
  take(Blob, Head.Terms, T.Terms);
  T.Strings = Blob.substr(0, Head.StringBytes);
  return Checker(T).run();
}

} // namespace

Result<std::vector<CounterTable>> readCounterTables(std::string_view Section) {
  std::vector<CounterTable> Tables;
  size_t At = 0;
  auto Wrong = [&](const std::string &What) {
    return Failure{".kst_table is damaged at byte " + std::to_string(At) +
                   ": " + What};
  };
  while (At < Section.size()) {
    std::string_view Rest = Section.substr(At);
    size_t Zeros = Rest.find_first_not_of('\0');
    if (Zeros == Rest.npos)
      break;
    if (size_t Skip = Zeros & ~(BlobAlign - 1)) { // alignment of the linker
      At += Skip;
      continue;
    }
    Header Head;
    if (Rest.size() < sizeof(Head) || memcmp(Rest.data(), Magic, 8) != 0)
      return Wrong("no table begins here");
    memcpy(&Head, Rest.data(), sizeof(Head));
    if (Head.Version != Version)
      return Wrong("a table of version " + std::to_string(Head.Version) +
                   "; this program reads version " + std::to_string(Version));
    if (Head.Bytes < sizeof(Head) || Head.Bytes % BlobAlign ||
        Head.Bytes > Rest.size())
      return Wrong("a table is cut short or states a wrong size");
    Tables.emplace_back();
    if (const char *What = readBlob(Rest.substr(0, Head.Bytes), Tables.back()))
      return Wrong(std::string("a table with ") + What);
    At += Head.Bytes;
  }
  return Tables;
}

} // namespace kst
