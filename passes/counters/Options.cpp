// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/counters/Options.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

using namespace llvm;
using namespace kst::counters;

// clang hands options of a plugin over only through LLVM's own registry.
static cl::list<std::string>
    Words("kst-options", cl::Hidden,
          cl::desc("Counters: words as in KST_OPTIONS"));
#define KST_OPTION(Variable, Name)                                             \
  static cl::list<std::string> Variable(                                       \
      "kst-" Name, cl::Hidden, cl::ValueOptional,                              \
      cl::desc("Counters: " Name " of KST_OPTIONS"),                           \
      cl::callback([](const std::string &Value) {                              \
        Words.push_back(Value.empty() ? Name : std::string(Name "=") + Value); \
      }))
KST_OPTION(StructsFlag, "structs");
KST_OPTION(TargetFlag, "target");
KST_OPTION(ModeFlag, "mode");
KST_OPTION(AddressFlag, "address");
KST_OPTION(CallsReturnFlag, "calls-return");
KST_OPTION(StripDebugFlag, "strip-debug");
KST_OPTION(RulesFlag, "rules");
KST_OPTION(NaiveFlag, "naive");
#undef KST_OPTION

static Error bad(const Twine &Text) {
  return createStringError(inconvertibleErrorCode(), Text);
}

static Expected<bool> onOff(StringRef Name, StringRef Value, bool HasValue) {
  if (!HasValue || Value == "on")
    return true;
  if (Value == "off")
    return false;
  return bad("option '" + Name + "' takes on or off, not '" + Value + "'");
}

Error Options::structs(StringRef Value) {
  SmallVector<StringRef> Names;
  Value.split(Names, ',', -1, false);
  if (Names.empty())
    return bad("option 'structs' names no struct");
  for (StringRef Name : Names) {
    if (Name == "all")
      AllStructs = true;
    else if (Name.consume_front("file://")) {
      if (Error E = structsOf(Name))
        return E;
    } else
      Structs.insert(Name);
  }
  return Error::success();
}

Error Options::structsOf(StringRef Value) {
  auto File = MemoryBuffer::getFile(Value, /*IsText=*/true);
  if (!File)
    return bad("cannot read '" + Value + "': " + File.getError().message());
  SmallVector<StringRef> Lines;
  (*File)->getBuffer().split(Lines, '\n');
  for (size_t I = 0; I != Lines.size(); ++I) {
    StringRef Line = Lines[I].split('#').first.trim();
    if (Line.empty())
      continue;
    StringSet<> &Set = Line.consume_front("embedded ") ? Embedded : Structs;
    Line.consume_front("struct ");
    Line = Line.trim();
    if (Line.find_first_of(" \t") != StringRef::npos)
      return bad("'" + Value + "', line " + Twine(I + 1) +
                 ": one name is expected, found '" + Line + "'");
    Set.insert(Line);
  }
  return Error::success();
}

Error Options::set(StringRef Name, StringRef Value, bool HasValue) {
  if (Name == "structs")
    return structs(Value);
  if (Name == "kernel" && !HasValue)
    return set("target", "kernel", true);
  if (Name == "user" && !HasValue)
    return set("target", "user", true);
  if (Name == "target") {
    if (Value != "kernel" && Value != "user")
      return bad("option 'target' is kernel or user, not '" + Value + "'");
    Kernel = Value == "kernel";
    return Error::success();
  }
  if (Name == "mode") {
    if (Value != "count" && Value != "trace" && Value != "both")
      return bad("option 'mode' is count, trace or both, not '" + Value + "'");
    Count = Value != "trace";
    Trace = Value != "count";
    return Error::success();
  }
  if (Name == "address") {
    if (HasValue && Value != "on" && Value != "off" && Value != "static")
      return bad("option 'address' is on, static or off, not '" + Value + "'");
    ByAddress = Value == "off" ? Off : Value == "static" ? Static : On;
    ByAddressGiven = true;
    return Error::success();
  }
  bool *Flag = Name == "calls-return"  ? &CallsReturn
               : Name == "strip-debug" ? &StripDebug
               : Name == "rules"       ? &Rules
               : Name == "naive"       ? &Naive
                                       : nullptr;
  if (!Flag)
    return bad("unknown option '" + Name + "'");
  Expected<bool> On = onOff(Name, Value, HasValue);
  if (!On)
    return On.takeError();
  *Flag = *On;
  CallsReturnGiven |= Flag == &CallsReturn;
  return Error::success();
}

Error Options::parse(StringRef Text) {
  while (true) {
    Text = Text.ltrim(" \t\n;");
    if (Text.empty())
      break;
    StringRef Word = Text.take_until(
        [](char C) { return C == ' ' || C == '\t' || C == '\n' || C == ';'; });
    Text = Text.drop_front(Word.size());
    auto [Name, Value] = Word.split('=');
    if (Error E = set(Name, Value, Word.contains('=')))
      return E;
  }
  if (!CallsReturnGiven)
    CallsReturn = Kernel;
  if (!ByAddressGiven)
    ByAddress = Kernel ? Static : Off;
  return Error::success();
}

Expected<Options> Options::get() {
  Options Result;
  if (auto Text = sys::Process::GetEnv("KST_OPTIONS"))
    if (Error E = Result.parse(*Text))
      return bad("KST_OPTIONS: " + toString(std::move(E)));
  for (const std::string &Text : Words)
    if (Error E = Result.parse(Text))
      return bad("-mllvm -kst-...: " + toString(std::move(E)));
  return Result;
}
