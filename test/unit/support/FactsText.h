// SPDX-License-Identifier: GPL-2.0-or-later
//
// Facts of one function in words, for tests that are tables of code and what
// is expected.

#pragma once

#include "hybrid/facts/Facts.h"

#include <string>

namespace kst {

class FactsText {
public:
  FactsText(const TuFacts &Facts, const FunctionFact &Function)
      : Facts(Facts), Function(Function) {}

  /// `arg0.next` is the address of a member of what parameter 0 points to,
  /// `*(arg0.next)` what it holds, `{a|b}` one of several.
  std::string value(ValueId Id) const {
    if (Id == None)
      return "-";
    const ValueFact &Value = Facts.Values[Function.Values.Begin + Id];
    switch (Value.Kind) {
    case ValueKind::Unknown:
      return "?";
    case ValueKind::Param:
      return "arg" + std::to_string(Value.A);
    case ValueKind::Local:
      return "local" + several(Value.Args);
    case ValueKind::Global:
      return (Value.B & GlobalPerCpu ? "percpu &" : "&") +
             Facts.Strings[Value.A];
    case ValueKind::Function:
      return Facts.Strings[Value.A];
    case ValueKind::Const:
      return std::to_string(int64_t(Value.A | uint64_t(Value.B) << 32));
    case ValueKind::ThisCpu:
      return "this_cpu";
    case ValueKind::Current:
      return "current";
    case ValueKind::Field:
      return value(Value.A) + "." + member(Value.B, Value.C);
    case ValueKind::Element:
      return value(Value.A) + "[" + value(Value.B) + "]";
    case ValueKind::Load:
      return "*(" + value(Value.A) + ")";
    case ValueKind::PerCpu:
      return value(Value.A) + "@" + value(Value.B);
    case ValueKind::Container:
      return "(" + value(Value.A) + " - " + member(Value.B, Value.C) + ")";
    case ValueKind::Call:
      return "call" + std::to_string(Value.A);
    case ValueKind::Choice:
      return several(Value.Args);
    case ValueKind::Object:
      return "object" + std::to_string(Value.A);
    }
    return "";
  }

  /// Accesses, calls and stores in the order of the tables, one a line.
  std::string body() const {
    std::string Text;
    for (uint32_t I = Function.Accesses.Begin; I != Function.Accesses.End; ++I)
      Text += access(Facts.Accesses[I]) + "\n";
    for (uint32_t I = Function.Calls.Begin; I != Function.Calls.End; ++I)
      Text += call(Facts.Calls[I]) + "\n";
    for (uint32_t I = Function.Stores.Begin; I != Function.Stores.End; ++I)
      Text += value(Facts.Stores[I].Address) + " = " +
              value(Facts.Stores[I].Stored) + "\n";
    return Text;
  }

  std::string call(const CallFact &Call) const {
    std::string Text = Call.Kind == CallKind::Direct
                           ? Facts.Strings[Call.Callee]
                       : Call.Kind == CallKind::Table
                           ? "->" + member(Call.TableRecord, Call.TableField)
                           : "?";
    Text += "(";
    for (uint32_t I = Call.Args.Begin; I != Call.Args.End; ++I)
      Text += (I == Call.Args.Begin ? "" : ", ") + value(Facts.ValueArgs[I]);
    return Text + ")";
  }

private:
  std::string member(uint32_t Record, uint32_t Field) const {
    return Facts
        .Strings[Facts.Fields[Facts.Records[Record].Fields.Begin + Field].Name];
  }
  std::string several(Range Args) const {
    if (Inside) // a variable that is set from itself
      return "";
    Inside = true;
    std::string Text;
    for (uint32_t I = Args.Begin; I != Args.End; ++I)
      Text += (Text.empty() ? "" : "|") + value(Facts.ValueArgs[I]);
    Inside = false;
    return "{" + Text + "}";
  }
  std::string access(const AccessFact &Access) const {
    const char *Kinds[] = {"read", "write", "change", "bulk read",
                           "bulk write"};
    std::string Text = Kinds[int(Access.Kind)];
    Text += " " + value(Access.Address);
    Text += Access.Qualifiers & QualOnce ? " once" : "";
    Text += Access.Qualifiers & QualAtomic ? " atomic" : "";
    Text += Access.Qualifiers & QualAssumed ? " assumed" : "";
    return Text;
  }

  const TuFacts &Facts;
  const FunctionFact &Function;
  mutable bool Inside = false;
};

} // namespace kst
