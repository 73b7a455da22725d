// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/fieldorder/PatchText.h"

#include "hybrid/fieldorder/EvidenceWords.h"
#include "hybrid/fieldorder/LayoutView.h"
#include "hybrid/fieldorder/PathView.h"
#include "hybrid/fieldorder/RuleSentences.h"
#include "hybrid/fieldorder/WorseView.h"
#include "hybrid/report/Numbers.h"
#include "hybrid/report/Render.h"

#include <algorithm>
#include <utility>

namespace kst {

namespace {

constexpr size_t MailColumns = 75, PathRows = 12;

const TextOptions Mail{.Width = MailColumns};

std::string wrapped(const std::string &Text, size_t Indent = 0) {
  return toText(Paragraph{Text}, Mail, Indent);
}

/// The first column stands left, others right.
Table columns(const std::vector<const char *> &Names) {
  Table T;
  for (const char *Name : Names)
    T.Columns.push_back({Name, !T.Columns.empty()});
  return T;
}

std::string arrow(const std::string &Before, const std::string &After) {
  return Before == After ? Before : Before + " -> " + After;
}

/// Names of the fields that the proposal moves, in any configuration.
std::vector<std::string> movedNames(const Advice &Layouts) {
  std::vector<std::string> Names;
  for (const FrontierPoint &P : Layouts.Frontier)
    if (P.TotalCost <= Layouts.ObjectiveNew * (1 + 1e-9)) {
      for (const std::string &Name : P.Moved)
        if (!Name.empty())
          Names.push_back(Name);
      break;
    }
  return Names;
}

std::string joined(const std::vector<std::string> &Names) {
  std::string Text;
  for (const std::string &Name : Names)
    Text += (Text.empty() ? "" : ", ") + Name;
  return Text;
}

/// "pipe (6.12.117, 2 CPUs)" of a profile.
std::string workloadText(const ProfileCoverage &P) {
  auto Of = [&](const char *Key) {
    auto It = P.Text.find(Key);
    return It == P.Text.end() ? std::string() : It->second;
  };
  // Not the path of a file: that is the sender's business.
  std::string Name = Of("label"), Where = Of("release");
  if (Name.empty())
    Name = P.Name.substr(P.Name.rfind('/') + 1);
  if (!Of("cpus").empty())
    Where += (Where.empty() ? "" : ", ") + Of("cpus") + " CPUs";
  if (std::string Transfer = transferWords(P.Transfer); !Transfer.empty())
    Where += (Where.empty() ? "" : ", ") + Transfer;
  return Where.empty() ? Name : Name + " (" + Where + ")";
}

/// How it is known how often paths run.
std::string frequencyText(const Coverage &Covered) {
  if (Covered.Profiles.empty() && !Covered.Reference.empty())
    return "How often paths run is taken from recordings of other workloads (" +
           Covered.Reference +
           ") and, where they say nothing, estimated from the source; no time "
           "was taken.";
  if (Covered.Profiles.empty())
    return "How often paths run is estimated from the source, not measured; "
           "no workload was run and no time was taken.";
  std::vector<std::string> Names;
  for (const ProfileCoverage &P : Covered.Profiles)
    Names.push_back(workloadText(P));
  const std::string Others =
      Covered.Reference.empty()
          ? "estimated from the source"
          : "taken from recordings of other workloads (" + Covered.Reference +
                ") or estimated from the source";
  return "How often paths run was measured in a run of " + joined(Names) +
         (Covered.Static ? "; of paths that no run reached or no counter saw "
                           "it is " +
                               Others
                         : "; paths that no run reached count nothing") +
         ". No time was taken.";
}

std::string evidenceText(const Report &Of, bool WithDraws = true) {
  const Coverage &Covered = Of.Evidence.Covered;
  uint64_t Dropped = 0;
  for (const auto &[Reason, Count] : Covered.AccessesDropped)
    Dropped += Count;
  std::string Text =
      "Evidence: static analysis of " + counted(Covered.UnitsParsed, "file") +
      " (" + std::to_string(Covered.UnitsFailed.size()) + " failed), " +
      (Covered.FunctionsUnread.empty()
           ? std::string()
           : counted(Covered.FunctionsUnread.size(), "function") +
                 " not read, ") +
      std::to_string(Covered.AccessesResolved) +
      " accesses attributed to a field, " + std::to_string(Dropped) + " not. " +
      frequencyText(Covered);
  if (std::string Guessed = guessedWords(Of.Evidence); !Guessed.empty())
    Text += " " + Guessed + ".";
  if (WithDraws && Of.Layouts.Weights.Draws)
    Text += " With every path's weight drawn at random between 1/" +
            brief(Of.Layouts.Weights.Factor) + " and " +
            brief(Of.Layouts.Weights.Factor) +
            " times its estimate, the new order costs less in " +
            percent(Of.Layouts.Weights.Survives) + " of " +
            std::to_string(Of.Layouts.Weights.Draws) + " draws.";
  return wrapped(Text);
}

/// What was obeyed and lifted, and whose rules are not known.
std::string rulesText(const Report &Of) {
  std::vector<std::string> Paragraphs = ruleSentences(Of);
  if (std::string Also = alsoChangedSentence(Of); !Also.empty())
    Paragraphs.push_back(std::move(Also));
  if (std::string Opaque = opaqueSentence(Of); !Opaque.empty())
    Paragraphs.push_back("NOT KNOWN: " + Opaque);
  for (const UnanalyzedUsers &Seen : Of.SeenBy)
    if (std::string Missed = missedSentence(Seen, Of.SeenBy.size() > 1);
        !Missed.empty())
      Paragraphs.push_back(std::move(Missed));
  std::string Text;
  for (const std::string &Paragraph : Paragraphs)
    Text += wrapped(Paragraph) + "\n";
  return Text;
}

std::string pathsText(const Report &Of) {
  Table T = columns({"path", "share", "lines"});
  for (const PathView &Path : notablePaths(pathsOf(Of), PathRows))
    T.Rows.push_back({{Path.Where.Function + "()", percent(Path.Share),
                       arrow(fixed(Path.Before, 2), fixed(Path.After, 2))}});
  if (T.Rows.empty())
    return {};
  return "Cache lines that one visit is expected to touch; share of all "
         "visits:\n\n" +
         toText(T, Mail, 2) + "\n";
}

std::string targetsText(const Report &Of) {
  Table Shown =
      columns({"target", "line", "size", "bytes in holes", "model cost"});
  for (const ConfigScore &T : Of.Layouts.Configs) {
    LayoutView Before = placesOf(T.Record, T.Current);
    LayoutView After = placesOf(T.Record, T.Proposed);
    auto Holes = [](const LayoutView &V) {
      return std::to_string(V.HoleBits / 8 + V.PaddingBytes);
    };
    Shown.Rows.push_back(
        {{T.Triple.substr(0, T.Triple.find('-')) + (T.Shared ? ", shared" : ""),
          std::to_string(T.LineBytes),
          arrow(std::to_string(T.Current.SizeBytes),
                std::to_string(T.Proposed.SizeBytes)),
          arrow(Holes(Before), Holes(After)),
          change(T.Now.total(), T.New.total())}});
  }
  return "Offsets in every configuration looked at:\n\n" +
         toText(Shown, Mail, 2);
}

/// What a maintainer would otherwise find out alone.
std::string worseText(const Report &Of) {
  const ReportView View(Of);
  std::vector<std::string> Worse = worseOf(View, PathRows);
  if (Worse.empty())
    return wrapped(worseWords(View).front());
  std::string Text = "What gets worse:\n\n";
  for (const std::string &Phrase : Worse)
    Text += wrapped(Phrase, 2);
  return Text;
}

std::string taggedName(const RecordInfo &Record) {
  return (Record.Union ? "union " : "struct ") + Record.Name;
}

/// What moves in one struct, and what that is worth.
std::string bodyText(const Report &Of, const PatchGroups &Groups) {
  const RecordInfo &Record = Of.Evidence.Record;
  std::vector<std::string> Moved = movedNames(Of.Layouts);
  const Advice &Layouts = Of.Layouts;

  std::string Text =
      wrapped("Move " + counted(Moved.size(), "field") + " of " +
              taggedName(Record) + " (" + Record.File +
              ") so that fields used together share cache lines, and "
              "fields written by one CPU lie apart from what others read. " +
              (Groups.Names.empty() ? "No field is added, removed or changed."
                                    : "No field is removed or changed."));
  if (!Groups.Names.empty())
    Text +=
        "\n" +
        wrapped("Added: markers of " +
                counted(Groups.Names.size(), "cacheline group") +
                ", members that occupy nothing: " + joined(Groups.Names) + ".");
  Text += "\n" + wrapped("Moved: " + joined(Moved) + ".") + "\n";
  Text += pathsText(Of) + targetsText(Of) + "\n" + worseText(Of) + "\n";
  const std::string Users = ownershipWords(Of.Evidence.Users, false);
  const double Visits = Layouts.Configs.empty() ? 0 : Layouts.Configs[0].Visits;
  auto Cycles = [&](double Cost) {
    return fixed(Visits > 0 ? Cost / Visits : Cost, 1);
  };
  Text += wrapped("Model cost: " + Cycles(Layouts.ObjectiveNow) + " -> " +
                  Cycles(Layouts.ObjectiveNew) + " cycles a visit (" +
                  change(Layouts.ObjectiveNow, Layouts.ObjectiveNew) +
                  "): " + fixed(Of.LineCycles, 0) + " for a line touched, " +
                  fixed(Of.LostCycles, 0) +
                  " more for one that another CPU has taken (" + Of.On.Name +
                  ")." + (Users.empty() ? "" : " Users of an object: ") +
                  Users + (Users.empty() ? "" : "."));
  return Text + "\n" + evidenceText(Of) + "\n" + rulesText(Of);
}

/// Of an order for tests: nobody shall take it for a proposal.
std::string testText(const Report &Of) {
  const RecordInfo &Record = Of.Evidence.Record;
  Table Sizes = columns({"target", "size"});
  for (size_t C = 0; C != Of.InPatch->Layouts.size(); ++C) {
    const ConfigScore &In = Of.Layouts.Configs[C];
    Sizes.Rows.push_back(
        {{In.Triple.substr(0, In.Triple.find('-')),
          arrow(std::to_string(In.Current.SizeBytes),
                std::to_string(Of.InPatch->Layouts[C].SizeBytes))}});
  }
  return wrapped("FOR TESTS ONLY, not a proposal: a random order of " +
                 taggedName(Record) + " (" + Record.File + "), seed " +
                 std::to_string(Of.InPatch->Seed) +
                 ", that obeys all rules that are known. It is slower than "
                 "the present one as likely as not. A test that fails with it "
                 "and passes without shows code that relies on the order.") +
         "\n" + toText(Sizes, Mail, 2) + "\n" + rulesText(Of);
}

/// Of fields that get a line of their own.
std::string alignedText(const Report &Of) {
  const RecordInfo &Record = Of.Evidence.Record;
  const PatchOrder &New = *Of.InPatch;
  Table Sizes = columns({"target", "size"});
  for (size_t C = 0; C != New.Layouts.size(); ++C) {
    const ConfigScore &In = Of.Layouts.Configs[C];
    Sizes.Rows.push_back({{In.Triple.substr(0, In.Triple.find('-')),
                           arrow(std::to_string(In.Current.SizeBytes),
                                 std::to_string(New.Layouts[C].SizeBytes))}});
  }
  const double Visits =
      Of.Layouts.Configs.empty() ? 0 : Of.Layouts.Configs[0].Visits;
  auto Cycles = [&](double Cost) {
    return fixed(Visits > 0 ? Cost / Visits : Cost, 1);
  };
  return wrapped("Put " + joined(New.Aligned) + " of " + taggedName(Record) +
                 " (" + Record.File +
                 ") on a line without other fields, behind all of them: what "
                 "is written there takes no line away from those who use the "
                 "rest.") +
         "\n" + toText(Sizes, Mail, 2) + "\n" +
         wrapped("Model cost: " + Cycles(Of.Layouts.ObjectiveNow) + " -> " +
                 Cycles(New.Objective) + " cycles a visit (" +
                 change(Of.Layouts.ObjectiveNow, New.Objective) + ", " +
                 Of.On.Name +
                 "), of objects that begin on a line: whoever allocates them "
                 "has to see to that." +
                 (New.Objective > Of.Layouts.ObjectiveNow
                      ? " By the model it costs more than it saves."
                      : "")) +
         "\n" + evidenceText(Of, /*WithDraws=*/false) + "\n" + rulesText(Of);
}

std::string textOf(const PatchPart &Part) {
  if (!Part.Of->InPatch)
    return bodyText(*Part.Of, Part.Groups);
  return Part.Of->InPatch->Aligned.empty() ? testText(*Part.Of)
                                           : alignedText(*Part.Of);
}

} // namespace

std::string assertAdvice() {
  return "Not in this diff: assertions that keep the groups together. They go "
         "into a function, best an init function of a .c file that includes "
         "the header. None is about a group's size "
         "(CACHELINE_ASSERT_GROUP_SIZE): a size that holds in one "
         "configuration can break the build of others, 32-bit ones first.";
}

std::string toPatchText(const std::vector<PatchPart> &Parts) {
  const Report &First = *Parts.front().Of;
  const bool Test = std::ranges::any_of(Parts, [](const PatchPart &Part) {
    return Part.Of->InPatch && Part.Of->InPatch->Aligned.empty();
  });
  const bool Align = std::ranges::all_of(Parts, [](const PatchPart &Part) {
    return Part.Of->InPatch && !Part.Of->InPatch->Aligned.empty();
  });
  std::string Text = Test ? "Subject: [PATCH TEST ONLY] " : "Subject: [PATCH] ";
  const char *Does = Align ? "part" : "reorder";
  Text += Parts.size() == 1 ? taggedName(First.Evidence.Record) + ": " + Does
          : Align           ? "Part"
                            : "Reorder";
  Text += " fields ";
  if (Parts.size() > 1)
    Text += "of " + std::to_string(Parts.size()) + " structs ";
  Text += Test    ? "at random\n\n"
          : Align ? "by an alignment\n\n"
                  : "by the cache lines they share\n\n";
  for (const PatchPart &Part : Parts)
    Text += textOf(Part);
  Text += wrapped((Test ? "Made by" : "Suggested by") +
                  std::string(" kstatic-affinity ") + First.Tool.Version +
                  " (LLVM " + First.Tool.Llvm +
                  "). The compiler's front end gave the offsets above on the "
                  "changed " +
                  (Parts.size() == 1 ? "header." : "headers."));
  Text += "---\n";
  bool Noted = false;
  for (const PatchPart &Part : Parts)
    for (const std::string &Note : Part.Notes) {
      Text += wrapped("Note: " + Note);
      Noted = true;
    }
  if (Noted)
    Text += "\n";
  bool Advised = false;
  for (const PatchPart &Part : Parts) {
    if (Part.Groups.Asserts.empty())
      continue;
    if (!std::exchange(Advised, true))
      Text += wrapped(assertAdvice());
    Text += "\n" + Part.Groups.Asserts;
  }
  if (Advised)
    Text += "\n";
  return Text;
}

} // namespace kst
