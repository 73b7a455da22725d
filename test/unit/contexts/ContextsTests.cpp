// SPDX-License-Identifier: GPL-2.0-or-later

#include "KnownOwners.h"

namespace {

using namespace kst_test;

const OwnedType &typeOf(const ContextsReport &R, const std::string &Name) {
  static const OwnedType Nothing;
  for (const OwnedType &Of : R.Types)
    if (Of.Name == Name)
      return Of;
  ADD_FAILURE() << "no type " << Name;
  return Nothing;
}

TEST(Contexts, PointersComeFirst) {
  KnownOwners K;
  K.alloc(0, Inodes).alloc(1, Inodes).call(true, K.slot(1) + 64);
  K.alloc(2, Dentries).store(2, K.DInode, K.slot(0) + 64).alloc(3, Data);
  K.call(false);
  const ContextsReport R = K.report();
  const Attributed &Dentry = typeOf(R, "dentry").Found;
  EXPECT_EQ(Dentry.Objects[size_t(OwnerRule::Pointer)], 1u);
  EXPECT_EQ(Dentry.PointerCall.Both, 192u);
  EXPECT_EQ(Dentry.PointerCall.Same, 0u); // the call was on another inode
  EXPECT_EQ(typeOf(R, "kmalloc-64").Found.Objects[size_t(OwnerRule::Call)], 1u);
}

TEST(Contexts, AShorterWaySaysBetterWhoseItIs) {
  KnownOwners K;
  K.alloc(0, Inodes).alloc(1, Inodes).open(2, 0).alloc(3, Locks);
  K.store(3, K.LockFile, K.slot(2)).store(3, K.LockInode, K.slot(1) + 64);
  K.call(true, K.slot(1) + 64).alloc(4, Locks);
  K.store(4, K.LockFile, K.slot(2)).call(false);
  const Attributed &Of = typeOf(K.report(), "lock").Found;
  EXPECT_EQ(Of.Objects[size_t(OwnerRule::Pointer)], 2u);
  EXPECT_EQ(Of.Changed, 0u);
  EXPECT_EQ(Of.PointerCall.Both, 64u); // the other is the file's
  EXPECT_EQ(Of.PointerCall.Same, 0u);
}

TEST(Contexts, WhatACallOpensIsItsFile) {
  KnownOwners K;
  K.alloc(0, Inodes).call(true).alloc(3, Data).open(1, 0).call(false);
  K.call(true).alloc(4, Data).call(false);
  const Attributed &Of = typeOf(K.report(), "kmalloc-64").Found;
  EXPECT_EQ(Of.Objects[size_t(OwnerRule::Call)], 1u);
  EXPECT_EQ(Of.Objects[size_t(OwnerRule::Task)], 1u);
}

TEST(Contexts, InterruptsHaveNothingToDoWithTheTask) {
  KnownOwners K;
  K.alloc(0, Inodes).call(true, K.slot(0) + 64).softirq(true).alloc(3, Data);
  K.softirq(false).call(false);
  const Attributed &Of = typeOf(K.report(), "kmalloc-64").Found;
  EXPECT_EQ(Of.Objects[size_t(OwnerRule::None)], 1u);
  EXPECT_EQ(Of.SoftirqNone, 64u);
}

TEST(Contexts, AccessesAfterTheLastCloseAreLate) {
  KnownOwners K;
  K.alloc(0, Inodes).open(1, 0).access(0).free(1, Files);
  K.access(0).access(0).open(1, 0).free(1, Files).access(0);
  const ContextsReport R = K.report();
  ASSERT_EQ(R.Classes.size(), 1u);
  EXPECT_EQ(R.Classes[0].Opened, 1u);
  EXPECT_EQ(R.Classes[0].Reopened, 1u);
  EXPECT_EQ(R.Classes[0].BetweenAccesses, 2u);
  EXPECT_EQ(R.Classes[0].LateAccesses, 1u);
  EXPECT_EQ(R.Largest[0].Opens, 2u);
  EXPECT_TRUE(R.Largest[0].Closed);
}

TEST(Contexts, ClosedFilesStrandTheirMemory) {
  KnownOwners K;
  K.alloc(0, Inodes).open(1, 0).alloc(2, Dentries);
  K.store(2, K.DInode, K.slot(0) + 64).free(1, Files).access(0);
  const ContextsReport R = K.report();
  EXPECT_EQ(R.Classes[0].StrandedAtEnd, 512u + 192u);
  EXPECT_EQ(R.Windows.back().Slab.Closed, 512u + 192u);
}

TEST(Contexts, ClassesSayWhatTheyConsistOf) {
  KnownOwners K;
  K.alloc(0, Inodes).open(1, 0).alloc(2, Dentries);
  K.store(2, K.DInode, K.slot(0) + 64).page(K.Memory + 0x100000, 0, 17);
  K.page(K.Memory + 0x200000, K.slot(0) + 128, 17).free(1, Files);
  ContextsOptions Options;
  Options.Windows = 1;
  const ContextsReport R = K.report(Options);
  ASSERT_EQ(R.Classes.size(), 1u);
  std::string Out;
  for (const OwnerClass::Part &Of : R.Classes[0].Parts)
    Out += Of.Type + " " + std::to_string(Of.Objects) + " " +
           std::to_string(Of.Bytes) + " " +
           std::to_string(int(Of.StrandedMean)) + "\n";
  EXPECT_EQ(Out, "pages of files 1 4096 4096\nmy_inode 1 512 512\n"
                 "dentry 1 192 192\nfile 1 128 0\n");
}

TEST(Contexts, WhatWasNeverOpenedIsNotOpen) {
  KnownOwners K;
  K.alloc(0, Inodes).alloc(1, Inodes).open(2, 1);
  const Document Doc = describe(K.report());
  std::string States;
  for (const Block &Part : Doc.Sections[2].Body)
    if (const auto *T = std::get_if<Table>(&Part);
        T && T->Columns[0].Name == "context")
      for (const Table::Row &Row : T->Rows)
        States += Row.Cells.back().Parts[0].Text + ", ";
  EXPECT_EQ(States, "open, never opened, ");
}

TEST(Contexts, PagesAreCheckedAgainstThePageCache) {
  KnownOwners K;
  const uint64_t Pages = K.Memory + (1 << 20);
  K.alloc(0, Inodes).alloc(1, Inodes);
  for (unsigned I = 0; I < 3; ++I)
    K.page(Pages + I * 4096, K.slot(0) + 128, 17);
  K.page(Pages + 3 * 4096, K.slot(1) + 128, 18);
  K.page(Pages + 4 * 4096, 0, 18);               // no pointer was seen
  K.page(Pages + 5 * 4096, K.slot(0) + 128, 18); // wrong
  const ContextsReport R = K.report();
  const PageTruth &Of = R.Truth[size_t(OwnerRule::Pointer)];
  EXPECT_EQ(Of.Pages, 6u);
  EXPECT_EQ(Of.Said, 5u);
  EXPECT_EQ(Of.Right, 4u);
  EXPECT_EQ(R.MixedContexts, 1u);
  EXPECT_EQ(R.NamedContexts, 2u);
}

TEST(Contexts, PagesOfTmpfsAreNoPagesOfApplications) {
  KnownOwners K;
  K.alloc(0, Inodes).movable(K.Memory + 0x10000, K.slot(0) + 128);
  K.movable(K.Memory + 0x20000, 0);
  const ContextsReport R = K.report();
  EXPECT_EQ(R.ApplicationLives.livingCount(), 1u);
  EXPECT_EQ(R.FileLives.livingCount(), 0u);
  ASSERT_EQ(R.Classes.size(), 1u);
  EXPECT_EQ(R.Classes[0].FilePages, 1u);
  EXPECT_EQ(R.Truth[0].Pages, 0u);
}

TEST(Contexts, APageThatLeadsElsewhereIsNotTheDescriptors) {
  KnownOwners K;
  K.alloc(0, Inodes).call(true, K.slot(0) + 64);
  K.page(K.Memory + (1 << 20), K.Memory + (1 << 21), 18);
  K.call(false);
  const ContextsReport R = K.report();
  EXPECT_EQ(R.FilePages.Objects[size_t(OwnerRule::None)], 1u);
  EXPECT_EQ(R.FilePages.Alone[size_t(OwnerRule::Call)], 4096u);
}

TEST(Contexts, AnotherSizeOfAStructIsNotBelieved) {
  KnownOwners K;
  K.G.Types[K.G.find("dentry")].SizeBytes = 200;
  K.alloc(0, Inodes).alloc(2, Dentries).store(2, K.DInode, K.slot(0) + 64);
  const ContextsReport R = K.report();
  EXPECT_EQ(R.Misfits, std::vector<std::string>{"dentry"});
  EXPECT_EQ(typeOf(R, "dentry").Found.Objects[size_t(OwnerRule::Pointer)], 0u);
}

TEST(Contexts, AReusedSlotIsAnotherContext) {
  KnownOwners K;
  K.alloc(0, Inodes).free(0, Inodes).alloc(0, Inodes);
  const ContextsReport R = K.report();
  EXPECT_EQ(R.Classes[0].Contexts, 2u);
  EXPECT_EQ(R.Classes[0].Ended, 1u);
}

KnownOwners twoSockets() {
  KnownOwners K;
  K.alloc(0, Inodes).alloc(1, Inodes);
  K.alloc(2, Socks).store(2, K.SkSocket, K.slot(0) + 16);
  K.alloc(3, Socks).store(3, K.SkSocket, K.slot(1) + 16);
  return K;
}

TEST(Contexts, ASocketBufferIsOfTheSocketWhereItWaits) {
  KnownOwners K = twoSockets();
  K.alloc(4, Buffers).store(4, K.BufferSock, K.slot(2));
  EXPECT_EQ(K.ownerOf(4), K.slot(0));
  K.store(4, K.BufferNext, K.slot(3) + 128); // the head of a queue
  EXPECT_EQ(K.ownerOf(4), K.slot(1));
  K.alloc(5, Buffers).store(5, K.BufferSock, K.slot(2));
  K.store(4, K.BufferNext, K.slot(5)); // the next in the queue
  EXPECT_EQ(K.ownerOf(4), K.slot(1));
  EXPECT_EQ(typeOf(K.report(), "sk_buff").Found.Changed, 1u);
}

TEST(Contexts, ACopiedSockIsNoPartOfTheOriginals) {
  KnownOwners K = twoSockets();
  K.alloc(4, Socks).store(4, K.SkSocket, K.slot(0) + 16);
  EXPECT_EQ(K.ownerOf(4), K.slot(4));
  K.alloc(5, Inodes).store(4, K.SkSocket, K.slot(5) + 16); // accept()
  EXPECT_EQ(K.ownerOf(4), K.slot(5));
  K.free(2, Socks).alloc(6, Socks).store(6, K.SkSocket, K.slot(0) + 16);
  EXPECT_EQ(K.ownerOf(6), K.slot(0));
}

TEST(Contexts, WhatASockLiesInSaysNothingOfItsSocket) {
  KnownOwners K;
  K.alloc(0, Inodes).alloc(1, Dentries).store(1, K.DInode, K.slot(0) + 64);
  K.alloc(2, Socks).store(2, K.SockDentry, K.slot(1));
  EXPECT_EQ(K.ownerOf(2), K.slot(2));
}

TEST(Contexts, OfEquallyLongWaysTheFirstCounts) {
  KnownOwners K;
  K.alloc(0, Inodes).alloc(1, Inodes).open(2, 0).open(3, 1).alloc(4, Locks);
  K.store(4, K.LockOther, K.slot(3));
  EXPECT_EQ(K.ownerOf(4), K.slot(1));
  K.store(4, K.LockFile, K.slot(2)).store(4, K.LockOther, K.slot(3));
  EXPECT_EQ(K.ownerOf(4), K.slot(0));
}

TEST(Contexts, APointerIntoAnAnchorIsAWay) {
  KnownOwners K;
  K.alloc(0, Inodes).alloc(1, Nodes).store(1, K.NodeArray, K.slot(0) + 192);
  EXPECT_EQ(K.ownerOf(1), K.slot(0));
}

TEST(Contexts, ThreadsOfTheKernelHaveNoLastFile) {
  KnownOwners K;
  K.alloc(0, Inodes).open(1, 0).alloc(2, Data);
  EXPECT_EQ(K.ownerOf(2), 0u);
  K.call(true, K.slot(0) + 64).call(false).alloc(3, Data);
  EXPECT_EQ(K.ownerOf(3), K.slot(0));
}

TEST(Contexts, TheListingHasWhatLives) {
  KnownOwners K;
  K.alloc(0, Inodes).alloc(1, Dentries).store(1, K.DInode, K.slot(0) + 64);
  K.alloc(2, Data).alloc(3, Data).free(3, Data).free(0, Inodes);
  ContextsOptions Options;
  Options.Living = true;
  EXPECT_EQ(objectListing(K.report(Options).Living),
            "# address number type bytes rule pointers descriptor last-file\n"
            "0xffff888000100200 2 dentry 192 pointers "
            "gone:my_inode@0xffff888000100000 - -\n"
            "0xffff888000100400 3 kmalloc-64 64 none - - -\n");
  EXPECT_TRUE(K.report().Living.Objects.empty());
}

} // namespace
