// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/MemberUses.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace kst {

namespace {

class Collector {
public:
  Collector(const Program &Whole, RecordId Id)
      : Whole(Whole), Id(Id), Info(Whole.recordInfo(Id)) {}

  std::vector<MemberUse> run(const std::vector<FunctionId> &Users) {
    auto Anonymous = [](const FieldInfo &Field) { return Field.Anonymous; };
    if (std::ranges::none_of(Info.Fields, Anonymous))
      return {};
    for (FunctionId Of : Users)
      addFunction(Of);
    std::vector<MemberUse> All;
    for (auto &[Member, Users] : Found) {
      MemberUse Use;
      Use.Field = Member.first;
      Use.Member = Info.Fields[Member.first].Members[Member.second];
      for (auto &[Function, At] : Users)
        Use.Users.push_back(At);
      All.push_back(std::move(Use));
    }
    return All;
  }

private:
  void addFunction(FunctionId Of) {
    const TuFacts &Facts = Whole.unitOf(Of);
    const FunctionFact &Fact = *Whole.Functions[Of].Fact;
    for (const AccessFact &Access : rowsOf(Facts.Accesses, Fact.Accesses)) {
      add(Of, Access.Address, Access.File, Access.Line);
    }
    for (const CallFact &Call : rowsOf(Facts.Calls, Fact.Calls)) {
      for (ValueId Id : rowsOf(Facts.ValueArgs, Call.Args))
        add(Of, Id, Call.File, Call.Line);
    }
  }

  /// The first name on the way from the union to what is accessed.
  void add(FunctionId Of, ValueId Address, StrId File, uint32_t Line) {
    const TuFacts &Facts = Whole.unitOf(Of);
    const LinkedFunction &Function = Whole.Functions[Of];
    const std::string *Member = nullptr;
    while (Address != None) {
      const ValueFact &Step =
          Facts.Values[Function.Fact->Values.Begin + Address];
      if (Step.Kind != ValueKind::Field && Step.Kind != ValueKind::Element)
        return;
      Address = Step.A;
      if (Step.Kind == ValueKind::Element)
        continue;
      if (Whole.record(Function.Unit, Step.B) == Id) {
        if (Member)
          note(Step.C, *Member,
               {Whole.text(Function.Unit, Function.Fact->Name),
                Whole.text(Function.Unit, File), Line});
        return;
      }
      const RecordFact &In = Facts.Records[Step.B];
      const FieldFact &Field = Facts.Fields[In.Fields.Begin + Step.C];
      if (!(Field.Flags & FldAnonymous))
        Member = &Facts.Strings[Field.Name];
    }
  }

  void note(uint32_t Field, const std::string &Member, Site At) {
    const std::vector<std::string> &Members = Info.Fields[Field].Members;
    auto It = std::ranges::find(Members, Member);
    if (It == Members.end())
      return; // a field of a member that has a name
    auto Number = static_cast<uint32_t>(It - Members.begin());
    Site &First =
        Found[{Field, Number}].try_emplace(At.Function, At).first->second;
    if (std::tie(At.File, At.Line) < std::tie(First.File, First.Line))
      First = std::move(At);
  }

  const Program &Whole;
  const RecordId Id;
  const RecordInfo Info;
  /// By field and number of the member, then by function.
  std::map<std::pair<uint32_t, uint32_t>, std::map<std::string, Site>> Found;
};

} // namespace

std::vector<MemberUse> memberUses(const Program &Whole, RecordId Id) {
  std::vector<FunctionId> All(Whole.Functions.size());
  std::iota(All.begin(), All.end(), 0);
  return memberUses(Whole, Id, All);
}

std::vector<MemberUse> memberUses(const Program &Whole, RecordId Id,
                                  const std::vector<FunctionId> &Users) {
  return Collector(Whole, Id).run(Users);
}

} // namespace kst
