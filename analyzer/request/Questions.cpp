// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/request/Questions.h"

#include "hybrid/layout/AskedOrder.h"
#include "hybrid/layout/FieldOffsets.h"
#include "hybrid/layout/JoinedConfigs.h"
#include "hybrid/layout/Placement.h"

namespace kst {

std::vector<std::string> fieldMistakes(const FieldQuestions &Asked,
                                       const std::vector<RecordInfo> &Records,
                                       std::vector<SourceRule> Rules) {
  std::vector<AffinityEvidence> Bare;
  for (const RecordInfo &Record : Records) {
    Bare.emplace_back().Record = Record;
    Bare.back().Fields.resize(Record.Fields.size());
    if (!reproduces(Record))
      return {}; // the analysis will say so
  }
  Result<JoinedConfigs> Joined = joinConfigs(std::move(Bare));
  if (!Joined)
    return {}; // the same
  std::vector<std::string> Wrong;
  auto Check = [&](const std::string &Said, const auto &Answer) {
    if (!Answer)
      Wrong.push_back(Said + ": " + Answer.error());
  };
  for (const FieldQuestions::Words &Pin : Asked.Pins)
    Check("--pin " + Pin.Said, parsePlacement(Joined->Joint, Pin.Text));
  for (const std::string &Name : Asked.UsedWith)
    Check("--used-with", fieldNamed(Joined->Joint, Name));
  if (Asked.WhatIf.empty() && Asked.Orders.empty())
    return Wrong;
  LayoutOptions How;
  How.Rules = std::move(Rules);
  LayoutProblem Problem(*Joined, How);
  for (const FieldQuestions::Words &Question : Asked.WhatIf)
    Check("--what-if '" + Question.Said + "'",
          askedOrder(Problem, Question.Text));
  for (const FieldQuestions::Words &Order : Asked.Orders)
    if (Result<BrickOrder> Read =
            orderFromText(Problem, Order.Text, Order.Said);
        !Read)
      Wrong.push_back(Read.error());
  return Wrong;
}

} // namespace kst
