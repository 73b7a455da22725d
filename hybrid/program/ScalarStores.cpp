// SPDX-License-Identifier: GPL-2.0-or-later

#include "hybrid/program/ScalarStores.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace kst {
namespace {

/// The values of one function.
class Pointers {
public:
  Pointers(const Program &Whole, FunctionId Id)
      : Facts(Whole.unitOf(Id)), First(Whole.Functions[Id].Fact->Values.Begin) {
  }

  /// The pointer through which the address leads to no member of a record, as
  /// people name it; "" for members, variables, and pointers without a name.
  std::string through(ValueId Address) const {
    for (ValueId V = Address; V != None;) {
      const ValueFact &Value = at(V);
      if (Value.Kind == ValueKind::Load)
        return nameOf(Value.A);
      if (Value.Kind != ValueKind::Element)
        return "";
      V = Value.A;
    }
    return "";
  }

private:
  const ValueFact &at(ValueId V) const { return Facts.Values[First + V]; }
  /// Of what lies at the address: elements of an array are one.
  std::string nameOf(ValueId Address) const {
    for (ValueId V = Address; V != None; V = at(V).A) {
      const ValueFact &Value = at(V);
      if (Value.Kind == ValueKind::Global) { // "file:name" if it is static
        const std::string &Key = Facts.Strings[Value.A];
        return Key.substr(Key.rfind(':') + 1);
      }
      if (Value.Kind == ValueKind::Field) {
        const RecordFact &In = Facts.Records[Value.B];
        const FieldFact &Field = Facts.Fields[In.Fields.Begin + Value.C];
        return Facts.Strings[In.Name] + "." + Facts.Strings[Field.Name];
      }
      if (Value.Kind != ValueKind::Element)
        return "";
    }
    return "";
  }

  const TuFacts &Facts;
  const uint32_t First;
};

} // namespace

std::vector<ScalarStore> scalarStores(const Program &Whole) {
  std::map<std::string, ScalarStore> Found;
  std::map<std::string, std::set<std::pair<std::string, uint32_t>>> Lines;
  for (FunctionId Id = 0; Id != Whole.Functions.size(); ++Id) {
    const TuFacts &Facts = Whole.unitOf(Id);
    const FunctionFact &Fact = *Whole.Functions[Id].Fact;
    const Pointers In(Whole, Id);
    for (uint32_t I = Fact.Accesses.Begin; I != Fact.Accesses.End; ++I) {
      const AccessFact &Access = Facts.Accesses[I];
      if (Access.Kind != AccessForm::Write &&
          Access.Kind != AccessForm::ReadWrite)
        continue;
      const std::string Name = In.through(Access.Address);
      if (Name.empty())
        continue;
      ScalarStore &Of = Found[Name];
      const std::string &File = Facts.Strings[Access.File];
      if (Of.Pointer.empty()) {
        Of.Pointer = Name;
        Of.Where = {Facts.Strings[Fact.Name], File, Access.Line};
      }
      Lines[Name].insert({File, Access.Line});
    }
  }
  std::vector<ScalarStore> Out;
  for (auto &[Name, Of] : Found) {
    Of.Places = static_cast<uint32_t>(Lines[Name].size());
    Out.push_back(std::move(Of));
  }
  std::ranges::stable_sort(Out, [](const ScalarStore &A, const ScalarStore &B) {
    return A.Places > B.Places;
  });
  return Out;
}

} // namespace kst
