// SPDX-License-Identifier: GPL-2.0-or-later
//
// Facts of a made-up unit in which every table has a row and every kind of
// value occurs, small enough to damage in every byte.

#pragma once

#include "hybrid/facts/Facts.h"

namespace kst {

inline TuFacts smallFacts() {
  TuFacts F;
  F.Strings = {"", "unit.c", "triple", "pair", "left", "int", "walk"};
  F.MainFile = 1;
  F.Triple = 2;
  F.Fields = {{4, 5, 0, 32, 4, 0, 0, 0, 3, None},
              {4, 3, 64, 64, 8, 8, 0, FldPointer, 4, 0}};
  F.Groups = {{4, None, {0, 1}, 4, 0, 3, 3}, {4, 0, {0, 1}, 4, 4, 3, 3}};
  F.Records = {{3, 1, 2, 5, 16, 8, 0, RecPacked, {0, 2}, {0, 2}}};
  F.ValueArgs = {0, 1, None, 0, 2, 0, 1, 1, None};
  F.Values = {{ValueKind::Param, 0, 0, 0, {}},
              {ValueKind::Field, 0, 0, 1, {}},
              {ValueKind::Load, 1, 0, 0, {}},
              {ValueKind::Global, 4, GlobalPerCpu, 0, {}},
              {ValueKind::ThisCpu, 0, 0, 0, {}},
              {ValueKind::PerCpu, 3, 4, 0, {}},
              {ValueKind::Element, 5, None, 0, {}},
              {ValueKind::Container, 1, 0, 1, {}},
              {ValueKind::Local, 0, 0, 0, {5, 7}},
              {ValueKind::Choice, 0, 0, 0, {0, 3}},
              {ValueKind::Call, 0, 0, 0, {}},
              {ValueKind::Const, 7, 0, 0, {}},
              {ValueKind::Function, 6, 0, 0, {}},
              {ValueKind::Current, 0, 0, 0, {}},
              {ValueKind::Object, 1, 0, 0, {}}};
  F.Accesses = {{1, AccessForm::ReadWrite, QualAtomic, 1, 0, 1, 7, 4}};
  CallFact Call;
  Call.Kind = CallKind::Table;
  Call.Callee = 6;
  Call.TableRecord = 0;
  Call.TableField = 1;
  Call.Args = {7, 9};
  Call.Block = 0;
  Call.Order = 1;
  Call.File = 1;
  Call.Line = 8;
  F.Calls = {Call};
  F.Stores = {{14, 2, 1, 2}};
  F.Edges = {{0, 1, 0.75}};
  F.Blocks = {{1.0, None}, {7.5, 1}};
  F.Loops = {{None, 6, 1.0, 2.0}, {0, 7, 2.0, 7.5}};
  FunctionFact Walk;
  Walk.Key = Walk.Name = 6;
  Walk.File = 1;
  Walk.Line = 5;
  Walk.Flags = FnStatic;
  Walk.ParamCount = 1;
  Walk.Values = {0, 15};
  Walk.Accesses = Walk.Calls = Walk.Stores = {0, 1};
  Walk.Blocks = Walk.Loops = {0, 2};
  Walk.Edges = {0, 1};
  Walk.Returns = {4, 5};
  Walk.ParamRecords = {3, 4};
  F.Functions = {Walk};
  F.Tables = {{0, 1, 6}};
  F.Slabs = {{0, 16, SlabOnLines, 8, 1, 9}};
  F.Variables = {{4, 1, 3, VarInitialized, 64, 16, 0}};
  F.Drops = {{0, 1, 9, 0}, {None, 1, 9, 6}};
  F.Demands = {{DemandKind::AssertedOrder, 0, 1, 0, 6, 1, 7},
               {DemandKind::Overrun, 0, None, 0, 0, 1, 9}};
  F.PointerFlows = {
      {{SlotKind::Record, 0, 0, 0}, {SlotKind::Param, 6, 0, 0}, 6, 1, 7},
      {{SlotKind::Member, 0, 1, 0}, {SlotKind::Global, 4, 0, 0}, 0, 1, 9},
      {{SlotKind::Record, 0, 0, 0}, {SlotKind::Opaque, 1, 9, 2}, 6, 1, 9}};
  return F;
}

} // namespace kst
