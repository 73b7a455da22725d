// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/Contexts.h"

#include "hybrid/contexts/ContextSums.h"
#include "hybrid/contexts/PageJudge.h"
#include "hybrid/contexts/PurityCount.h"
#include "hybrid/trace/SampledTrace.h"
#include "hybrid/trace/TraceLimits.h"

#include <algorithm>

namespace kst {
namespace {

constexpr size_t MostRows = 200;

class Reporter {
public:
  Reporter(TraceReader &Trace, const TypeGraph &Graph,
           const ContextsOptions &Options)
      : Trace(Trace), Options(Options),
        Types(Trace.tables(), Graph, Options.Types),
        Owners(Trace.tables(), Types,
               [this](const OwnedObject &Of, uint64_t Time, bool Ended) {
                 finished(Of, Time, Ended);
               }),
        Found(Types.all().size()), Shares(Types.all().size()),
        WindowEvents(std::max<uint64_t>(
            1, Trace.events() / std::max(1u, Options.Windows))) {}

  Result<ContextsReport> run();

private:
  struct TypeSums {
    Attributed Found;
    LifeTimes Lives;
  };
  void finished(const OwnedObject &Of, uint64_t Time, bool Ended);
  void filePage(const OwnedObject &Of, uint64_t Time, bool Ended);
  /// To the sums of a context: of the page cache, or of tmpfs, whose pages have
  /// no events of that and are known by their pointers.
  void addPages(uint32_t Id, const OwnedObject &Of, bool Ended);
  void addLiving(const OwnedObject &Of);
  /// To its numbers of contexts as they are now that no more are joined.
  void nameLiving();
  void endWindow(uint64_t Time);
  void seeSlab(const TraceEvent &E);
  ContextSums &sumsOf(uint32_t Context) {
    if (Context >= ByContext.size())
      ByContext.resize(Context + 1);
    return ByContext[Context];
  }
  OwnerClass &classOf(uint32_t Type);
  std::string shownName(uint32_t Type) const {
    return Type == Types.page() ? "pages of files" : Types[Type].Name;
  }
  std::string pathOf(uint32_t Type) const;
  void judgePages();
  void joinSums();
  void sumClasses();
  OwnerRow rowOf(uint32_t Id) const;
  void rankContexts();
  void rankTypes();
  void rankClasses();
  void finish();

