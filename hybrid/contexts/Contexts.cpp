// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/contexts/Contexts.h"

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
  /// What the trace says of one context, beside OwnerContext.
  struct Sums {
    uint64_t SlabObjects = 0, SlabBytes = 0, FilePages = 0, FileBytes = 0,
             LiveBytes = 0;
  };
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
  Sums &sumsOf(uint32_t Context) {
    if (Context >= ByContext.size())
      ByContext.resize(Context + 1);
    return ByContext[Context];
  }
  OwnerClass &classOf(uint32_t Type);
  ContextsReport finish();
  void judge();

  TraceReader &Trace;
  const ContextsOptions &Options;
  const OwnerTypes Types;
  OwnerTable Owners;
  std::vector<TypeSums> Found;
  std::vector<Purity> Shares;
  std::vector<Sums> ByContext;
  std::map<uint32_t, OwnerClass> Classes;
  /// Pages whose context by a rule was this, and whose file was that.
  std::array<std::map<std::pair<uint32_t, uint64_t>, uint64_t>, OwnerRules>
      Pages;
  uint64_t FilePages = 0;
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
  Sums &To = sumsOf(Id);
  To.FilePages += Of.SizeBytes / 4096;
  To.FileBytes += Of.SizeBytes;
  To.LiveBytes += Ended ? 0 : Of.SizeBytes;
}

void Reporter::filePage(const OwnedObject &Of, uint64_t Time, bool Ended) {
  const uint64_t Lived = Time - Of.CacheBegan;
  auto Add = [&](LifeTimes &To) { Ended ? To.ended(Lived) : To.lives(Lived); };
  Add(Out.FileLives);
  Add(Found[Types.page()].Lives);
  const uint64_t Number = Of.SizeBytes / 4096;
  FilePages += Number;
  OwnerGuess Guess = Of.Guess;
  for (uint32_t *Id : {&Guess.Pointer, &Guess.Call, &Guess.Task})
    *Id = Owners.root(*Id);
  auto Said = [&](OwnerRule Rule, uint32_t Id) {
    if (Id)
      Pages[size_t(Rule)][{Id, Of.File}] += Number;
  };
  Said(OwnerRule::Pointer, Guess.Pointer);
  Said(OwnerRule::Call, Guess.Call);
  Said(OwnerRule::Task, Guess.Task);
  Said(OwnerRule::None, Guess.best());
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
    for (uint32_t *Id : {&Row.Guess.Pointer, &Row.Guess.Call, &Row.Guess.Task})
      *Id = Owners.root(*Id);
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
  OwnerGuess Guess = Of.Guess;
  for (uint32_t *Id : {&Guess.Pointer, &Guess.Call, &Guess.Task})
    *Id = Owners.root(*Id);
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
  Sums &By = sumsOf(Id);
  ++By.SlabObjects;
  By.SlabBytes += Of.SizeBytes;
  By.LiveBytes += Ended ? 0 : Of.SizeBytes;
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
  std::map<uint32_t, uint64_t> Stranded; ///< by class
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
      Stranded[By.Type] += Of.SizeBytes;
      classOf(By.Type).StrandedTypes[Of.Type] += double(Of.SizeBytes);
    }
  });
  for (auto &[Type, Class] : Classes)
    Class.StrandedAtEnd = 0;
  for (const auto &[Type, Bytes] : Stranded) {
    OwnerClass &Of = classOf(Type);
    Of.StrandedMean += double(Bytes);
    Of.StrandedMost = std::max(Of.StrandedMost, Bytes);
    Of.StrandedAtEnd = Bytes;
  }
  Slabs.addTo(Shares);
  Out.Windows.push_back(Row);
}

