// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/StructSharing.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/GroupView.h"
#include "hybrid/fieldorder/ReportView.h"
#include "hybrid/pipeline/Analyze.h"
#include "hybrid/pipeline/UsedStructs.h"
#include "hybrid/sharing/Remedies.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace kst {
namespace {

/// Only the present order is looked at.
constexpr uint64_t SearchBudget = 1;
/// Of fields, and of places that use them.
constexpr size_t MostFields = 8;
/// A struct with less of what all lose is left out.
constexpr double LeastShare = 1e-3;

void addUsers(std::vector<SharingUser> &To, const std::vector<Actor> &Actors,
              bool Write) {
  for (const Actor &Who : Actors) {
    const double Times = Write ? Who.At.Writes : Who.At.Reads + Who.At.Writes;
    if (llvm::none_of(
            To, [&](const SharingUser &U) { return U.Where == Who.At.Where; }))
      To.push_back({Who.At.Where, "", Write, Times});
  }
}

void finish(std::vector<SharingUser> &Users) {
  llvm::stable_sort(Users, [](const SharingUser &A, const SharingUser &B) {
    return A.Times > B.Times;
  });
  double Sum = 0;
  for (const SharingUser &U : Users)
    Sum += U.Times;
  for (SharingUser &U : Users)
    U.Times = Sum > 0 ? U.Times / Sum : 0;
}

/// Whether whoever wrote the code says that threads meet at the field: atomic
/// operations, and locks.
bool isForMeeting(const FieldUse &Of) {
  constexpr double Mostly = 0.5;
  return Of.Lock > 0 || (Of.Writes > 0 && Of.Lockless >= Mostly * Of.total());
}

SharingFinding findingOf(const Report &R, const std::vector<SharingRisk> &Risks,
                         bool OfProgram, uint32_t LineBytes) {
  const RecordInfo &Record = R.Evidence.Record;
  SharingFinding F;
  F.Object = F.Type = Record.Name;
  F.Between = SharedParts::Fields;
  F.SizeBytes = Record.SizeBytes;
  std::vector<MemberPair> Pairs;
  for (const SharingRisk &Risk : Risks) {
    F.Cycles += Risk.Loss;
    Pairs.push_back({Record.Fields[Risk.Written].Name,
                     Record.Fields[Risk.Used].Name, Risk.Loss});
    for (uint32_t Field : {Risk.Written, Risk.Used})
      if (const std::string Name = displayName(Record, Field);
          F.Fields.size() < MostFields && !llvm::is_contained(F.Fields, Name))
        F.Fields.push_back(Name);
    addUsers(F.Writers, Risk.Writers, true);
    addUsers(F.Users, Risk.Users, false);
  }
  finish(F.Writers);
  finish(F.Users);
  LineEdit Member;
  if (OfProgram)
    Member = {LineEdit::AlignMember, Record.File, Record.Line,
              Record.Name,           "",          0};
  if (SharingRemedy Apart = alignedMembers(Pairs, Member, LineBytes);
      OfProgram && !Apart.Text.empty())
    F.Remedies.push_back(std::move(Apart));
  F.Remedies.push_back(
      {"an order, or an alignment: kstatic-affinity --struct " + Record.Name,
       0,
       {}});
  return F;
}

} // namespace

StructsLookedAt addStructSharing(SharingReport &To, const Session &From,
                                 const AnalyzeRequest &Asked,
                                 const StructsLookedAt *Before) {
  // What is known of single objects says more.
  std::set<std::string> Known;
  for (const SharingFinding &F : To.False)
    Known.insert(F.Type);
  const bool OfProgram = !To.Threads.empty();
  const std::set<std::string> Names =
      Before ? Before->Found : usedStructs(From.All).Names;
  StructsLookedAt Looked;
  double Lost = 0;
  size_t Done = 0;
  std::vector<std::pair<std::string, SharingFinding>> Found;
  for (const std::string &Name : Names) {
    if (Asked.Run.Shown)
      Asked.Run.Shown->show(Done++, Names.size(), Name);
    StructRequest Struct;
    Struct.Name = Name;
    auto Ready = From.prepare(Struct);
    if (!Ready) {
      To.Limits.push_back(llvm::toString(Ready.takeError()));
      continue;
    }
    const std::vector<FieldUse> &Uses =
        Ready->Struct.Evidence.Configs.front().Fields;
    for (const FieldUse &Use : Uses)
      Looked.Accesses += Use.total();
    if (OfProgram && llvm::none_of(Uses, isForMeeting))
      continue;
    LayoutOptions Few = Ready->Layout;
    Few.Budget = SearchBudget;
    const LayoutProblem Problem(Ready->Struct.Evidence, Few);
    const Report R = makeReport(Ready->Struct, Problem);
    const ReportView View(R);
    std::vector<SharingRisk> Risks =
        sharingRisks(R, View.Current, View.Current);
    if (OfProgram)
      llvm::erase_if(Risks, [&](const SharingRisk &Risk) {
        return !isForMeeting(R.Evidence.Fields[Risk.Written]);
      });
    if (Risks.empty() || Known.count("struct " + Name))
      continue;
    SharingFinding F = findingOf(R, Risks, OfProgram, To.LineBytes);
    F.Cycles *= Problem.model().lostCycles();
    Lost += F.Cycles;
    Found.emplace_back(Name, std::move(F));
  }
  if (Before)
    Looked.Accesses = Before->Accesses;
  if (Asked.Run.Shown)
    Asked.Run.Shown->clear();
  for (auto &[Name, F] : Found)
    if ((Before || F.Cycles >= LeastShare * Lost) && Looked.Accesses > 0) {
      F.Cycles /= Looked.Accesses;
      Looked.Found.insert(Name);
      To.False.push_back(std::move(F));
    }
  llvm::stable_sort(To.False,
                    [](const SharingFinding &A, const SharingFinding &B) {
                      return A.Cycles > B.Cycles;
                    });
  return Looked;
}

} // namespace kst
