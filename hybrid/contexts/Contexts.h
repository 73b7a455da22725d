// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `contexts report` finds in a trace.

#pragma once

#include "hybrid/contexts/LifeTimes.h"
#include "hybrid/contexts/OwnerTable.h"
#include "hybrid/core/Result.h"
#include "hybrid/trace/TraceReader.h"

#include <string>
#include <vector>

namespace kst {

/// How the objects of one type that share slabs belong to contexts: means over
/// the slabs with two live objects or more, at the ends of the windows.
struct Purity {
  uint64_t Slabs = 0;   ///< slab and window
  uint64_t Objects = 0; ///< in them
  uint64_t Known = 0;   ///< of these, of a context
  uint64_t Pure = 0;    ///< slabs whose objects are all of one context
  uint64_t SlabBytes = 0;
  double Sum = 0;      ///< of the share of the context with most objects
  double ByChance = 0; ///< the same, had the cache placed its objects by chance
  double mean() const { return Slabs ? Sum / double(Slabs) : 0; }
  double chance() const { return Slabs ? ByChance / double(Slabs) : 0; }
  Purity &operator+=(const Purity &O) {
    Slabs += O.Slabs, Objects += O.Objects, Known += O.Known, Pure += O.Pure;
    SlabBytes += O.SlabBytes, Sum += O.Sum, ByChance += O.ByChance;
    return *this;
  }
};

/// Memory of one type of objects, or pages of files.
struct OwnedType {
  std::string Name, Path;
  Attributed Found;
  LifeTimes Lives;
  Purity Pages;
};

/// Contexts whose anchors are in objects of one type.
struct OwnerClass {
  std::string Name;
  uint64_t Contexts = 0, Opened = 0, Reopened = 0, Ended = 0, ClosedAtEnd = 0;
  uint64_t SlabObjects = 0, SlabBytes = 0, FilePages = 0, FileBytes = 0;
  uint64_t Accesses = 0, BetweenAccesses = 0, LateAccesses = 0;
  LifeTimes SlabLives, PageLives;
  double StrandedMean = 0; ///< bytes, at the ends of windows
  uint64_t StrandedMost = 0, StrandedAtEnd = 0;
  /// Of its objects those of one type, or its pages of files.
  struct Part {
    std::string Type;
    uint64_t Objects = 0, Bytes = 0;
    double StrandedMean = 0; ///< bytes, at the ends of windows
  };
  std::vector<Part> Parts; ///< most bytes first
};

/// One context, of those with most bytes.
struct OwnerRow {
  std::string Class;
  uint64_t Anchor = 0;
  bool Named = false; ///< by its pages: Device and Inode are known
  uint32_t Device = 0;
  uint64_t Inode = 0;
  uint64_t Opens = 0, SlabObjects = 0, SlabBytes = 0, FilePages = 0;
  uint64_t LiveBytesAtEnd = 0, LateAccesses = 0;
  bool Closed = false, Ended = false;
};

/// Live bytes at the end of a window.
struct OwnerWindow {
  uint64_t Time = 0;
  /// Of slab objects, and of pages of files: whose context is open, closed, was
  /// not seen to open, and of none.
  struct Bytes {
    uint64_t Open = 0, Closed = 0, Unopened = 0, None = 0;
  } Slab, File;
};

/// An object that lives at the end of the trace, or a page of a file.
struct OwnedLiving {
  uint64_t Address = 0;
  uint64_t Number = 0; ///< of its allocation; 0: it was there before the trace
  uint32_t SizeBytes = 0;
  std::string Type;
  OwnerRule Rule = OwnerRule::None;
  /// What each rule says by itself: rows of ContextsReport::Living's contexts;
  /// 0: nothing.
  OwnerGuess Guess;
};

/// What lives at the end, by address, and the contexts that it is of.
struct OwnedLivings {
  struct Context {
    std::string Type;
    uint64_t Anchor = 0; ///< address of the object with the anchor
    bool Ended = false;  ///< that object is gone
  };
  std::vector<Context> Contexts{1}; ///< by number, from 1
  std::vector<OwnedLiving> Objects;
};

struct ContextsOptions {
  OwnerOptions Types;
  unsigned Windows = 50;
  bool Living = false; ///< fill ContextsReport::Living
};

struct ContextsReport {
  std::string File, Label, Clock;
  uint64_t Events = 0, Lost = 0;
  bool Complete = true, Pointers = false, Descriptors = false,
       PageCache = false, Samples = false;
  std::vector<std::string> Limits, Misfits;
  std::vector<std::string> Anchors;
  std::vector<OwnedType> Types; ///< most bytes first; pages of files are one
  Attributed Slab, FilePages;
  std::array<PageTruth, OwnerRules> Truth; ///< None: the best of the rules
  /// Contexts whose pages are of several files by the page cache's events.
  uint64_t MixedContexts = 0, NamedContexts = 0;
  std::vector<OwnerClass> Classes;
  std::vector<OwnerRow> Largest;
  LifeTimes SlabOwned, SlabOther, FileLives, ApplicationLives;
  std::vector<OwnerWindow> Windows;
  OwnedLivings Living; ///< if it was asked for
};

/// Reads the trace to its end. Memory: the trace's tables, what lives at one
/// time, and a few words for each context and file; nothing grows with events.
Result<ContextsReport> contextsReport(TraceReader &Trace,
                                      const TypeGraph &Graph,
                                      const ContextsOptions &Options);

} // namespace kst
