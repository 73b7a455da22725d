// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/StructSharing.h"

#include "hybrid/fieldorder/FieldView.h"
#include "hybrid/fieldorder/GroupView.h"
#include "hybrid/fieldorder/ReportView.h"
#include "hybrid/pipeline/Analyze.h"
#include "hybrid/pipeline/ChildJobs.h"
#include "hybrid/pipeline/UsedStructs.h"
#include "hybrid/sharing/Remedies.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <optional>

namespace kst {
namespace {

/// Only the present order is looked at.
constexpr uint64_t SearchBudget = 1;
/// Of fields, and of places that use them.
constexpr size_t MostFields = 8;
/// A struct with less of what all lose is left out.
constexpr double LeastShare = 1e-3;

void addUsers(std::vector<SharingUser> &To,
              const std::vector<Accessor> &Accessors, bool Write) {
  for (const Accessor &Who : Accessors) {
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

/// What one struct says.
struct StructLook {
  double Accesses = 0;
  std::optional<SharingFinding> Found; ///< its cycles: in all
  std::string Trouble;                 ///< why it could not be looked at
};

/// The same without the finding, as a child process answers it.
struct StructSum {
  double Accesses = 0, Cycles = 0;
};

class StructLooker {
public:
  StructLooker(const SharingReport &To, const Session &From)
      : From(From), OfProgram(!To.Threads.empty()), LineBytes(To.LineBytes) {
    // What is known of single objects says more.
    for (const SharingFinding &F : To.False)
      Known.insert(F.Type);
  }

  StructLook look(const std::string &Name) const {
    StructLook Out;
    StructRequest Struct;
    Struct.Name = Name;
    auto Ready = From.prepare(Struct);
    if (!Ready) {
      Out.Trouble = llvm::toString(Ready.takeError());
      return Out;
    }
    const std::vector<FieldUse> &Uses =
        Ready->Struct.Evidence.Configs.front().Fields;
    for (const FieldUse &Use : Uses)
      Out.Accesses += Use.total();
    if (Known.count("struct " + Name) ||
        (OfProgram && llvm::none_of(Uses, isForMeeting)))
      return Out;
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
    if (!Risks.empty()) {
      Out.Found = findingOf(R, Risks, OfProgram, LineBytes);
      Out.Found->Cycles *= Problem.model().lostCycles();
    }
    return Out;
  }

  /// Of each struct, in child processes: what most have to say is little.
  llvm::Expected<std::vector<StructSum>>
  sums(const std::vector<std::string> &Names, const RunOptions &Run,
       std::vector<std::string> &Limits) const {
    std::vector<StructSum> All(Names.size());
    auto Work = [&](size_t Job) {
      const StructLook Look = look(Names[Job]);
      const StructSum Sum{Look.Accesses, Look.Found ? Look.Found->Cycles : 0};
      return std::string(reinterpret_cast<const char *>(&Sum), sizeof(Sum)) +
             Look.Trouble;
    };
    auto Done = [&](size_t Job, const JobResult &Result) {
      if (Result.Ok && Result.Bytes.size() == sizeof(StructSum))
        std::memcpy(&All[Job], Result.Bytes.data(), sizeof(StructSum));
      else
        Limits.push_back(Result.Ok ? Result.Bytes.substr(sizeof(StructSum))
                                   : Names[Job] + ": " + Result.Reason);
    };
    if (llvm::Error E = childJobs(
            Names.size(), Run, [&](size_t Job) { return Names[Job]; }, Work,
            Done))
      return std::move(E);
    return All;
  }

private:
  const Session &From;
  const bool OfProgram;
  const uint32_t LineBytes;
  std::set<std::string> Known;
};

} // namespace

llvm::Expected<StructsLookedAt>
addStructSharing(SharingReport &To, const Session &From,
                 const AnalyzeRequest &Asked, const StructsLookedAt *Before) {
  const StructLooker Looker(To, From);
  StructsLookedAt Looked;
  std::vector<std::string> Names;
  if (Before) {
    Names.assign(Before->Found.begin(), Before->Found.end());
    Looked.Accesses = Before->Accesses;
  } else {
    const std::set<std::string> Used = usedStructs(From.All).Names;
    Names.assign(Used.begin(), Used.end());
    auto Sums = Looker.sums(Names, Asked.Run, To.Limits);
    if (!Sums)
      return Sums.takeError();
    double Lost = 0;
    for (const StructSum &Sum : *Sums) {
      Looked.Accesses += Sum.Accesses;
      Lost += Sum.Cycles;
    }
    std::vector<std::string> Found;
    for (size_t S = 0; S != Names.size(); ++S)
      if ((*Sums)[S].Cycles > 0 && (*Sums)[S].Cycles >= LeastShare * Lost)
        Found.push_back(Names[S]);
    Names = std::move(Found);
  }
  for (const std::string &Name : Names) {
    StructLook Look = Looker.look(Name);
    if (!Look.Trouble.empty())
      To.Limits.push_back(Look.Trouble);
    if (!Look.Found || !(Looked.Accesses > 0))
      continue;
    Look.Found->Cycles /= Looked.Accesses;
    Looked.Found.insert(Name);
    To.False.push_back(std::move(*Look.Found));
  }
  llvm::stable_sort(To.False,
                    [](const SharingFinding &A, const SharingFinding &B) {
                      return A.Cycles > B.Cycles;
                    });
  return Looked;
}

} // namespace kst
