// SPDX-License-Identifier: GPL-2.0-or-later

#include "SmallTrace.h"

#include "hybrid/profile/ProfileBuilder.h"
#include "hybrid/trace/ObjectTable.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace kst;
using kst_test::EventOf;
using kst_test::smallTables;

namespace {

constexpr uint32_t Queue = 0, Ring = 1, Kmalloc = 1;
constexpr uint64_t Base = 0xffff888000100000;

TEST(ObjectTable, ASlotThatIsUsedAgainIsAnotherObject) {
  TraceTables T = smallTables();
  ObjectTable Objects(T);
  EXPECT_EQ(Objects.place(Base + 8).What, TracePlace::Nothing);
  Objects.apply(EventOf{EventKind::Alloc, Base, 64, 0});
  TracePlace First = Objects.place(Base + 8);
  EXPECT_EQ(First.What, TracePlace::Allocated);
  EXPECT_EQ(First.Struct, Ring);
  EXPECT_EQ(First.Object, Base);
  EXPECT_EQ(First.OffsetBytes, 8u);
  EXPECT_EQ(First.Number, 1u);
  EXPECT_EQ(Objects.place(Base + 64).What, TracePlace::Nothing);
  Objects.apply(EventOf{EventKind::Free, Base});
  EXPECT_EQ(Objects.place(Base + 8).What, TracePlace::Nothing);
  Objects.apply(EventOf{EventKind::Alloc, Base, 64, 0});
  EXPECT_EQ(Objects.place(Base).Number, 2u);
  EXPECT_EQ(Objects.live(), 1u);
  EXPECT_EQ(Objects.implicitFrees() + Objects.unknownFrees(), 0u);
}

TEST(ObjectTable, TheCallSiteNamesWhatTheAllocatorDoesNot) {
  TraceTables T = smallTables();
  ObjectTable Objects(T);
  Objects.apply(
      EventOf{EventKind::Alloc, Base, 96, Kmalloc, 90, 0, /*Site=*/1});
  Objects.apply(EventOf{EventKind::Alloc, Base + 96, 96, Kmalloc, 90, 0, 0});
  EXPECT_EQ(Objects.place(Base).Struct, Queue);
  EXPECT_EQ(Objects.place(Base + 96).Struct, NoStruct);
  EXPECT_EQ(Objects.place(Base + 96).Allocator, Kmalloc);
}

TEST(ObjectTable, SlotsPagesAndStaticObjectsStandBehindWhatLives) {
  TraceTables T = smallTables();
  ObjectTable Objects(T);
  Objects.apply(EventOf{EventKind::PageAlloc, Base, 8192, 1, 0x100});
  EXPECT_EQ(Objects.place(Base + 4096).What, TracePlace::Page);
  EXPECT_EQ(Objects.place(Base + 4100).OffsetBytes, 4100u);
  Objects.apply(EventOf{EventKind::CacheAdd, Base, 8192, 5, 77});
  EXPECT_EQ(Objects.place(Base).What, TracePlace::CachedPage);
  Objects.apply(EventOf{EventKind::CacheRemove, Base, 8192, 5, 77});
  Objects.apply(EventOf{EventKind::Slab, Base, 8192, 0, 64});
  TraceEvent Use;
  Use.Address = Base + 4096 + 65;
  Use.Site = NoTraceSite;
  EXPECT_EQ(Objects.place(Use.Address).What, TracePlace::FreeSlot);
  TracePlace At = Objects.place(Use);
  EXPECT_EQ(At.What, TracePlace::Slot);
  EXPECT_EQ(At.Struct, Ring);
  EXPECT_EQ(At.Object, Base + 4096 + 64);
  EXPECT_EQ(At.Number, 0u);
  Objects.apply(EventOf{EventKind::Alloc, Base + 4096 + 64, 64, 0});
  EXPECT_EQ(Objects.place(Base + 4096 + 65).What, TracePlace::Allocated);
  Objects.apply(EventOf{EventKind::Slab, Base, 8192, 0, 0});
  EXPECT_EQ(Objects.place(Base + 4096 + 65).What, TracePlace::Page);
  EXPECT_EQ(Objects.implicitFrees(), 1u);
  Objects.apply(EventOf{EventKind::Slab, Base, 8192, 0, 64});
  Objects.apply(EventOf{EventKind::Alloc, Base + 4096 + 64, 64, 0});
  // The slab goes with its pages; who lives in them goes unseen.
  Objects.apply(EventOf{EventKind::PageFree, Base, 8192, 1, 0x100});
  EXPECT_EQ(Objects.place(Base + 4096 + 65).What, TracePlace::Nothing);
  EXPECT_EQ(Objects.implicitFrees(), 2u);

  EXPECT_EQ(Objects.place(1064 + 9).What, TracePlace::Static);
  EXPECT_EQ(Objects.place(1064 + 9).Object, 1064u);
  EXPECT_EQ(Objects.place(1064 + 9).Cpu, 3u);
  EXPECT_EQ(Objects.place(1128).What, TracePlace::Nothing);
}

/// Sites: 0 is SLUB's, 1 memset(), 2 somebody's.
TraceTables slabTables() {
  ProfileBuilder Make;
  const uint32_t Mm = Make.structure("mm_struct", 1024);
  std::vector<uint32_t> Sites;
  for (const char *File :
       {"mm/slub.c", "arch/x86/lib/memset_64.S", "mm/mmap.c"}) {
    MeasuredSite Site;
    Site.Function = Make.text(File);
    Site.File = Make.text(File);
    Sites.push_back(Make.site(Site));
  }
  ProfileBuilder::Numbers Numbers;
  TraceTables T;
  T.About = *Make.finish(&Numbers);
  T.Allocators = {{"mm_struct", Numbers.Structs[Mm], 1024}};
  for (uint32_t Site : Sites)
    T.SiteOf.push_back(Numbers.Sites[Site]);
  return T;
}

TEST(ObjectTable, FreeSlotsAreNoObjects) {
  TraceTables T = slabTables();
  ObjectTable Objects(T);
  auto Access = [&](uint32_t Site, uint64_t Address) {
    TraceEvent E;
    E.Address = Address;
    E.SizeBytes = 8;
    E.Access = AccessLoad;
    E.Site = T.SiteOf[Site];
    return Objects.place(E);
  };
  Objects.apply(EventOf{EventKind::Slab, Base, 8192, 0, 1024});
  // The allocator's list of free slots, and clearing.
  EXPECT_EQ(Access(0, Base + 512).What, TracePlace::FreeSlot);
  EXPECT_EQ(Access(1, Base).What, TracePlace::FreeSlot);
  EXPECT_EQ(Access(1, Base).Struct, NoStruct);
  EXPECT_EQ(Access(1, Base).Allocator, 0u);
  // Somebody uses the second slot: it was allocated before.
  TracePlace Old = Access(2, Base + 1024 + 8);
  EXPECT_EQ(Old.What, TracePlace::Slot);
  EXPECT_EQ(Old.Struct, 0u);
  EXPECT_EQ(Old.Object, Base + 1024);
  EXPECT_EQ(Access(0, Base + 1024).What, TracePlace::Slot);
  // Its free is seen: who still looks at it sees no object.
  Objects.apply(EventOf{EventKind::Free, Base + 1024});
  EXPECT_EQ(Objects.unknownFrees(), 1u);
  EXPECT_EQ(Access(2, Base + 1024 + 8).What, TracePlace::FreeSlot);
  Objects.apply(EventOf{EventKind::Alloc, Base + 1024, 1024, 0});
  EXPECT_EQ(Access(2, Base + 1024 + 8).What, TracePlace::Allocated);
  Objects.apply(EventOf{EventKind::Free, Base + 1024});
  EXPECT_EQ(Access(2, Base + 1024 + 8).What, TracePlace::FreeSlot);
  // A slab that comes now has no object yet, whatever a constructor does to it.
  Objects.apply(EventOf{EventKind::Slab, Base + 8192, 8192, 0, 1024});
  EXPECT_EQ(Access(2, Base + 8192).What, TracePlace::FreeSlot);
}

TEST(ObjectTable, ASiteThatNamesTheStructIsBelieved) {
  TraceTables T = smallTables();
  ObjectTable Objects(T);
  uint32_t Site = 0;
  while (T.About.Sites[Site].OffsetBytes != 12)
    ++Site;
  TraceEvent E = {1, 5012, 0, Site, 0};
  EXPECT_EQ(Objects.place(E).Struct, Ring);
  EXPECT_EQ(Objects.place(E).Object, 5000u);
  EXPECT_EQ(Objects.place(E).OffsetBytes, 12u);
  E.Address = 1012;
  EXPECT_EQ(Objects.place(E).Cpu, 3u);
  E = {1, 5012 + 8, 0, Site, 0};
  E.Index = 8; // the third int of an array
  EXPECT_EQ(Objects.place(E).Object, 5000u);
  EXPECT_EQ(Objects.place(E).OffsetBytes, 20u);
}

TEST(ObjectTable, PagesThatAreHalfFreeStillLive) {
  TraceTables T = smallTables();
  ObjectTable Objects(T);
  Objects.apply(EventOf{EventKind::PageAlloc, Base, 8192, 1, 0x100});
  Objects.apply(EventOf{EventKind::PageFree, Base, 4096, 0, 0x100});
  int Found = 0;
  Objects.forEachLive([&](const TracePlace &At) {
    ++Found;
    EXPECT_EQ(At.What, TracePlace::Page);
  });
  EXPECT_EQ(Found, 1);
  EXPECT_EQ(Objects.place(Base).What, TracePlace::Nothing);
  EXPECT_EQ(Objects.place(Base + 4096).What, TracePlace::Page);
}

TEST(ObjectTable, AgreesWithABookOfEveryByte) {
  TraceTables T = smallTables();
  ObjectTable Objects(T);
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> Of; // byte: start, number
  std::map<uint64_t, uint64_t> Sizes;
  std::mt19937_64 Random(3);
  uint64_t Number = 0, Implicit = 0, Unknown = 0;
  for (int Step = 0; Step < 3000; ++Step) {
    uint64_t Address = Base + Random() % 1500 * 8;
    auto Drop = [&](uint64_t Start) {
      for (uint64_t B = Start; B < Start + Sizes[Start]; ++B)
        Of.erase(B);
      Sizes.erase(Start);
    };
    if (Random() % 3) {
      uint32_t Size = 8 + Random() % 40 * 8;
      if (Random() % 50 == 0)
        Size = 9000;
      for (uint64_t B = Address; B < Address + Size; ++B)
        if (Of.count(B)) {
          Drop(Of[B].first);
          ++Implicit;
        }
      Objects.apply(EventOf{EventKind::Alloc, Address, Size, 0});
      ++Number;
      Sizes[Address] = Size;
      for (uint64_t B = Address; B < Address + Size; ++B)
        Of[B] = {Address, Number};
    } else {
      Objects.apply(EventOf{EventKind::Free, Address});
      if (Sizes.count(Address))
        Drop(Address);
      else
        ++Unknown;
    }
    for (int I = 0; I < 20; ++I) {
      uint64_t B = Base + Random() % 14000;
      TracePlace At = Objects.place(B);
      auto Want = Of.find(B);
      ASSERT_EQ(At.What == TracePlace::Allocated, Want != Of.end());
      if (Want != Of.end()) {
        ASSERT_EQ(At.Object, Want->second.first);
        ASSERT_EQ(At.Number, Want->second.second);
      }
    }
  }
  EXPECT_EQ(Objects.live(), Sizes.size());
  EXPECT_EQ(Objects.implicitFrees(), Implicit);
  EXPECT_EQ(Objects.unknownFrees(), Unknown);
  EXPECT_GT(Implicit, 10u);
}

} // namespace
