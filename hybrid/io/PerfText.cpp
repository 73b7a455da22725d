// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/io/PerfText.h"

#include "hybrid/io/ProfileBuilder.h"
#include "hybrid/io/ProfileOrder.h"
#include "hybrid/io/TextLines.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace kst {
namespace {

constexpr size_t MostWords = 64;
constexpr size_t BytesToLookAt = 1 << 16; ///< for what the text is

bool hexText(std::string_view Text) {
  return !Text.empty() && Text.size() <= 16 &&
         Text.find_first_not_of("0123456789abcdef") == Text.npos;
}

/// Decimal, or hexadecimal with 0x: as printf's %#x.
std::optional<uint32_t> offsetOf(std::string_view Text) {
  auto Value =
      Text.starts_with("0x") ? numberOf(Text.substr(2), 16) : numberOf(Text);
  if (!Value || *Value > ~0u)
    return std::nullopt;
  return static_cast<uint32_t>(*Value);
}

/// A place in a struct, by name, by offset, or both.
struct TypedPlace {
  std::string_view Struct, Field;
  uint32_t OffsetBytes = 0;
};

bool identifier(std::string_view Text, std::string_view More = {}) {
  return !Text.empty() && !(Text[0] >= '0' && Text[0] <= '9') &&
         std::all_of(Text.begin(), Text.end(), [&](char C) {
           return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
                  (C >= '0' && C <= '9') || C == '_' ||
                  More.find(C) != More.npos;
         });
}

/// "struct rq +0x18 (cfs.nr_running)" or "struct rq.nr_running", from word At
/// on; "struct" may be missing.
std::optional<TypedPlace> placeAt(const std::vector<std::string_view> &Words,
                                  size_t At) {
  if (At < Words.size() && (Words[At] == "struct" || Words[At] == "union"))
    ++At;
  if (At >= Words.size())
    return std::nullopt;
  TypedPlace Out;
  if (At + 1 < Words.size() && Words[At + 1].starts_with('+')) {
    auto Offset = offsetOf(Words[At + 1].substr(1));
    if (!Offset || !identifier(Words[At]))
      return std::nullopt;
    Out.Struct = Words[At];
    Out.OffsetBytes = *Offset;
    if (At + 2 < Words.size() && Words[At + 2].starts_with('(') &&
        Words[At + 2].ends_with(')'))
      Out.Field = Words[At + 2].substr(1, Words[At + 2].size() - 2);
    return Out;
  }
  size_t Dot = Words[At].find('.');
  if (Dot == Words[At].npos || !identifier(Words[At].substr(0, Dot)) ||
      !identifier(Words[At].substr(Dot + 1), ".[]|"))
    return std::nullopt;
  Out.Struct = Words[At].substr(0, Dot);
  Out.Field = Words[At].substr(Dot + 1);
  return Out;
}

/// One sample of `perf script`, or its first line.
struct Sample {
  bool HasIp = false; ///< else a call chain follows
  std::string_view Symbol;
  bool Kernel = false, DataAddress = false, Store = false;
  std::optional<uint64_t> TimeNs;
  std::string_view Event;
  std::optional<TypedPlace> Place;
};

bool kernelDso(std::string_view Dso) {
  return Dso.find("kernel") != Dso.npos || Dso.find("vmlinux") != Dso.npos ||
         Dso.find(".ko") != Dso.npos;
}

/// The instruction pointer and what follows, in words From.. of a line. False
/// if there is none. Atop a chain and without one the form is the same.
bool readIp(const std::vector<std::string_view> &Words, size_t From,
            Sample &Out) {
  // The last address that has a symbol behind it: other columns may come
  // before.
  auto Symbol = [&](size_t I) {
    if (I >= Words.size() || Words[I][0] == '(' || Words[I][0] == '|' ||
        (Words[I][0] == '[' && Words[I] != "[unknown]"))
      return false;
    // A function may be called like a number: "add", "feed".
    bool Address = hexText(Words[I]) && Words[I].size() > 4;
    return !Address || I + 1 == Words.size() || Words[I + 1][0] == '(';
  };
  size_t Ip = Words.size();
  for (size_t I = From; I < Words.size(); ++I)
    if (hexText(Words[I]) && (I == From || Words[I].size() >= 4) &&
        Symbol(I + 1))
      Ip = I;
  if (Ip == Words.size())
    return false;
  Out.HasIp = true;
  Out.Symbol = Words[Ip + 1];
  Out.Kernel = *numberOf(Words[Ip], 16) >> 63;
  Out.DataAddress =
      Ip > From && Words[From].size() >= 8 && hexText(Words[From]);
  for (size_t I = From; I < Ip; ++I)
    Out.Store |= Words[I].find("STORE") != std::string_view::npos;
  size_t After = Ip + 2;
  if (After < Words.size() && Words[After].starts_with('(')) {
    Out.Kernel |= kernelDso(Words[After]);
    while (After < Words.size() && !Words[After].ends_with(')'))
      ++After;
    ++After;
  }
  if (After < Words.size())
    Out.Place = placeAt(Words, After);
  return true;
}

/// A line with time or event, each with a colon behind it.
std::optional<Sample> sampleOf(std::string_view Line,
                               const std::vector<std::string_view> &Words) {
  Sample Out;
  size_t Rest = 0;
  for (size_t I = 0; I < Words.size() && !Rest; ++I)
    if (Words[I].ends_with(':') && (Out.TimeNs = nanosecondsOf(Words[I])))
      Rest = I + 1;
  bool Time = Rest;
  for (size_t I = Rest; I < Words.size(); ++I)
    if (Words[I].size() > 1 && Words[I].ends_with(':')) {
      Out.Event = Words[I].substr(0, Words[I].size() - 1);
      Out.Store = Out.Event.find("store") != Out.Event.npos;
      Rest = I + 1;
      break;
    }
  if (!Time && Out.Event.empty())
    return std::nullopt;
  if (Rest < Words.size() && !readIp(Words, Rest, Out))
    return std::nullopt; // a tracepoint's text, a record of another kind
  return Out;
}

class Reader {
public:
  explicit Reader(std::string_view Text) : Text(Text) {}

