// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/isolation/Isolate.h"

#include <algorithm>

namespace kst {
namespace {

/// Where the piece is in the image, to compare chains by.
uint64_t outputSize(const LinkedImage &Image, const LinkPiece &P,
                    const PredictedLink &In) {
  return (P.Link ? In.Inner : In.Final).PartSize[P.Part];
}

int64_t padding(const LinkedImage &Image, const Chain &Of,
                const std::vector<uint32_t> &Cuts, uint64_t AlignBytes) {
  LinkChange Change;
  for (uint32_t Cut : Cuts)
    Change.Aligns[Of.Pieces[Cut]] = AlignBytes;
  const PredictedLink After = Image.predict(Change);
  const LinkPiece &First = Of.Pieces.front(), &Last = Of.Pieces.back();
  const auto Spans = [&](const PredictedLink &In) {
    return Image.addressOf(Last, In) - Image.addressOf(First, In);
  };
  return int64_t(Spans(After) - Spans(Image.base()));
}

/// `lib.a(x.o)`; no archive for a file of its own.
struct ArchiveMember {
  std::string Archive, File;
};

ArchiveMember memberOf(const std::string &Object) {
  const size_t Open = Object.rfind(".a(");
  if (Open == std::string::npos || !Object.ends_with(")"))
    return {"", Object};
  return {Object.substr(0, Open + 2),
          Object.substr(Open + 3, Object.size() - Open - 4)};
}

/// As linker scripts name it.
std::string filePattern(const std::string &Object) {
  const ArchiveMember In = memberOf(Object);
  return "*" + (In.Archive.empty() ? "" : In.Archive + ":") + In.File;
}

} // namespace

bool isArraySection(const std::string &Name, bool Code) {
  if (Code)
    return Name.starts_with(".altinstr") || Name.starts_with(".static_call");
  for (const char *Plain :
       {".data", ".bss", ".rodata", ".data..read_mostly",
        ".data..cacheline_aligned", ".data..ro_after_init", ".sdata", ".sbss"})
    if (Name == Plain)
      return false;
  for (const char *Plain :
       {".data.rel", ".data.rel.ro", ".bss.", ".data.", ".rodata."})
    if (Name.starts_with(Plain) && !Name.starts_with(".data..") &&
        !Name.starts_with(".bss.."))
      return false;
  return true;
}

std::vector<Chain> chainsOf(const LinkedImage &Image) {
  std::vector<Chain> Out;
  std::map<std::tuple<uint32_t, uint32_t, std::string>, size_t> Known;
  for (const LinkPiece &P : Image.pieces()) {
    const MapStatement &S = Image.statement(P);
    if (!S.SizeBytes || S.WholeBytes || !Image.isInImage(P) ||
        (!P.Link && Image.twoSteps() && S.Text == Image.files().InnerFile))
      continue;
    const ObjectSection *In = Image.section(P);
    if (!In || !In->Alloc || In->Merged)
      continue;
    const auto [At, New] =
        Known.emplace(std::tuple(P.Link, P.Part, S.Name), Out.size());
    if (New) {
      Chain &Of = Out.emplace_back();
      Of.Section = S.Name;
      Of.Output = Image.partName(P);
      Of.Array = isArraySection(S.Name, In->Code);
    }
    Out[At->second].Pieces.push_back(P);
  }
  return Out;
}

Result<IsolationPlan> isolate(const LinkedImage &Image,
                              const FunctionHeat &Heat,
                              const IsolationAsked &Asked) {
  const std::vector<Chain> Chains = chainsOf(Image);
  const Chain *Of = nullptr;
  for (const Chain &C : Chains)
    if (C.Section == Asked.Section &&
        (!Of || C.Pieces.size() > Of->Pieces.size()))
      Of = &C;
  if (!Of)
    return Failure{"no object has a section " + Asked.Section +
                   ": 'isolation map' lists the chains"};
  if (Of->Array)
    return Failure{"code walks " + Asked.Section +
                   " as an array: padding between objects would break it"};
  if (Of->Pieces.size() < 2)
    return Failure{Asked.Section + " has only one object, " +
                   Image.statement(Of->Pieces.front()).Text +
                   ": there is nothing to part"};
  const std::map<LinkPiece, double> Hot = pieceHeat(Image, Heat);
  std::vector<ChainObject> Objects;
  IsolationPlan Out;
  Out.Asked = Asked;
  double AllHeat = 0, AllChurn = 0;
  for (const LinkPiece &P : Of->Pieces) {
    ChainObject O;
    if (const auto At = Hot.find(P); At != Hot.end())
      O.Heat = At->second;
    if (Asked.Churn.empty()) {
      O.Churn = 1;
    } else if (const auto At =
                   Asked.Churn.find(sourceOf(Image.statement(P).Text));
               At != Asked.Churn.end()) {
      O.Churn = double(At->second);
      ++Out.ChurnKnown;
    }
    AllHeat += O.Heat;
    AllChurn += O.Churn;
    Objects.push_back(O);
    Out.Order.push_back(Image.statement(P).Text);
  }
  if (!(AllChurn > 0))
    return Failure{"no object of " + Asked.Section +
                   " changed in that history: are its paths those from the "
                   "top of the source?"};
  // Without heat all objects are worth the same.
  for (ChainObject &O : Objects) {
    O.Heat = AllHeat > 0 ? O.Heat / AllHeat : 1.0 / double(Objects.size());
    O.Churn /= AllChurn;
    Out.OwnObjects += O.Churn * O.Heat;
  }
  const ChainCost Cost(Objects);
  const std::vector<Cuts> Best = exactCuts(Cost, Asked.Cuts);
  const std::vector<uint32_t> Greedy = greedyCuts(Cost, Asked.Cuts);
  for (uint32_t K = 0; K < Best.size(); ++K) {
    Cuts First(Greedy.begin(),
               Greedy.begin() + long(std::min<size_t>(K, Greedy.size())));
    std::sort(First.begin(), First.end());
    Out.Steps.push_back(
        {K, Cost.of(Best[K]), Cost.of(First), Cost.of(evenCuts(Cost, K))});
  }
  Out.Objects = Objects.size();
  Out.Chain = Of->Output;
  const Cuts &At = Best.back();
  const auto Segment = [&](size_t Begin, size_t End) {
    SegmentRow Row;
    Row.Objects = uint32_t(End - Begin);
    for (size_t I = Begin; I < End; ++I) {
      Row.Heat += Objects[I].Heat;
      Row.Churn += Objects[I].Churn;
    }
    return Row;
  };
  Out.First = Segment(0, At.empty() ? Objects.size() : At.front());
  for (size_t C = 0; C < At.size(); ++C) {
    const SegmentRow Row =
        Segment(At[C], C + 1 < At.size() ? At[C + 1] : Objects.size());
    CutRow Cut;
    Cut.At = Of->Pieces[At[C]];
    Cut.Object = Image.statement(Cut.At).Text;
    Cut.AddressWas = Image.addressOf(Cut.At, Image.base());
    if (const ObjectSection *In = Image.section(Cut.At))
      Cut.AlignWas = In->AlignBytes;
    Cut.SegmentHeat = Row.Heat;
    Cut.SegmentChurn = Row.Churn;
    Cut.SegmentObjects = Row.Objects;
    Out.Cuts.push_back(Cut);
  }
  LinkChange Change;
  for (const CutRow &Cut : Out.Cuts)
    Change.Aligns[Cut.At] = Asked.AlignBytes;
  const PredictedLink After = Image.predict(Change);
  // Padding in front of an object: what it moves by more than the one before.
  int64_t Before = int64_t(Image.addressOf(Of->Pieces.front(), After) -
                           Image.addressOf(Of->Pieces.front(), Image.base()));
  for (CutRow &Cut : Out.Cuts) {
    const int64_t By = int64_t(Image.addressOf(Cut.At, After) - Cut.AddressWas);
    Cut.PaddingBytes = uint64_t(std::max<int64_t>(0, By - Before));
    Before = By;
  }
  Out.PaddingBytes = padding(Image, *Of, At, Asked.AlignBytes);
  std::vector<uint32_t> All;
  for (uint32_t I = 0; I < Of->Pieces.size(); ++I)
    All.push_back(I);
  Out.AllPaddingBytes = padding(Image, *Of, All, Asked.AlignBytes);
  Out.SizeBytes = outputSize(Image, Of->Pieces.front(), Image.base());
  return Out;
}

std::string objcopyLines(const IsolationPlan &Plan) {
  std::string Out;
  for (const CutRow &Cut : Plan.Cuts) {
    if (Cut.AlignWas >= Plan.Asked.AlignBytes) // never lowered
      continue;
    const ArchiveMember In = memberOf(Cut.Object);
    const std::string Set =
        "llvm-objcopy --set-section-alignment " + Plan.Asked.Section + "=" +
        std::to_string(Plan.Asked.AlignBytes) + " " + In.File;
    Out += In.Archive.empty()
               ? Set + "\n"
               : "llvm-ar x " + In.Archive + " " + In.File + " && " + Set +
                     " && llvm-ar r " + In.Archive + " " + In.File + "\n";
  }
  return Out;
}

std::string linkerScript(const IsolationPlan &Plan) {
  std::string Out = "/* " + Plan.Asked.Section +
                    " in link order; in place of *(" + Plan.Asked.Section +
                    ") */\n";
  std::set<std::string> Cuts;
  for (const CutRow &Cut : Plan.Cuts)
    Cuts.insert(Cut.Object);
  // Read backward, names that end alike are together.
  std::multimap<std::string, std::string> Backward;
  for (const std::string &Name : Plan.Order) {
    const std::string File = memberOf(Name).File;
    Backward.emplace(std::string(File.rbegin(), File.rend()), Name);
  }
  for (const std::string &Name : Plan.Order) {
    if (Cuts.count(Name))
      Out += ". = ALIGN(" + std::to_string(Plan.Asked.AlignBytes) + ");\n";
    // `*lib/string.o` is `arch/x86/lib/string.o`, too.
    std::string Others;
    const std::string End(Name.rbegin(), Name.rend());
    if (memberOf(Name).Archive.empty())
      for (auto At = Backward.lower_bound(End);
           At != Backward.end() && At->first.starts_with(End); ++At)
        if (At->second != Name)
          Others += (Others.empty() ? "" : " ") + filePattern(At->second);
    Out += filePattern(Name) + "(" +
           (Others.empty() ? "" : "EXCLUDE_FILE(" + Others + ") ") +
           Plan.Asked.Section + ")\n";
  }
  return Out + "*(" + Plan.Asked.Section + ")\n";
}

std::map<std::string, std::vector<std::string>>
makefileLines(const IsolationPlan &Plan,
              const std::set<std::string> &Assembly) {
  std::map<std::string, std::vector<std::string>> Out;
  for (const CutRow &Cut : Plan.Cuts) {
    if (Cut.AlignWas >= Plan.Asked.AlignBytes)
      continue;
    const size_t Slash = Cut.Object.rfind('/');
    const std::string Folder =
        Slash == std::string::npos ? "" : Cut.Object.substr(0, Slash + 1);
    const std::string Name = Cut.Object.substr(Folder.size());
    Out[Folder + "Makefile"].push_back(
        "$(obj)/" + Name + ": cmd_" +
        (Assembly.count(Cut.Object) ? "as_o_S" : "cc_o_c") +
        " += ; $(OBJCOPY) --set-section-alignment " + Plan.Asked.Section + "=" +
        std::to_string(Plan.Asked.AlignBytes) + " $@");
  }
  return Out;
}

} // namespace kst