  TraceReader &Trace;
  const ContextsOptions &Options;
  const OwnerTypes Types;
  OwnerTable Owners;
  std::vector<TypeSums> Found;
  std::vector<Purity> Shares;
  std::vector<ContextSums> ByContext; ///< beside OwnerContext
  std::map<uint32_t, OwnerClass> Classes;
  /// Bytes of closed contexts by class and type, summed over windows.
  std::map<std::pair<uint32_t, uint32_t>, double> Stranded;
  PageJudge Pages;
  std::map<uint32_t, uint64_t> FileOf; ///< by context, judged
  std::unordered_map<uint64_t, std::pair<uint64_t, uint32_t>>
      SlabOf; ///< by page: address and bytes of its slab
  const uint64_t WindowEvents;
  ContextsReport Out;
};

OwnerClass &Reporter::classOf(uint32_t Type) {
  OwnerClass &Of = Classes[Type];
  Of.Name = Types[Type].Name;
  return Of;
}

void Reporter::addPages(uint32_t Id, const OwnedObject &Of, bool Ended) {
  sumsOf(Id).pages(Types.page(), Of.SizeBytes, !Ended);
}

void Reporter::filePage(const OwnedObject &Of, uint64_t Time, bool Ended) {
  const uint64_t Lived = Time - Of.CacheBegan;
  auto Add = [&](LifeTimes &To) { Ended ? To.ended(Lived) : To.lives(Lived); };
  Add(Out.FileLives);
  Add(Found[Types.page()].Lives);
  const OwnerGuess Guess = Owners.rooted(Of.Guess);
  Pages.pages(Guess, Of.File, Of.SizeBytes / 4096);
  Found[Types.page()].Found.count(Guess, Of.SizeBytes, Of.Interrupt);
  if (const uint32_t Id = Guess.best()) {
    addPages(Id, Of, Ended);
    Add(classOf(Owners.context(Id).Type).PageLives);
  }
}

void Reporter::addLiving(const OwnedObject &Of) {
  const bool Slab = Types[Of.Type].Slab;
  if (!Slab && !Of.File && !Of.Guess.Pointer)
    return;
  OwnedLiving &Row = Out.Living.Objects.emplace_back();
  Row.Address = Of.Address;
  Row.Number = Of.Number;
  Row.SizeBytes = Of.SizeBytes;
  Row.Type = Types[Of.Type].Name;
  Row.Rule = Of.Guess.rule();
  Row.Guess = Of.Guess;
}

void Reporter::nameLiving() {
  for (OwnedLiving &Row : Out.Living.Objects)
    Row.Guess = Owners.rooted(Row.Guess);
  for (uint32_t Id = 1; Id < Owners.contexts().size(); ++Id) {
    const OwnerContext &Of = Owners.contexts()[Id];
    Out.Living.Contexts.push_back({Types[Of.Type].Name, Of.Anchor, Of.Ended});
  }
}

void Reporter::finished(const OwnedObject &Of, uint64_t Time, bool Ended) {
  if (Options.Living && !Ended)
    addLiving(Of);
  if (!Types[Of.Type].Slab) {
    if (Of.File)
      return filePage(Of, Time, Ended);
    const uint32_t Id = Owners.root(Of.Guess.Pointer);
    if (Of.Page != PageUse::Application || !Of.Seen)
      return;
    if (Id)
      return addPages(Id, Of, Ended);
    Ended ? Out.ApplicationLives.ended(Time - Of.Began)
          : Out.ApplicationLives.lives(Time - Of.Began);
    return;
  }
  if (!Of.Seen)
    return;
  const OwnerGuess Guess = Owners.rooted(Of.Guess);
  TypeSums &To = Found[Of.Type];
  To.Found.count(Guess, Of.SizeBytes, Of.Interrupt);
  To.Found.Changed += Of.Changed;
  const uint64_t Lived = Time - Of.Began;
  auto Add = [&](LifeTimes &In) { Ended ? In.ended(Lived) : In.lives(Lived); };
  Add(To.Lives);
  const uint32_t Id = Guess.best();
  Add(Id ? Out.SlabOwned : Out.SlabOther);
  if (!Id)
    return;
  sumsOf(Id).slab(Of.Type, Of.SizeBytes, !Ended);
  Add(classOf(Owners.context(Id).Type).SlabLives);
}

void Reporter::seeSlab(const TraceEvent &E) {
  if (E.Kind != EventKind::Slab)
    return;
  for (uint64_t Page = E.Address; Page < E.Address + E.SizeBytes; Page += 4096)
    if (E.Value)
      SlabOf[Page] = {E.Address, E.SizeBytes};
    else
      SlabOf.erase(Page);
}

void Reporter::endWindow(uint64_t Time) {
  OwnerWindow Row;
  Row.Time = Time;
  PurityCount Slabs;
  std::map<uint32_t, uint64_t> Now; ///< stranded, by class
  Owners.forEachLive(Time, [&](const OwnedObject &Of) {
    const bool Slab = Types[Of.Type].Slab;
    const bool Tmpfs = Of.Page == PageUse::Application && Of.Guess.Pointer;
    if (!Slab && !Of.File && !Tmpfs)
      return;
    const uint32_t Id = Owners.contextOf(Of);
    if (Slab)
      if (auto At = SlabOf.find(Of.Address & ~uint64_t(4095));
          At != SlabOf.end())
        Slabs.object(At->second.first, At->second.second, Of.Type, Of.Address,
                     Id);
    OwnerWindow::Bytes &To = Slab ? Row.Slab : Row.File;
    if (!Id) {
      To.None += Of.SizeBytes;
      return;
    }
    const OwnerContext &By = Owners.context(Id);
    if (!By.Opens) {
      To.Unopened += Of.SizeBytes;
    } else if (By.Open) {
      To.Open += Of.SizeBytes;
    } else {
      To.Closed += Of.SizeBytes;
      Now[By.Type] += Of.SizeBytes;
      Stranded[{By.Type, Of.Type}] += double(Of.SizeBytes);
    }
  });
  for (auto &[Type, Class] : Classes)
    Class.StrandedAtEnd = 0;
  for (const auto &[Type, Bytes] : Now) {
    OwnerClass &Of = classOf(Type);
    Of.StrandedMean += double(Bytes);
    Of.StrandedMost = std::max(Of.StrandedMost, Bytes);
    Of.StrandedAtEnd = Bytes;
  }
  Slabs.addTo(Shares);
  Out.Windows.push_back(Row);
}

void Reporter::judgePages() {
  PageJudge::Verdict Of =
      Pages.judge([this](uint32_t Id) { return Owners.root(Id); });
  Out.Truth = Of.Truth;
  Out.MixedContexts = Of.MixedContexts;
  Out.NamedContexts = Of.FileOf.size();
  FileOf = std::move(Of.FileOf);
}

/// What was counted for a context before it turned out to be part of another.
void Reporter::joinSums() {
  const auto &All = Owners.contexts();
  ByContext.resize(std::max(ByContext.size(), All.size()));
  for (uint32_t Id = 1; Id < All.size(); ++Id)
    if (const uint32_t Root = Owners.root(Id); Root != Id)
      ByContext[Root] += ByContext[Id];
}

void Reporter::sumClasses() {
  std::map<std::pair<uint32_t, uint32_t>, OwnerClass::Part> Parts;
  const auto &All = Owners.contexts();
  for (uint32_t Id = 1; Id < All.size(); ++Id) {
    if (Owners.root(Id) != Id)
      continue;
    const OwnerContext &Of = All[Id];
    const ContextSums &Has = ByContext[Id];
    OwnerClass &To = classOf(Of.Type);
    ++To.Contexts;
    To.Opened += Of.Opens != 0;
    To.Reopened += Of.Opens > 1;
    To.Ended += Of.Ended;
    To.ClosedAtEnd += Of.isClosed() && !Of.Ended;
    To.SlabObjects += Has.SlabObjects;
    To.SlabBytes += Has.SlabBytes;
    To.FilePages += Has.FilePages;
    To.FileBytes += Has.FileBytes;
    To.Accesses += Of.Accesses;
    To.BetweenAccesses += Of.BetweenAccesses;
    To.LateAccesses += Of.LateAccesses;
    for (const ContextSums::Part &Part : Has.Parts) {
      OwnerClass::Part &Sum = Parts[{Of.Type, Part.Type}];
      Sum.Objects += Part.Objects;
      Sum.Bytes += Part.Bytes;
    }
  }
  for (const auto &[Key, Bytes] : Stranded)
    Parts[Key].StrandedMean = Bytes / double(Out.Windows.size());
  for (auto &[Key, Part] : Parts) {
    Part.Type = shownName(Key.second);
    classOf(Key.first).Parts.push_back(std::move(Part));
  }
}

OwnerRow Reporter::rowOf(uint32_t Id) const {
  const OwnerContext &Of = Owners.context(Id);
  const ContextSums &Has = ByContext[Id];
  OwnerRow Row;
  Row.Class = Types[Of.Type].Name;
  Row.Anchor = Of.Anchor;
  if (auto At = FileOf.find(Id); At != FileOf.end()) {
    Row.Named = true;
    std::tie(Row.Device, Row.Inode) = Owners.files()[At->second - 1];
  }
  Row.Opens = Of.Opens;
  Row.SlabObjects = Has.SlabObjects;
  Row.SlabBytes = Has.SlabBytes;
  Row.FilePages = Has.FilePages;
  Row.LiveBytesAtEnd = Has.LiveBytes;
  Row.LateAccesses = Of.LateAccesses;
  Row.Closed = Of.isClosed();
  Row.Ended = Of.Ended;
  return Row;
}

void Reporter::rankContexts() {
  for (uint32_t Id = 1; Id < Owners.contexts().size(); ++Id)
    if (Owners.root(Id) == Id)
      Out.Largest.push_back(rowOf(Id));
  auto Bytes = [](const OwnerRow &Of) {
    return Of.SlabBytes + Of.FilePages * 4096;
  };
  std::stable_sort(Out.Largest.begin(), Out.Largest.end(),
                   [&](auto &A, auto &B) { return Bytes(A) > Bytes(B); });
  Out.Largest.resize(std::min(Out.Largest.size(), MostRows));
}

/// A type without ways has guesses (OwnerType::Inward): they are told if they
/// led somewhere.
std::string Reporter::pathOf(uint32_t Type) const {
  const OwnerType &Of = Types[Type];
  if (Of.IsAnchor)
    return Of.Path.empty() ? "itself" : Of.Path;
  return Of.Inward || Found[Type].Found.Alone[size_t(OwnerRule::Pointer)]
             ? Of.Path
             : "";
}

void Reporter::rankTypes() {
  for (uint32_t T = 0; T < Found.size(); ++T) {
    (T == Types.page() ? Out.FilePages : Out.Slab) += Found[T].Found;
    if (!Found[T].Found.objects())
      continue;
    OwnedType &To = Out.Types.emplace_back();
    To.Name = shownName(T);
    To.Path = pathOf(T);
    To.Found = Found[T].Found;
    To.Lives = Found[T].Lives;
    To.Pages = Shares[T];
  }
  std::stable_sort(Out.Types.begin(), Out.Types.end(), [](auto &A, auto &B) {
    return A.Found.bytes() > B.Found.bytes();
  });
}

void Reporter::rankClasses() {
  for (auto &[Type, Class] : Classes) {
    Class.StrandedMean /= double(std::max<size_t>(1, Out.Windows.size()));
    std::stable_sort(Class.Parts.begin(), Class.Parts.end(),
                     [](auto &A, auto &B) { return A.Bytes > B.Bytes; });
    Out.Classes.push_back(std::move(Class));
  }
  std::stable_sort(
      Out.Classes.begin(), Out.Classes.end(), [](auto &A, auto &B) {
        return A.SlabBytes + A.FileBytes > B.SlabBytes + B.FileBytes;
      });
}

Result<ContextsReport> Reporter::run() {
  TraceEvent E;
  uint64_t Last = 0;
  while (Trace.next(E)) {
    seeSlab(E);
    Owners.apply(E);
    Last = std::max(Last, E.Time);
    if (++Out.Events % WindowEvents == 0)
      endWindow(Last);
  }
  if (Trace.failure())
    return *Trace.failure();
  if (!Out.Events)
    return Failure{"holds no event"};
  Owners.finish(Last);
  finish();
  return std::move(Out);
}

void Reporter::finish() {
  judgePages();
  joinSums();
  sumClasses();
  rankContexts();
  rankTypes();
  rankClasses();
  if (Options.Living)
    nameLiving();
  const Profile &About = Trace.about();
  Out.Lost = Trace.lost();
  Out.Complete = Trace.complete();
  Out.Limits = recordedPart(About);
  Out.Samples = accessesAreSamples(About);
  Out.Pointers = Owners.sawPointers();
  Out.Descriptors = Owners.sawDescriptors();
  Out.PageCache = Owners.sawPageCache();
  Out.Misfits = Types.misfits();
  Out.Anchors = Options.Types.Anchors;
  for (const auto &[Key, To] :
       {std::pair{"label", &Out.Label}, std::pair{"clock", &Out.Clock}})
    if (auto At = About.Text.find(Key); At != About.Text.end())
      *To = At->second;
}

} // namespace

Result<ContextsReport> contextsReport(TraceReader &Trace,
                                      const TypeGraph &Graph,
                                      const ContextsOptions &Options) {
  return Reporter(Trace, Graph, Options).run();
}

} // namespace kst