/// A context is of the file that most of its pages are of; by pointers, since
/// these are of the page itself.
void Reporter::judge() {
  std::map<uint32_t, std::map<uint64_t, uint64_t>> Files;
  for (const auto &[Key, Number] : Pages[size_t(OwnerRule::Pointer)])
    Files[Owners.root(Key.first)][Key.second] += Number;
  std::map<uint32_t, uint64_t> FileOf;
  for (const auto &[Id, Of] : Files) {
    auto Most = std::max_element(Of.begin(), Of.end(), [](auto &A, auto &B) {
      return A.second < B.second;
    });
    FileOf[Id] = Most->first;
    Out.MixedContexts += Of.size() > 1;
  }
  Out.NamedContexts = Files.size();
  for (size_t R = 0; R < OwnerRules; ++R) {
    Out.Truth[R].Pages = FilePages;
    for (const auto &[Key, Number] : Pages[R]) {
      Out.Truth[R].Said += Number;
      auto At = FileOf.find(Owners.root(Key.first));
      if (At != FileOf.end() && At->second == Key.second)
        Out.Truth[R].Right += Number;
    }
  }
  const auto &All = Owners.contexts();
  ByContext.resize(std::max(ByContext.size(), All.size()));
  for (uint32_t Id = 1; Id < All.size(); ++Id)
    if (const uint32_t Root = Owners.root(Id); Root != Id) {
      Sums &To = ByContext[Root];
      const Sums &Part = ByContext[Id];
      To.SlabObjects += Part.SlabObjects;
      To.SlabBytes += Part.SlabBytes;
      To.FilePages += Part.FilePages;
      To.FileBytes += Part.FileBytes;
      To.LiveBytes += Part.LiveBytes;
    }
  for (uint32_t Id = 1; Id < All.size(); ++Id) {
    if (Owners.root(Id) != Id)
      continue;
    const OwnerContext &Of = All[Id];
    const Sums &Has = ByContext[Id];
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
    Out.Largest.push_back(Row);
  }
  auto Bytes = [](const OwnerRow &Of) {
    return Of.SlabBytes + Of.FilePages * 4096;
  };
  std::stable_sort(Out.Largest.begin(), Out.Largest.end(),
                   [&](auto &A, auto &B) { return Bytes(A) > Bytes(B); });
  Out.Largest.resize(std::min(Out.Largest.size(), MostRows));
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
  judge();
  if (Options.Living)
    nameLiving();
  return finish();
}

ContextsReport Reporter::finish() {
  const Profile &About = Trace.about();
  Out.Lost = Trace.lost();
  Out.Complete = Trace.complete();
  Out.Limits = traceLimits(About);
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
  for (uint32_t T = 0; T < Found.size(); ++T) {
    const bool Page = T == Types.page();
    (Page ? Out.FilePages : Out.Slab) += Found[T].Found;
    if (!Found[T].Found.objects())
      continue;
    OwnedType &To = Out.Types.emplace_back();
    To.Name = Page ? "pages of files" : Types[T].Name;
    To.Path =
        Types[T].IsAnchor && Types[T].Path.empty() ? "itself" : Types[T].Path;
    To.Found = Found[T].Found;
    To.Lives = Found[T].Lives;
    To.Pages = Shares[T];
  }
  std::stable_sort(Out.Types.begin(), Out.Types.end(), [](auto &A, auto &B) {
    return A.Found.bytes() > B.Found.bytes();
  });
  for (auto &[Type, Class] : Classes) {
    Class.StrandedMean /= double(std::max<size_t>(1, Out.Windows.size()));
    Out.Classes.push_back(std::move(Class));
  }
  std::stable_sort(
      Out.Classes.begin(), Out.Classes.end(), [](auto &A, auto &B) {
        return A.SlabBytes + A.FileBytes > B.SlabBytes + B.FileBytes;
      });
  return std::move(Out);
}

} // namespace

Result<ContextsReport> contextsReport(TraceReader &Trace,
                                      const TypeGraph &Graph,
                                      const ContextsOptions &Options) {
  return Reporter(Trace, Graph, Options).run();
}

} // namespace kst