  Result<ImportedPerf> run();
  /// Stops at the first sample.
  bool anySample();

private:
  struct Counts {
    uint64_t Kernel = 0, User = 0;
  };
  struct Annotated {
    std::string Struct; ///< empty: in no block
    uint32_t Index = 0;
    bool Known = false; ///< Index is its number
    double Samples = 0;
    bool Kernel = false;      ///< by the name of the program
    bool Exact = false;       ///< the column counts samples
    std::vector<bool> Stores; ///< by column
    std::vector<std::string> Path;
  };

  void line(std::string_view Line);
  bool comment(std::string_view Line);
  bool annotated(std::string_view Line);
  bool annotatedRow(std::string_view Line);
  bool reported(std::string_view Line);
  bool scripted(std::string_view Line);
  void take(const Sample &S);
  void field(uint32_t Struct, const TypedPlace &Place, uint32_t SizeBytes,
             std::string_view Function, bool Kernel, bool Store,
             uint64_t Count);
  void makeSites(bool Kernel);
  uint32_t structId(std::string_view Name, uint32_t SizeBytes);
  void add(uint64_t &To, uint64_t Count) {
    if (__builtin_add_overflow(To, Count, &To))
      Overflow = true;
  }
  void findChains();

  std::string_view Text;
  PerfNotes Notes;
  ProfileBuilder Make;
  std::map<std::string, Counts, std::less<>> Functions;
  std::map<std::pair<std::string, uint32_t>, uint32_t> Structs;
  using SiteKey =
      std::tuple<uint32_t, TextId, TextId, uint32_t, uint32_t, uint32_t,
                 uint32_t, uint16_t, uint16_t, TextId, SiteKind, uint16_t>;
  std::map<SiteKey, Counts> Fields;
  std::set<std::string, std::less<>> Events;
  std::vector<std::string_view> Words;
  Annotated Block;
  bool Chains = false;  ///< samples without a head line end at empty lines
  bool Heads = false;   ///< a head line was seen
  bool Pending = false; ///< the next frame is the sample
  bool InChain = false;
  Sample Head;
  uint64_t First = ~uint64_t(0), Last = 0;
  uint64_t WithoutCount = 0;
  bool Overflow = false;
};

void Reader::findChains() {
  std::string_view Some = Text.substr(0, BytesToLookAt);
  bool Frame = false;
  while (!Some.empty() && !Chains) {
    std::string_view Line = takeLine(Some);
    if (trimmed(Line).empty())
      Chains = Frame;
    else if (Line[0] != '#')
      Frame = true;
  }
}

bool Reader::comment(std::string_view Line) {
  Line.remove_prefix(1);
  size_t Colon = Line.find(':');
  if (Colon == Line.npos)
    return true;
  std::string_view Key = trimmed(Line.substr(0, Colon)),
                   Value = trimmed(Line.substr(Colon + 1));
  if (Key == "os release")
    Make.Text["release"] = Value;
  else if (Key == "arch")
    Make.Text["machine"] = Value;
  else if (Key == "nrcpus online")
    Make.Text["cpus"] = Value;
  else if (Key == "Total Lost Samples")
    Make.Lost = numberOf(Value).value_or(0);
  else if (Key == "Samples" && Value.find("of event '") != Value.npos) {
    // "# Samples: 2K of event 'cycles:P'", of perf report.
    size_t Begin = Value.find('\'') + 1;
    std::string_view Event =
        Value.substr(Begin, Value.find('\'', Begin) - Begin);
    Head.Store = Event.find("store") != Event.npos;
    if (Events.find(Event) == Events.end() && Events.size() < 64)
      Events.emplace(Event);
  }
  return true;
}

uint32_t Reader::structId(std::string_view Name, uint32_t SizeBytes) {
  auto [At, New] = Structs.try_emplace({std::string(Name), SizeBytes}, 0);
  if (New)
    At->second = Make.structure(Name, SizeBytes);
  return At->second;
}

void Reader::field(uint32_t Struct, const TypedPlace &Place, uint32_t SizeBytes,
                   std::string_view Function, bool Kernel, bool Store,
                   uint64_t Count) {
  MeasuredSite Site;
  Site.Struct = Struct;
  Site.Function = Make.text(sourceFunction(Function));
  Site.Field = Make.text(Place.Field);
  Site.OffsetBytes = Place.OffsetBytes;
  Site.SizeBytes = SizeBytes;
  Site.Kind = Store ? SiteKind::Write : SiteKind::Read;
  auto At = Fields.try_emplace(keyOf(Site)).first;
  add(Kernel ? At->second.Kernel : At->second.User, Count);
}

/// Those of the kernel if there are any, else those of user space.
void Reader::makeSites(bool Kernel) {
  for (const auto &[Key, Of] : Fields) {
    uint64_t Count = Kernel ? Of.Kernel : Of.User;
    if (!Count)
      continue;
    MeasuredSite Site;
    std::tie(Site.Struct, Site.Function, Site.File, Site.Line, Site.Column,
             Site.OffsetBytes, Site.SizeBytes, Site.FirstBit, Site.Bits,
             Site.Field, Site.Kind, Site.Marks) = Key;
    Site.Count = Count;
    Make.site(Site);
    add(Notes.FieldSamples, Count);
  }
}

/// perf annotate --data-type: a block, by its head, columns and rows.
bool Reader::annotated(std::string_view Line) {
  constexpr std::string_view Begin = "Annotate type: '";
  if (Line.starts_with(Begin)) {
    Block = Annotated();
    Line.remove_prefix(Begin.size());
    size_t End = Line.find('\'');
    size_t Samples = Line.rfind('(');
    if (End == Line.npos || Samples == Line.npos)
      return false;
    std::string_view Type = Line.substr(0, End);
    Block.Struct = Type.substr(Type.rfind(' ') + 1);
    Block.Kernel = kernelDso(Line.substr(End));
    wordsOf(Line.substr(Samples + 1), 1, Words);
    Block.Samples =
        static_cast<double>(Words.empty() ? 0 : numberOf(Words[0]).value_or(0));
    return true;
  }
  if (Block.Struct.empty())
    return false;
  std::string_view Rest = trimmed(Line);
  if (Rest.empty()) {
    Block = Annotated();
    return true;
  }
  if (Rest.starts_with("event[")) {
    Block.Stores.push_back(Rest.find("store") != Rest.npos);
    return true;
  }
  if (Rest.starts_with("==="))
    return true;
  wordsOf(Line, MostWords, Words);
  if (Words.size() == 4 && Words[1] == "offset" && Words[2] == "size") {
    Block.Exact = Words[0] == "Samples" || Words[0] == "samples";
    if (Block.Stores.empty())
      Block.Stores.push_back(Head.Store);
    // Period, and shares of several events together, count no samples.
    if (!Block.Exact && (Words[0] != "Percent" || Block.Stores.size() != 1)) {
      ++WithoutCount;
      Block.Stores.clear();
    }
    return true;
  }
  return annotatedRow(Line);
}

bool Reader::annotatedRow(std::string_view Line) {
  size_t Columns = Block.Stores.size();
  std::string_view Rest = trimmed(Line);
  if (Rest.starts_with('}')) {
    if (!Block.Path.empty())
      Block.Path.pop_back();
    return true;
  }
  if (!Columns || Words.size() < Columns + 3)
    return !Columns;
  auto Offset = offsetOf(Words[Columns]), Size = offsetOf(Words[Columns + 1]);
  if (!Offset || !Size)
    return false;
  bool Opens = Rest.ends_with('{');
  std::string_view Name;
  if (size_t Tab = Rest.rfind('\t'); Tab != Rest.npos)
    Name = trimmed(Rest.substr(Tab + 1));
  else
    Name = Words.back() == "{" ? Words[Words.size() - 2] : Words.back();
  while (!Name.empty() &&
         (Name.back() == '{' || Name.back() == ';' || Name.back() == ' '))
    Name.remove_suffix(1);
  if (!Block.Known) { // the first row: the type itself
    if (!Opens) {
      Block = Annotated(); // no struct
      return true;
    }
    Block.Index = structId(Block.Struct, *Size);
    Block.Known = true;
    return true;
  }
  if (Opens) {
    Block.Path.push_back(std::string(Name));
    return Block.Path.size() < 64;
  }
  std::string Path;
  for (const std::string &Part : Block.Path)
    if (!Part.empty())
      Path += Part + ".";
  Path += Name;
  for (size_t C = 0; C < Columns; ++C) {
    uint64_t Count = 0;
    if (Block.Exact) {
      Count = numberOf(Words[C]).value_or(0);
    } else {
      double Percent = 0;
      std::from_chars(Words[C].data(), Words[C].data() + Words[C].size(),
                      Percent);
      if (!(Percent >= 0 && Percent <= 100))
        return false;
      Count =
          static_cast<uint64_t>(std::llround(Percent / 100 * Block.Samples));
    }
    if (Count)
      field(Block.Index, {Block.Struct, Path, *Offset}, *Size, "", Block.Kernel,
            Block.Stores[C], Count);
  }
  return true;
}

/// A row of perf report: share, samples, and a function or a place.
bool Reader::reported(std::string_view Line) {
  wordsOf(Line, MostWords, Words);
  if (Words.size() < 2 || !Words[0].ends_with('%') ||
      Words[0].find('.') == std::string_view::npos)
    return false;
  std::string_view Function;
  bool Kernel = false;
  std::optional<TypedPlace> Place;
  for (size_t I = 1; I < Words.size(); ++I) {
    if (Words[I].size() == 3 && Words[I][0] == '[' && Words[I][2] == ']' &&
        I + 1 < Words.size()) {
      Function = Words[I + 1];
      Kernel = Words[I][1] == 'k' || Words[I][1] == 'g';
    }
    if (I + 1 < Words.size() && Words[I + 1].starts_with('+') &&
        Words[I + 1].size() > 1)
      if (auto Found = placeAt(Words, I))
        Place = Found;
  }
  if (Function.empty() && !Place)
    return false;
  auto Count = numberOf(Words[1]);
  if (!Count) {
    ++WithoutCount;
    return true;
  }
  if (!Function.empty() && !Function.starts_with("0x")) {
    auto At =
        Functions.try_emplace(std::string(sourceFunction(Function))).first;
    add(Kernel ? At->second.Kernel : At->second.User, *Count);
  }
  if (Place)
    field(structId(Place->Struct, 0), *Place, 0, Function,
          Kernel || Function.empty(), Head.Store, *Count);
  return true;
}

void Reader::take(const Sample &S) {
  if (S.TimeNs) {
    First = std::min(First, *S.TimeNs);
    Last = std::max(Last, *S.TimeNs);
  }
  if (!S.Event.empty() && Events.size() < 64 &&
      Events.find(S.Event) == Events.end())
    Events.emplace(S.Event);
  Notes.DataAddresses += S.DataAddress;
  if (S.Symbol == "[unknown]" || S.Symbol.empty()) {
    ++Notes.Unknown;
    return;
  }
  std::string_view Name = sourceFunction(S.Symbol);
  auto At = Functions.find(Name);
  if (At == Functions.end())
    At = Functions.emplace(std::string(Name), Counts()).first;
  ++(S.Kernel ? At->second.Kernel : At->second.User);
  if (S.Place)
    field(structId(S.Place->Struct, 0), *S.Place, 0, Name, S.Kernel, S.Store,
          1);
}

bool Reader::scripted(std::string_view Line) {
  wordsOf(Line, MostWords, Words);
  if (Words.empty()) {
    InChain = Pending = false;
    return true;
  }
  if (auto Found = sampleOf(Line, Words)) {
    Heads = true;
    Pending = !Found->HasIp;
    InChain = false;
    Head = *Found;
    if (Found->HasIp)
      take(*Found);
    return true;
  }
  // A frame of a chain, or a sample without time and event.
  Sample Frame;
  bool Blank = Line[0] == ' ' || Line[0] == '\t';
  if (!readIp(Words, Blank && hexText(Words[0]) ? 0 : 1, Frame))
    return false;
  if (Pending) {
    Frame.TimeNs = Head.TimeNs;
    Frame.Event = Head.Event;
    Frame.Store = Head.Store;
    Pending = false;
    InChain = true;
    take(Frame);
    return true;
  }
  if (Heads || (Chains && InChain))
    return true;
  InChain = true;
  take(Frame);
  return true;
}

void Reader::line(std::string_view Line) {
  if (Line.size() > MaxLineBytes) {
    ++Notes.OtherLines;
    return;
  }
  if (Line.starts_with('#')) {
    comment(Line);
    return;
  }
  if (annotated(Line) || reported(Line) || scripted(Line))
    return;
  ++Notes.OtherLines;
}

bool Reader::anySample() {
  Text = Text.substr(0, BytesToLookAt);
  findChains();
  uint64_t Lines = 0;
  while (!Text.empty()) {
    line(takeLine(Text));
    ++Lines;
  }
  bool Found = !Functions.empty() || !Fields.empty() || Notes.Unknown ||
               WithoutCount || Pending;
  // Prose may have a word that looks like an address here and there.
  return Found && (Heads || !Fields.empty() || WithoutCount ||
                   Notes.OtherLines * 2 < Lines);
}

Result<ImportedPerf> Reader::run() {
  findChains();
  while (!Text.empty())
    line(takeLine(Text));
  bool Kernel = false;
  for (const auto &[Name, Of] : Functions)
    Kernel |= Of.Kernel > 0;
  for (const auto &[Key, Of] : Fields)
    Kernel |= Of.Kernel > 0;
  makeSites(Kernel);
  for (const auto &[Name, Of] : Functions) {
    uint64_t Count = Kernel ? Of.Kernel : Of.User;
    if (Kernel)
      add(Notes.UserSpace, Of.User);
    if (!Count)
      continue;
    add(Notes.Samples, Count);
    Make.samples(Make.text(Name), Count);
  }
  if (!Notes.Samples && !Notes.FieldSamples) {
    if (WithoutCount)
      return Failure{"shares without numbers of samples: add -n to perf "
                     "report, --show-nr-samples to perf annotate"};
    if (Notes.Unknown)
      return Failure{"none of " + std::to_string(Notes.Unknown) +
                     " samples has a symbol: is there a vmlinux or "
                     "/proc/kallsyms for perf?"};
    return Failure{"no sample of perf script, perf report -n or perf annotate "
                   "--data-type"};
  }
  Make.Text["source"] = Kernel ? "kernel" : "user";
  Make.Text["recorder"] = "perf";
  std::string All;
  for (const std::string &Event : Events)
    All += (All.empty() ? "" : ", ") + Event;
  if (!All.empty())
    Make.Text["event"] = All;
  if (Last > First)
    Make.DurationNs = Last - First;
  auto Made = Make.finish();
  if (!Made || Overflow)
    return Failure{"a count does not fit 64 bits"};
  return ImportedPerf{std::move(*Made), Notes};
}

} // namespace

std::string_view sourceFunction(std::string_view Symbol) {
  // "+0x12", but not the operators of C++.
  if (size_t Plus = Symbol.rfind("+0x"); Plus != Symbol.npos && Plus)
    Symbol = Symbol.substr(0, Plus);
  for (bool Again = true; Again;) {
    Again = false;
    size_t Dot = Symbol.rfind('.');
    if (Dot == Symbol.npos || !Dot)
      break;
    std::string_view Last = Symbol.substr(Dot + 1);
    if (numberOf(Last)) { // ".constprop.0"
      size_t Before = Symbol.rfind('.', Dot - 1);
      if (Before == Symbol.npos || !Before)
        break;
      Last = Symbol.substr(Before + 1, Dot - Before - 1);
      Dot = Before;
    }
    for (std::string_view Known :
         {"constprop", "isra", "part", "cold", "llvm", "__uniq", "lto_priv"})
      if (Last == Known) {
        Symbol = Symbol.substr(0, Dot);
        Again = true;
      }
  }
  return Symbol;
}

bool looksLikePerfText(std::string_view Text) {
  return Reader(Text).anySample();
}

Result<ImportedPerf> readPerfText(std::string_view Text) {
  return Reader(Text).run();
}

} // namespace kst
