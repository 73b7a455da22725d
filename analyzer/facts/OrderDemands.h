// SPDX-License-Identifier: GPL-2.0-or-later
//
// What code demands of the order of fields: byte ranges between members,
// build-time assertions, casts to first members, initialisers by position,
// offsets in assembly. docs/design/rules.md says which uses count.

#pragma once

#include "analyzer/facts/FactsBuilder.h"

#include <memory>

namespace kst {

/// Adds the demands of one unit to its facts, in the order of the calls.
class OrderDemands {
public:
  explicit OrderDemands(FactsBuilder &Unit);
  ~OrderDemands();

  /// The function has a body.
  void addFunction(const clang::FunctionDecl *Function);
  /// A variable outside of functions.
  void addVariable(const clang::VarDecl *Variable);
  /// A C++ class: its members are made in order and ended against it.
  void addClass(const clang::CXXRecordDecl *Class);
  /// What a declaration demands without a body: `= default` of an operator <=>.
  void addDeclared(const clang::FunctionDecl *Function);
  void addEnum(const clang::EnumDecl *Enum);
  void addAssertion(const clang::StaticAssertDecl *Assertion);

private:
  struct State;
  std::unique_ptr<State> Of;
};

} // namespace kst
