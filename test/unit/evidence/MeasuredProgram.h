// SPDX-License-Identifier: GPL-2.0-or-later
//
// Small C programs whose executions are known by hand, and profiles of them
// as an instrumented build would write them.

#pragma once

#include "hybrid/evidence/MergedSource.h"
#include "hybrid/profile/ProfileBuilder.h"
#include "test/unit/support/TestTU.h"

#include "gtest/gtest.h"

#include <memory>
#include <optional>

namespace kst {

/// A program around `struct s`, its facts linked.
class MeasuredProgram {
public:
  /// Header: the text of "part.h".
  explicit MeasuredProgram(std::string Code, const std::string &Header = "")
      : Code(std::move(Code)) {
    TestTU Unit = TestTU::withCode(this->Code);
    Unit.Headers["kernel.h"] = kernelLike();
    Unit.Headers["part.h"] = Header;
    llvm::Expected<TuFacts> Facts = Unit.build();
    if (!Facts) {
      ADD_FAILURE() << llvm::toString(Facts.takeError());
      return;
    }
    Units.push_back(std::move(*Facts));
    Whole = std::make_unique<Program>(Units);
    Static = estimateFrequencies(*Whole, {});
    Record = Whole->recordInfo(Whole->recordsNamed("s").front());
  }

  uint32_t field(const std::string &Name) const {
    for (uint32_t I = 0; I != Record.Fields.size(); ++I)
      if (Record.Fields[I].Name == Name)
        return I;
    ADD_FAILURE() << "no field " << Name;
    return 0;
  }
  /// The line in which the text stands first.
  uint32_t line(const std::string &Text) const {
    size_t At = Code.find(Text);
    EXPECT_NE(At, std::string::npos) << Text;
    return 1 + std::count(Code.begin(), Code.begin() + At, '\n');
  }

  AffinityEvidence merged(std::vector<WeightedProfile> Profiles,
                          const MergeOptions &Options = {}) const {
    Result<AffinityEvidence> Found =
        MergedSource(*Whole, *Static, std::move(Profiles), Options)
            .evidence("s");
    if (!Found) {
      ADD_FAILURE() << Found.error();
      return {};
    }
    return std::move(*Found);
  }
  AffinityEvidence merged(const Profile &Of,
                          const MergeOptions &Options = {}) const {
    return merged({{"test.kstp", &Of, 1}}, Options);
  }
  AffinityEvidence measuredOnly(const Profile &Of) const {
    MergeOptions Options;
    Options.Prior = false;
    return merged(Of, Options);
  }

  std::string Code;
  std::vector<TuFacts> Units;
  std::unique_ptr<Program> Whole;
  std::optional<Estimate> Static;
  RecordInfo Record;
};

/// Writes what an instrumented run of the program would leave behind.
class ProfileWriter {
public:
  explicit ProfileWriter(const MeasuredProgram &Of, uint32_t MoreBytes = 0)
      : Of(Of) {
    Out.Text["label"] = "by hand";
    Struct = Out.structure("s", Of.Record.SizeBytes + MoreBytes);
  }
  ProfileWriter &entry(const std::string &Function, uint64_t Count) {
    MeasuredSite Site;
    Site.Function = Out.text(Function);
    Site.File = Out.text("../main.c");
    Site.Kind = SiteKind::Entry;
    Site.Count = Count;
    Out.site(Site);
    return *this;
  }
  /// An access of a field in the line where Text stands.
  ProfileWriter &site(const std::string &Function, const std::string &Text,
                      const std::string &Field, SiteKind Kind, uint64_t Count) {
    return siteAt(Function, "../main.c", Of.line(Text), Field, Kind, Count);
  }
  ProfileWriter &siteAt(const std::string &Function, const std::string &File,
                        uint32_t Line, const std::string &Field, SiteKind Kind,
                        uint64_t Count) {
    const FieldInfo &Info = Of.Record.Fields[Of.field(Field)];
    MeasuredSite Site;
    Site.Struct = Struct;
    Site.Function = Out.text(Function);
    Site.File = Out.text(File);
    Site.Line = Line;
    Site.OffsetBytes = Info.OffsetBits / 8;
    Site.SizeBytes = Info.SizeBits / 8;
    Site.Kind = Kind;
    Site.Count = Count;
    Out.site(Site);
    return *this;
  }
  ProfileWriter &byAddress(const std::string &Field, uint64_t Reads,
                           uint64_t Writes) {
    const FieldInfo &Info = Of.Record.Fields[Of.field(Field)];
    Out.byAddress(Struct, Info.OffsetBits / 8, Reads, Writes);
    return *this;
  }
  /// Who made the accesses.
  ProfileWriter &threads(uint64_t ByOwner, uint64_t ByOthers) {
    Out.threads(Struct, ByOwner, ByOthers);
    return *this;
  }
  /// By counters in compiled code.
  ProfileWriter &counters() {
    Out.Text["source"] = "user";
    return *this;
  }
  ProfileWriter &samples(const std::string &Function, uint64_t Count) {
    Out.samples(Out.text(Function), Count);
    return *this;
  }
  Profile made() {
    Result<Profile> Made = Out.finish();
    if (!Made)
      ADD_FAILURE() << Made.error();
    return Made ? std::move(*Made) : Profile();
  }

private:
  const MeasuredProgram &Of;
  ProfileBuilder Out;
  uint32_t Struct;
};

inline const CoAccessSet *setOf(const AffinityEvidence &In,
                                const std::string &Function) {
  for (const CoAccessSet &Set : In.Sets)
    if (Set.Where.Function == Function)
      return &Set;
  return nullptr;
}

inline FieldTouch touchOf(const CoAccessSet *Set, uint32_t Field) {
  if (Set)
    for (const FieldTouch &T : Set->Touches)
      if (T.Field == Field)
        return T;
  return {};
}

} // namespace kst
