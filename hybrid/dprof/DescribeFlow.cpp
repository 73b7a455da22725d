// SPDX-License-Identifier: GPL-2.0-or-later
//
// Through whose hands objects go.

#include "hybrid/dprof/DescribeParts.h"
#include "hybrid/report/DotText.h"
#include "hybrid/report/Numbers.h"

#include <algorithm>

namespace kst {
namespace {

constexpr size_t DetailedFlows = 4, MostFlowSteps = 80, ShownFlowSteps = 14,
                 ShownFunctions = 3;
constexpr double LeastFlowShare = 0.01;

std::string inWords(const FlowStep &Step) {
  std::string Out;
  for (const std::string &Function : Step.Functions)
    Out += (Out.empty() ? "" : ", ") +
           (Function.empty() ? std::string("?") : Function) + "()";
  return Out;
}

Sentence functions(const FlowStep &Step) {
  std::vector<Sentence> Items;
  for (const std::string &Function : Step.Functions)
    Items.push_back((Function.empty() ? std::string("?") : Function) + "()");
  return listed(Items, ShownFunctions);
}

Table tableOf(const FlowSteps &Steps, const std::string &Root,
              uint32_t GrainBytes) {
  Table T{{{"objects", true},
           {"share", true},
           {"ended", true},
           {"loads", true},
           {"stores", true},
           {"CPU"},
           {"bytes"},
           {"step"}}};
  T.Shape = Table::Picture::Tree;
  T.BarColumn = 7;
  const double All = double(Steps.Rows.front().Objects);
  for (const FlowStep &Step : Steps.Rows) {
    Table::Row Row;
    Row.X = Step.Depth;
    Row.Y = double(Step.Objects);
    Row.Strong = Step.OtherCpu;
    Row.Cells = {amount(Row.Y),
                 percent(share(Row.Y, All)),
                 Step.Ended ? amount(double(Step.Ended)) : "-",
                 amount(double(Step.Loads)),
                 amount(double(Step.Stores)),
                 Step.OtherCpu ? "other" : "",
                 listed(touchedBytes(Step.Touched, GrainBytes), 2),
                 Step.Functions.empty() ? Sentence(Root) : functions(Step)};
    T.Rows.push_back(std::move(Row));
  }
  T.shorten(ShownFlowSteps, " steps");
  return T;
}

void addPaths(const TypeRow &Of, bool Seen, Entry &To) {
  const FlowSteps Steps =
      flowSteps(Of.Paths, Seen, LeastFlowShare, MostFlowSteps);
  if (Steps.Rows.size() < 2)
    return;
  To.Body.push_back(tableOf(Steps,
                            Seen ? "allocated in the trace"
                                 : "there before the trace, or static",
                            Of.Paths.GrainBytes));
  if (Steps.LeftOut)
    To.Body.push_back(
        Paragraph{soft("left out: " + counted(Steps.LeftOut, "way") +
                       " that less than 1 % of the objects took each")});
}

} // namespace

Section flowView(const DprofReport &R) {
  Section Part{
      "data flow: functions in the order in which they got the object"};
  Part.Body.push_back(Paragraph{
      soft("a step: a function that has not had the object since it last "
           "changed its CPU; ended: objects that were freed there; loads, "
           "stores: in the step")});
  size_t Shown = 0;
  for (uint32_t T : detailed(R, R.Data.Types.size())) {
    const TypeRow &Of = R.Data.Types[T];
    if (Of.Paths.Nodes.size() < 2 || Shown == DetailedFlows)
      continue;
    Entry Out;
    Out.Head = code(Of.Name) +
               (": " + amount(double(Of.Objects)) + " objects were accessed, " +
                percent(share(double(Of.MovedObjects), double(Of.Objects))) +
                " of them by more than one CPU");
    if (Of.Paths.Cut)
      Out.Head += Sentence("; the paths of " + amount(double(Of.Paths.Cut)) +
                           " are cut");
    addPaths(Of, true, Out);
    addPaths(Of, false, Out);
    if (Out.Body.empty())
      continue;
    Part.Body.push_back(std::move(Out));
    ++Shown;
  }
  return Part;
}

std::string toDot(const DprofReport &R) {
  std::string Out = "digraph dprof {\n  rankdir=LR;\n  node [shape=box];\n";
  size_t Shown = 0;
  for (uint32_t T : detailed(R, R.Data.Types.size())) {
    const TypeRow &Of = R.Data.Types[T];
    if (Of.Paths.Nodes.size() < 2 || Shown++ >= DetailedFlows)
      continue;
    for (bool Seen : {true, false}) {
      const FlowSteps Steps =
          flowSteps(Of.Paths, Seen, LeastFlowShare, MostFlowSteps);
      const std::string Prefix = "t" + std::to_string(T) + (Seen ? "n" : "o");
      for (uint32_t S = 0; S < Steps.Rows.size(); ++S) {
        const FlowStep &Step = Steps.Rows[S];
        const std::string Id = Prefix + std::to_string(S);
        Out += "  " + Id + " [label=" +
               quotedDot(Step.Functions.empty()
                             ? Of.Name + (Seen ? "" : " (there before)")
                             : inWords(Step)) +
               (Step.OtherCpu ? ", color=red" : "") + "];\n";
        if (S)
          Out += "  " + Prefix + std::to_string(Step.Parent) + " -> " + Id +
                 " [label=\"" + std::to_string(Step.Objects) + "\"" +
                 (Step.OtherCpu ? ", color=red" : "") + "];\n";
      }
    }
  }
  return Out + "}\n";
}

} // namespace kst
