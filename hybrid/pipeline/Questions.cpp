// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/pipeline/Questions.h"

#include "analyzer/files/InputFile.h"
#include "hybrid/layout/AskedOrder.h"
#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/layout/JoinedConfigs.h"
#include "hybrid/layout/Placement.h"

#include "llvm/ADT/StringExtras.h"

namespace kst {

namespace {

/// Good answers, and the mistakes in the others, joined.
template <typename T> class Answers {
public:
  void add(llvm::Expected<T> Answer) {
    if (Answer)
      Good.push_back(std::move(*Answer));
    else
      Wrong = llvm::joinErrors(std::move(Wrong), Answer.takeError());
  }
  llvm::Expected<std::vector<T>> take() {
    if (Wrong)
      return std::move(Wrong);
    return std::move(Good);
  }

private:
  std::vector<T> Good;
  llvm::Error Wrong = llvm::Error::success();
};

} // namespace

llvm::Expected<std::vector<Placement>> demandsOf(const AnalyzeRequest &Asked,
                                                 const StructRequest &Struct,
                                                 const RecordInfo &Record) {
  Answers<Placement> Demands;
  for (const std::string &Pin : Struct.Pins) {
    const std::string Said = Asked.spelled(Struct, Pin);
    auto Demand =
        orMistake(parsePlacement(Record, Pin), "--pin " + Said + ": ");
    if (Demand)
      Demand->Text = Said;
    Demands.add(std::move(Demand));
  }
  return Demands.take();
}

llvm::Expected<std::map<uint32_t, double>>
arrivalsOf(const AnalyzeRequest &Asked, const StructRequest &Struct,
           const RecordInfo &Record) {
  constexpr double Most = 1e6;
  std::map<uint32_t, double> Arrivals;
  for (const std::string &Text : Struct.Contention) {
    const std::string Said =
        "--contention " + Asked.spelled(Struct, Text) + ": ";
    auto [Name, Number] = llvm::StringRef(Text).rsplit('=');
    auto Field = orMistake(fieldNamed(Record, Name.trim().str()), Said);
    if (!Field)
      return Field.takeError();
    double Many = 0;
    if (Number.trim().getAsDouble(Many) || !(Many > 0 && Many <= Most))
      return usageError(Said + "wants FIELD=N, N CPUs that arrive while it is "
                               "held, > 0 and <= 1e6");
    Arrivals[*Field] = Many;
  }
  return Arrivals;
}

llvm::Expected<std::vector<uint32_t>> alignedOf(const AnalyzeRequest &Asked,
                                                const StructRequest &Struct,
                                                const RecordInfo &Record) {
  std::vector<uint32_t> Fields;
  for (const std::string &Words : Struct.Align)
    for (llvm::StringRef Text : llvm::split(Words, ',')) {
      const std::string Said = "--align " + Asked.spelled(Struct, Words) + ": ";
      auto Field = orMistake(fieldNamed(Record, Text.trim().str()), Said);
      if (!Field)
        return Field.takeError();
      const FieldInfo &Of = Record.Fields[*Field];
      if (Record.Union || Record.Packed || Of.BitField || !Of.SizeBits ||
          Of.Name.empty() || Of.Anonymous || Of.Group != NoGroup)
        return usageError(Said + "it cannot have an alignment of its own (" +
                          (Record.Union    ? "the record is a union"
                           : Record.Packed ? "the record is packed"
                           : Of.BitField   ? "a bit-field"
                           : !Of.SizeBits  ? "no size"
                           : Of.Anonymous  ? "in an anonymous union"
                                           : "in an anonymous struct") +
                          ")");
      if (!llvm::is_contained(Fields, *Field))
        Fields.push_back(*Field);
    }
  return Fields;
}

llvm::Expected<std::vector<OrderInMind>>
ordersInMind(const AnalyzeRequest &Asked, const StructRequest &Struct,
             const LayoutProblem &Problem) {
  Answers<OrderInMind> Orders;
  auto Add = [&](const std::string &Name, const std::string &Context,
                 auto Read) {
    std::vector<std::string> Notes;
    auto Order = orMistake(Read(&Notes), Context);
    if (Order)
      Orders.add(OrderInMind{Name, std::move(*Order), std::move(Notes)});
    else
      Orders.add(Order.takeError());
  };
  for (const std::string &Question : Struct.WhatIf)
    Add(Question, "--what-if '" + Asked.spelled(Struct, Question) + "': ",
        [&](auto *Notes) { return askedOrder(Problem, Question, Notes); });
  for (const std::string &File : Struct.OrderFiles) {
    llvm::Expected<std::string> Text = readFile(File);
    if (!Text)
      Orders.add(usageError(llvm::toString(Text.takeError())));
    else
      Add(File, "", [&](auto *Notes) {
        return orderFromText(Problem, *Text, File, Notes);
      });
  }
  return Orders.take();
}

llvm::Error fieldMistakes(const AnalyzeRequest &Asked,
                          const StructRequest &Struct,
                          const std::vector<std::string> &UsedWith,
                          const std::vector<RecordInfo> &Records,
                          std::vector<SourceRule> Rules) {
  std::vector<AffinityEvidence> Bare;
  for (const RecordInfo &Record : Records) {
    Bare.emplace_back().Record = Record;
    Bare.back().Fields.resize(Record.Fields.size());
    if (!reproduces(Record))
      return llvm::Error::success(); // the analysis will say so
  }
  Result<JoinedConfigs> Joined = joinConfigs(std::move(Bare));
  if (!Joined)
    return llvm::Error::success(); // the same
  llvm::Error Wrong = demandsOf(Asked, Struct, Joined->Joint).takeError();
  for (const std::string &Name : UsedWith)
    Wrong = llvm::joinErrors(
        std::move(Wrong),
        orMistake(fieldNamed(Joined->Joint, Name), "--used-with: ")
            .takeError());
  if (Struct.WhatIf.empty() && Struct.OrderFiles.empty())
    return Wrong;
  LayoutOptions Options;
  Options.Rules = std::move(Rules);
  LayoutProblem Problem(*Joined, Options);
  return llvm::joinErrors(std::move(Wrong),
                          ordersInMind(Asked, Struct, Problem).takeError());
}

} // namespace kst
