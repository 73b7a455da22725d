// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/import/CounterTable.h"

#include "hybrid/core/Hash.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace kst {
namespace {

static_assert(std::endian::native == std::endian::little,
              "rows are copied as they lie in memory");

static_assert(sizeof(kst_table) == 64 && sizeof(kst_table_site) == 40);
constexpr size_t HashedFrom = offsetof(kst_table, counters);
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
      if (!text(F.name) || !text(F.file))
        return "a wrong function";
    for (const auto &S : T.Sites)
      if (!site(S))
        return "a wrong site";
    if (!regions())
      return "a wrong region";
    for (const auto &R : T.References)
      if (R.site >= T.Sites.size() || !R.times)
        return "a wrong reference";
    for (const auto &Term : T.Terms)
      if (Term.counter >= T.Counters || (Term.factor != 1 && Term.factor != -1))
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
      if (!text(S.name) || !T.Strings[S.name] ||
          !range(S.first_element, S.elements, T.Elements.size()))
        return false;
      Elements += S.elements;
    }
    return Elements <= T.Elements.size(); // else ranges overlap
  }

  bool site(const kst_table_site &S) const {
    return (S.record == KST_NO_RECORD || S.record < T.Structs.size()) &&
           S.function < T.Functions.size() && text(S.file) &&
           S.kind < KST_SITE_KINDS;
  }

  bool regions() const {
    uint64_t References = 0, Terms = 0;
    for (const auto &R : T.Regions) {
      if (R.function >= T.Functions.size() ||
          !range(R.first_reference, R.references, T.References.size()) ||
          !range(R.first_term, R.terms, T.Terms.size()))
        return false;
      References += R.references;
      Terms += R.terms;
    }
    return References <= T.References.size() && Terms <= T.Terms.size();
  }

  const CounterTable &T;
};

/// Takes so many rows off the front; false if there are not as many.
template <typename T>
bool take(std::string_view &Bytes, uint32_t Count, std::vector<T> &Rows) {
  if (Count > Bytes.size() / sizeof(T))
    return false;
  Rows.resize(Count);
  if (Count)
    memcpy(Rows.data(), Bytes.data(), Count * sizeof(T));
  Bytes.remove_prefix(Count * sizeof(T));
  return true;
}

/// Blob begins with a header; its size was checked. The first thing wrong, or
/// null.
const char *readBlob(std::string_view Blob, CounterTable &T) {
  kst_table Head;
  memcpy(&Head, Blob.data(), sizeof(Head));
  if (Head.hash != hash64(Blob.substr(HashedFrom)))
    return "a wrong hash";
  T.Hash = Head.hash;
  T.Counters = Head.counters;
  T.MainFile = Head.main_file;
  Blob.remove_prefix(sizeof(Head));
  if (!take(Blob, Head.records, T.Structs) ||
      !take(Blob, Head.elements, T.Elements) ||
      !take(Blob, Head.functions, T.Functions) ||
      !take(Blob, Head.sites, T.Sites) ||
      !take(Blob, Head.regions, T.Regions) ||
      !take(Blob, Head.references, T.References) ||
      !take(Blob, Head.terms, T.Terms) || Head.string_bytes > Blob.size() ||
      Blob.size() - Head.string_bytes >= BlobAlign)
    return "tables that do not fit its size";
  T.Strings = Blob.substr(0, Head.string_bytes);
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
    kst_table Head;
    if (Rest.size() < sizeof(Head) || !Rest.starts_with(KST_TABLE_MAGIC))
      return Wrong("no table begins here");
    memcpy(&Head, Rest.data(), sizeof(Head));
    if (Head.version != KST_TABLE_VERSION)
      return Wrong("a table of version " + std::to_string(Head.version) +
                   "; this program reads version " +
                   std::to_string(KST_TABLE_VERSION));
    if (Head.bytes < sizeof(Head) || Head.bytes % BlobAlign ||
        Head.bytes > Rest.size())
      return Wrong("a table is cut short or states a wrong size");
    Tables.emplace_back();
    if (const char *What = readBlob(Rest.substr(0, Head.bytes), Tables.back()))
      return Wrong(std::string("a table with ") + What);
    At += Head.bytes;
  }
  return Tables;
}

} // namespace kst
