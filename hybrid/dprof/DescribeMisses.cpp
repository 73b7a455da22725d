// SPDX-License-Identifier: GPL-2.0-or-later
//
// Why types miss, and which of their fields, and who uses those.

#include "hybrid/dprof/DescribeParts.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>
#include <map>

namespace kst {
namespace {

constexpr size_t ShownMissTypes = 20, DetailedMissTypes = 6, ShownFields = 8,
                 ShownSites = 2, Neighbors = 2;

Table classTable(const DprofReport &R, CacheLevel Level) {
  Table T{{{"type", false, true}, {"misses", true}}};
  for (size_t Class = 1; Class < MissClasses; ++Class)
    if (Level != CacheLevel::Llc || Class == size_t(MissClass::Cold) ||
        Class >= size_t(MissClass::Conflict))
      T.Columns.push_back({spelling(MissClass(Class)), true});
  auto Add = [&](const std::string &Name, const AccessCounts &Of, bool Strong) {
    const ClassCounts &Missed = Of.Missed[size_t(Level)];
    const double All = double(Of.misses(Level));
    Table::Row Row{{Strong ? strong(Name) : code(Name), amount(All)}};
    for (size_t C = 2; C < T.Columns.size(); ++C)
      for (size_t Class = 1; Class < MissClasses; ++Class)
        if (T.Columns[C].Name == spelling(MissClass(Class)))
          Row.Cells.push_back(
              Missed[Class] ? percent(share(double(Missed[Class]), All)) : "-");
    T.Rows.push_back(std::move(Row));
  };
  Add("all", R.Data.All, true);
  std::vector<const TypeRow *> Types;
  for (const TypeRow &Of : R.Data.Types)
    if (Of.Counts.misses(Level))
      Types.push_back(&Of);
  std::stable_sort(Types.begin(), Types.end(), [&](auto *A, auto *B) {
    return A->Counts.misses(Level) > B->Counts.misses(Level);
  });
  for (const TypeRow *Of : Types)
    Add(typeName(R.Data, *Of), Of->Counts, false);
  T.shorten(ShownMissTypes + 1, " types");
  return T;
}

/// Accesses to one field.
struct FieldUse {
  std::string Name;
  uint32_t OffsetBytes = 0;
  uint64_t Loads = 0, Stores = 0, Misses = 0, Cpus = 0;
  ClassCounts Missed{};
  std::vector<const PlaceRow *> Places;
};

std::vector<FieldUse> fieldsOf(const DataProfile &In, const TypeRow &Of) {
  std::map<std::string, FieldUse> Fields;
  for (const PlaceRow &P : Of.Places) {
    const std::string Name = fieldName(In, Of, P);
    FieldUse &F = Fields[Name];
    if (F.Places.empty())
      F.OffsetBytes = P.OffsetBytes;
    F.Name = Name;
    F.Loads += P.Loads;
    F.Stores += P.Stores;
    F.Cpus |= P.Cpus;
    F.Misses += P.misses();
    for (size_t Class = 0; Class < MissClasses; ++Class)
      F.Missed[Class] += P.Missed[Class];
    F.Places.push_back(&P);
  }
  std::vector<FieldUse> Out;
  for (auto &[Name, F] : Fields)
    Out.push_back(std::move(F));
  std::stable_sort(Out.begin(), Out.end(), [](auto &A, auto &B) {
    return std::tuple(~A.Misses, ~(A.Loads + A.Stores), A.OffsetBytes) <
           std::tuple(~B.Misses, ~(B.Loads + B.Stores), B.OffsetBytes);
  });
  return Out;
}

std::string classesOf(const FieldUse &F) {
  size_t Most = 1;
  for (size_t Class = 1; Class < MissClasses; ++Class)
    if (F.Missed[Class] > F.Missed[Most])
      Most = Class;
  if (!F.Misses)
    return "-";
  return percent(share(double(F.Missed[Most]), double(F.Misses))) + " " +
         spelling(MissClass(Most));
}

/// Who stores, or who only loads.
Sentence users(const DprofReport &R, const FieldUse &F, bool Stores) {
  std::vector<std::pair<const PlaceRow *, uint64_t>> Rows;
  for (const PlaceRow *P : F.Places)
    Rows.push_back({P, Stores ? P->Stores : P->Loads});
  const std::vector<Sentence> Items = placesByShare(R, std::move(Rows));
  if (Items.empty())
    return {};
  return Sentence(Stores ? "written: " : "read: ") + listed(Items, ShownSites);
}

/// A row of the table of fields, and who is behind it.
struct FieldRow {
  Table::Row Row;
  Sentence By;
};

FieldRow rowOf(const DprofReport &R, const TypeRow &Of, const FieldUse &F,
               bool Neighbor) {
  FieldRow Out;
  Out.By = strong(F.Name) + " ";
  const Sentence Writers = users(R, F, true), Readers = users(R, F, false);
  Out.By += Writers;
  if (!Writers.empty() && !Readers.empty())
    Out.By += "; ";
  Out.By += Readers;
  Out.Row.Y = double(F.Misses);
  Out.Row.Cells = {
      (Neighbor ? "same line: " : "") + F.Name,
      std::to_string(F.OffsetBytes),
      amount(double(F.Misses)),
      percent(share(double(F.Misses), double(Of.Counts.misses(R.Data.Level)))),
      classesOf(F),
      amount(double(F.Loads)),
      amount(double(F.Stores)),
      std::to_string(std::popcount(F.Cpus))};
  return Out;
}

Entry typeEntry(const DprofReport &R, const TypeRow &Of) {
  const DataProfile &P = R.Data;
  Entry Out;
  const double Own = double(Of.Counts.misses(P.Level));
  Out.Share = share(Own, double(P.All.misses(P.Level)));
  Out.Label = percent(Out.Share);
  Out.Head = code(typeName(P, Of)) +
             (": " + amount(Own) + " misses of " +
              amount(double(Of.Counts.accesses())) + " accesses");
  Table T{{{"field", false, true},
           {"offset", true},
           {"misses", true},
           {"share", true},
           {"mostly"},
           {"loads", true},
           {"stores", true},
           {"CPUs", true}}};
  T.Shape = Table::Picture::Bars;
  T.BarColumn = 3;
  const std::vector<FieldUse> Fields = fieldsOf(P, Of);
  Bullets Users;
  auto Add = [&](const FieldUse &F, bool Neighbor) {
    FieldRow New = rowOf(R, Of, F, Neighbor);
    T.Rows.push_back(std::move(New.Row));
    Users.Items.push_back({std::move(New.By)});
  };
  std::vector<uint32_t> FalseLines;
  std::vector<const FieldUse *> Hidden;
  for (size_t F = 0; F < Fields.size(); ++F) {
    if (F < ShownFields && (Fields[F].Misses || F < 3)) {
      Add(Fields[F], false);
      if (Fields[F].Missed[size_t(MissClass::FalseSharing)])
        FalseLines.push_back(Fields[F].OffsetBytes / P.Geometry.LineBytes);
    } else {
      Hidden.push_back(&Fields[F]);
    }
  }
  // Who takes a line by writing need not miss himself.
  std::stable_sort(Hidden.begin(), Hidden.end(),
                   [](auto *A, auto *B) { return A->Stores > B->Stores; });
  size_t Shown = 0;
  for (const FieldUse *F : Hidden)
    if (Shown < Neighbors && F->Stores &&
        std::count(FalseLines.begin(), FalseLines.end(),
                   F->OffsetBytes / P.Geometry.LineBytes)) {
      Add(*F, true);
      ++Shown;
    }
  if (!Hidden.empty())
    Out.Body.push_back(Paragraph{
        soft("the " + counted(Fields.size() - Hidden.size(), "field") + " of " +
             std::to_string(Fields.size()) + " with most misses")});
  if (Of.OtherPlaces)
    Out.Body.push_back(
        Paragraph{soft(counted(Of.OtherPlaces, "access") +
                       " from more places than are kept: not in this table")});
  Out.Body.push_back(std::move(T));
  Out.Body.push_back(std::move(Users));
  return Out;
}

} // namespace

std::string located(const std::string &File, uint32_t Line) {
  return File.empty() ? ""
                      : " " + File + (Line ? ":" + std::to_string(Line) : "");
}

std::vector<Sentence>
placesByShare(const DprofReport &R,
              std::vector<std::pair<const PlaceRow *, uint64_t>> Rows) {
  static constexpr const char *Contexts[ContextKinds] = {
      "task", "softirq", "hardirq", "NMI", "system call"};
  std::erase_if(Rows, [](auto &Row) { return !Row.second; });
  std::stable_sort(Rows.begin(), Rows.end(),
                   [](auto &A, auto &B) { return A.second > B.second; });
  uint64_t All = 0;
  for (const auto &[P, Own] : Rows)
    All += Own;
  std::vector<Sentence> Items;
  for (const auto &[P, Own] : Rows) {
    const SiteName &At = R.Data.Sites[P->Site];
    Items.push_back(code((At.Function.empty() ? "?" : At.Function) + "()") +
                    located(At.File, At.Line) +
                    (R.Data.Contexts
                         ? std::string(" ") + Contexts[size_t(P->Context)]
                         : std::string()) +
                    " " + percent(share(double(Own), double(All))));
  }
  return Items;
}

std::vector<Section> missesView(const DprofReport &R) {
  const CacheLevel Level = R.Data.Level;
  std::vector<Section> Out;
  Section &Classes = Out.emplace_back();
  Classes.Title = "why " + levelName(Level) + " missed";
  Classes.Body.push_back(Paragraph{
      soft("shares of the misses of a type; docs/design/cache-model.md defines "
           "the classes")});
  Classes.Body.push_back(classTable(R, Level));
  for (CacheLevel Other : {CacheLevel::L1, CacheLevel::L2, CacheLevel::Llc})
    if (Other != Level && R.Data.Geometry[Other].exists()) {
      Section &More = Out.emplace_back();
      More.Title = "why " + levelName(Other) + " missed";
      More.When = Shown::Full;
      More.Body.push_back(classTable(R, Other));
    }
  Section &Fields = Out.emplace_back();
  Fields.Title = "fields of the hottest types: who writes, who reads";
  for (uint32_t T : detailed(R, DetailedMissTypes)) {
    const TypeRow &Of = R.Data.Types[T];
    Fields.Body.push_back(typeEntry(R, Of));
  }
  return Out;
}

} // namespace kst
