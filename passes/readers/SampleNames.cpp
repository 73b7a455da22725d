// SPDX-License-Identifier: GPL-2.0-or-later

#include "passes/readers/SampleNames.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/MD5.h"

#include <cstdlib>

namespace kst {

using llvm::StringRef;

namespace {

/// Takes `Suffix`, `Suffix.` and digits, off the end.
bool dropSuffix(StringRef &Name, StringRef Suffix, bool NeedsNumber) {
  StringRef Rest = Name, Digits;
  if (const size_t End = Rest.find_last_not_of("0123456789");
      End != StringRef::npos && End + 1 != Rest.size() && Rest[End] == '.') {
    Digits = Rest.drop_front(End + 1);
    Rest = Rest.take_front(End);
  }
  if ((NeedsNumber && Digits.empty()) || !Rest.consume_back(Suffix) ||
      Rest.empty())
    return false;
  Name = Rest;
  return true;
}

/// What clang puts behind static functions of the unit compiled from File, in
/// decimal: the MD5 of the name as it was given, most significant byte first
/// (UniqueInternalLinkageNames.cpp, getUniqueInternalLinkagePostfix()).
std::string unitOf(StringRef File) {
  llvm::MD5 Hash;
  Hash.update(File);
  llvm::MD5::MD5Result Result;
  Hash.final(Result);
  const llvm::SmallString<32> Hex = Result.digest();
  return llvm::toString(llvm::APInt(128, Hex.str(), 16), 10,
                        /*Signed=*/false);
}

/// Whether Unit stands for a file that ends as File does: compilers were given
/// it from some directory.
bool isUnit(StringRef Unit, StringRef File) {
  for (;;) {
    if (unitOf(File) == Unit || unitOf(("./" + File).str()) == Unit)
      return true;
    const size_t Slash = File.find('/');
    if (Slash == StringRef::npos)
      return false;
    File = File.drop_front(Slash + 1);
  }
}

std::string demangled(StringRef Symbol) {
  llvm::ItaniumPartialDemangler Parts;
  const std::string Whole = Symbol.str();
  if (!Symbol.starts_with("_Z") || Parts.partialDemangle(Whole.c_str()))
    return Whole;
  char *Base = Parts.getFunctionBaseName(nullptr, nullptr);
  const std::string Name = Base ? Base : Whole;
  std::free(Base);
  return Name;
}

} // namespace

SampledSymbol sampledSymbol(StringRef Symbol) {
  SampledSymbol Out;
  for (bool Again = true; Again;) {
    Again = false;
    for (StringRef Suffix : {".llvm", ".constprop", ".isra", ".lto_priv"})
      Again |= dropSuffix(Symbol, Suffix, /*NeedsNumber=*/true);
    for (StringRef Suffix : {".part", ".cold"})
      if (dropSuffix(Symbol, Suffix, /*NeedsNumber=*/false))
        Again = Out.Part = true;
    const StringRef Before = Symbol;
    if (dropSuffix(Symbol, ".__uniq", /*NeedsNumber=*/true)) {
      Out.Unit = Before.rsplit('.').second;
      Again = true;
    }
  }
  Out.Name = Out.Unit.empty() ? Symbol.str() : demangled(Symbol);
  return Out;
}

SampleNames::SampleNames(const FunctionCode &Program) : Program(&Program) {
  for (uint32_t I = 0; I != Program.Functions.size(); ++I) {
    const StringRef Name = Program.Functions[I].Name;
    ByName[Name].push_back(I);
    ByHash.try_emplace(llvm::MD5Hash(Name), Name);
  }
}

llvm::ArrayRef<uint32_t> SampleNames::named(StringRef Name) const {
  auto At = ByName.find(Name);
  if (At == ByName.end())
    return {};
  return At->second;
}

SampleNames::Meaning SampleNames::find(llvm::sampleprof::FunctionId Id) const {
  return find(Id, "", /*Inlined=*/false);
}

SampleNames::Meaning SampleNames::findInlined(llvm::sampleprof::FunctionId Id,
                                              StringRef Around) const {
  return find(Id, Around, /*Inlined=*/true);
}

SampleNames::Meaning SampleNames::find(llvm::sampleprof::FunctionId Id,
                                       StringRef Around, bool Inlined) const {
  Meaning Out;
  if (Id.isStringRef())
    Out.Symbol = sampledSymbol(Id.stringRef());
  else if (auto At = ByHash.find(Id.getHashCode()); At != ByHash.end())
    Out.Symbol.Name = At->second.str();
  llvm::SmallVector<uint32_t> Candidates(named(Out.Symbol.Name));
  if (Inlined)
    llvm::erase_if(Candidates,
                   [&](uint32_t I) { return !Program->Functions[I].Line; });
  auto File = [&](uint32_t I) { return StringRef(Program->Functions[I].File); };
  auto Meant = [&](uint32_t I) {
    if (llvm::all_of(Candidates,
                     [&](uint32_t J) { return File(I) == File(J); }))
      return true;
    return Out.Symbol.Unit.empty() ? !Around.empty() && File(I) == Around
                                   : isUnit(Out.Symbol.Unit, File(I));
  };
  for (uint32_t I : Candidates)
    if (Meant(I)) {
      if (Out.Function != None && File(I) != File(Out.Function)) {
        Out.Function = None;
        break;
      }
      // A declaration may have been taken for the function: it comes first.
      if (Out.Function == None ||
          Program->Functions[I].Line > Program->Functions[Out.Function].Line)
        Out.Function = I;
    }
  Out.Several = !Candidates.empty() && Out.Function == None;
  return Out;
}

} // namespace kst
