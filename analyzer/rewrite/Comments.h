// SPDX-License-Identifier: GPL-2.0-or-later
//
// What comments in a definition are about, by their words: a place in memory,
// a group of members. What they demand of the order is in CommentDemands.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace kst {

/// `/* --- cacheline 1 boundary (64 bytes) --- */`, `/* 0x40 */`,
/// `/* offset: 64 */`, `/* 4 bytes hole */`, pahole's `/*  16   8 */`: true of
/// one layout, so perhaps false of the next.
bool speaksOfPlace(llvm::StringRef Comment);

/// Says nothing else: stays where it is.
bool isPlaceMarker(llvm::StringRef Comment);

/// `/* private: */`, `/* public: */`: kernel-doc's switches.
bool isDocSwitch(llvm::StringRef Comment);

/// Speaks of several members: "fields", "the following", "read-mostly", a
/// ruled line.
bool speaksOfGroup(llvm::StringRef Comment);

} // namespace kst
