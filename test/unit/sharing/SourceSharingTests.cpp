// SPDX-License-Identifier: GPL-2.0-or-later
//
// From C text to findings.

#include "hybrid/program/Frequencies.h"
#include "hybrid/sharing/SourceSharing.h"
#include "test/unit/support/TestTU.h"

#include "gtest/gtest.h"

using namespace kst;

namespace {

SharingReport sharingIn(const std::string &Code) {
  std::vector<TuFacts> Units;
  TestTU Unit = TestTU::withCode(R"c(
    typedef unsigned long pthread_t; typedef unsigned long size_t;
    extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
    extern int pthread_join(pthread_t, void **);
    extern void *malloc(size_t), *aligned_alloc(size_t, size_t);
    pthread_t threads[8];
  )c" + Code);
  llvm::Expected<TuFacts> Facts = Unit.build();
  SharingReport R;
  R.Evidence = "source";
  if (!Facts) {
    ADD_FAILURE() << llvm::toString(Facts.takeError());
    return R;
  }
  Units.push_back(std::move(*Facts));
  Program Whole(Units);
  const Estimate Guess = estimateFrequencies(Whole, {});
  addSourceSharing(R, Whole, walkThreads(Whole, Guess.Code), usualMachine());
  return R;
}

const char *Start = R"c(
  int main(void) {
    for (long i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, GIVEN);
    for (long i = 0; i < 4; i++) pthread_join(threads[i], 0);
    return 0;
  }
)c";

/// Threads in a loop, each with `Given`, an expression of i.
SharingReport inLoop(const std::string &Code, const std::string &Given) {
  return sharingIn("#define GIVEN (void *)(" + Given + ")\n" + Code + Start);
}

} // namespace

TEST(SourceSharing, ElementsByAVariableOfTheThread) {
  const std::string Code = R"c(
    static __thread int self = -1;
    static int next, counters[64];
    static void count(void) { counters[self]++; }
    void *work(void *arg) {
      self = next++;
      for (int n = 0; n < 1000; n++) { LOCAL count(); }
      return 0;
    }
  )c";
  const SharingReport R = inLoop("#define LOCAL\n" + Code, "0");
  ASSERT_EQ(R.False.size(), 1u);
  EXPECT_EQ(R.False[0].Object, "counters");
  EXPECT_EQ(R.False[0].Between, SharedParts::Elements);
  // A variable that each has is shared by nobody.
  const SharingReport Own =
      inLoop("static __thread int own[64];\n#define count()\n#define LOCAL "
             "own[0]++;\n" +
                 Code.substr(0, Code.find("static void count")) +
                 Code.substr(Code.find("void *work")),
             "0");
  EXPECT_TRUE(Own.False.empty());
  for (const SharingFinding &F : Own.True)
    EXPECT_EQ(F.Object, "next");
}

TEST(SourceSharing, AVariableOfTheThreadThatCountsOnIsNoNumberOfIt) {
  auto Of = [](const std::string &Own, const std::string &Index) {
    return inLoop("static __thread int own, copy; int counters[64];\n"
                  "void *work(void *arg) {\n"
                  "  for (int n = 0; n < 1000; n++) { " +
                      Own + " counters[" + Index + "]++; }\n  return 0;\n}\n",
                  "0");
  };
  EXPECT_TRUE(Of("own++;", "own").False.empty()) << "each uses all";
  // Set from one another: no endless search.
  EXPECT_EQ(Of("own = copy; copy = own;", "copy").False.size(), 1u);
}

TEST(SourceSharing, ElementsByTheThreadsNumber) {
  const SharingReport R = inLoop(R"c(
    int counters[64];
    void *work(void *arg) {
      for (int n = 0; n < 1000; n++) counters[(long)arg]++;
      return 0;
    }
  )c",
                                 "i");
  ASSERT_EQ(R.False.size(), 1u);
  EXPECT_EQ(R.False[0].Object, "counters");
  EXPECT_EQ(R.False[0].Between, SharedParts::Elements);
  EXPECT_EQ(R.False[0].StrideBytes, 4u);
  ASSERT_EQ(R.False[0].Writers.size(), 1u);
  EXPECT_EQ(R.False[0].Writers[0].Where.Function, "work");
  EXPECT_TRUE(R.True.empty());
}

TEST(SourceSharing, StepsOfALineAreApart) {
  EXPECT_TRUE(inLoop(R"c(
    _Alignas(64) int counters[64];
    void *work(void *arg) {
      for (int n = 0; n < 1000; n++) counters[(long)arg * 16]++;
      return 0;
    }
  )c",
                     "i")
                  .False.empty());
}

TEST(SourceSharing, WhatEachThreadIsGiven) {
  const std::string Args = R"c(
    struct arg { long sum; int *out; char rest[24]; } args[8];
    void *work(void *p) {
      struct arg *a = p;
      for (int n = 0; n < 1000; n++) a->sum += n;
      return 0;
    }
  )c";
  const SharingReport R = inLoop(Args, "&args[i]");
  ASSERT_EQ(R.False.size(), 1u);
  EXPECT_EQ(R.False[0].Type, "struct arg");
  EXPECT_EQ(R.False[0].StrideBytes, 40u);
  EXPECT_EQ(R.False[0].Fields, std::vector<std::string>{"sum"});
  // All are given the same: truly shared.
  const SharingReport Same = inLoop(Args, "&args[0]");
  EXPECT_TRUE(Same.False.empty());
  ASSERT_EQ(Same.True.size(), 1u);
}

TEST(SourceSharing, PointersThatThreadsWereStored) {
  const SharingReport R = sharingIn(R"c(
    struct arg { int *out; char apart[56]; } args[8];
    int *results;
    void *work(void *p) {
      struct arg *a = p;
      for (int n = 0; n < 1000; n++) (*a->out)++;
      return 0;
    }
    int main(void) {
      results = malloc(8 * sizeof(int));
      for (int i = 0; i < 4; i++) {
        args[i].out = &results[i];
        pthread_create(&threads[i], 0, work, &args[i]);
      }
      for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    }
  )c");
  ASSERT_EQ(R.False.size(), 1u);
  EXPECT_EQ(R.False[0].Object, "results");
  EXPECT_EQ(R.False[0].Between, SharedParts::Elements);
}

TEST(SourceSharing, FieldsOfOneObject) {
  const char *Code = R"c(
    struct pair { long a; char apart[PAD]; long b; } pair;
    void *left(void *p) { for (int n = 0; n < 1000; n++) pair.a++; return 0; }
    void *right(void *p) { for (int n = 0; n < 1000; n++) pair.b++; return 0; }
    int main(void) {
      pthread_create(&threads[0], 0, left, 0);
      JOIN
      pthread_create(&threads[1], 0, right, 0);
      pthread_join(threads[1], 0);
    }
  )c";
  const SharingReport R =
      sharingIn(std::string("#define PAD 8\n#define JOIN\n") + Code);
  ASSERT_EQ(R.False.size(), 1u);
  EXPECT_EQ(R.False[0].Between, SharedParts::Fields);
  EXPECT_EQ(R.False[0].Fields, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(R.True.empty());
  // On lines of their own; one after the other.
  EXPECT_TRUE(sharingIn(std::string("#define PAD 56\n#define JOIN\n") + Code)
                  .False.empty());
  EXPECT_TRUE(
      sharingIn(
          std::string(
              "#define PAD 8\n#define JOIN pthread_join(threads[0], 0);\n") +
          Code)
          .False.empty());
}

TEST(SourceSharing, VariablesSideBySide) {
  const char *Code = R"c(
    long one; BETWEEN long other;
    void *left(void *p) { for (int n = 0; n < 1000; n++) one++; return 0; }
    void *right(void *p) { for (int n = 0; n < 1000; n++) other++; return 0; }
    int main(void) {
      pthread_create(&threads[0], 0, left, 0);
      pthread_create(&threads[1], 0, right, 0);
      pthread_join(threads[0], 0);
    }
  )c";
  const SharingReport R = sharingIn(std::string("#define BETWEEN\n") + Code);
  ASSERT_EQ(R.False.size(), 1u);
  EXPECT_EQ(R.False[0].Between, SharedParts::Globals);
  EXPECT_TRUE(sharingIn(std::string("#define BETWEEN char apart[64];\n") + Code)
                  .False.empty());
}

TEST(SourceSharing, WhatAThreadMakesIsItsOwn) {
  EXPECT_TRUE(inLoop(R"c(
    struct s { long sum; };
    static __thread long mine;
    void *work(void *p) {
      struct s *own = malloc(sizeof *own);
      for (int n = 0; n < 1000; n++) { own->sum++; mine++; }
      return own;
    }
  )c",
                     "i")
                  .False.empty());
}

TEST(SourceSharing, NoThreads) {
  const SharingReport R = sharingIn(R"c(
    int counters[8];
    void work(int i) { for (int n = 0; n < 1000; n++) counters[i]++; }
    int main(void) { for (int i = 0; i < 4; i++) work(i); }
  )c");
  EXPECT_TRUE(R.Threads.empty());
  EXPECT_TRUE(R.False.empty());
}

TEST(SourceSharing, BlocksByTheirSize) {
  const char *Code = R"c(
    struct s { long sum; };
    void *work(void *p) {
      struct s *own = p;
      for (int n = 0; n < 1000; n++) own->sum++;
      return 0;
    }
    int main(void) {
      for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, MADE);
      for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    }
  )c";
  auto Made = [&](const std::string &How) {
    return sharingIn("#define MADE " + How + "\n" + Code);
  };
  const SharingReport R = Made("malloc(sizeof(struct s))");
  ASSERT_EQ(R.False.size(), 1u);
  EXPECT_EQ(R.False[0].Between, SharedParts::Objects);
  EXPECT_TRUE(Made("malloc(sizeof(struct s) + 4096)").False.empty());
  EXPECT_TRUE(Made("aligned_alloc(64, 64)").False.empty());
}

TEST(SourceSharing, TheHottestCallCounts) {
  const SharingReport R = sharingIn(R"c(
    struct pair { long a, b; } pair;
    static void bump(long *p) { ++*p; }
    void *left(void *p) {
      bump(&pair.a); bump(&pair.a); bump(&pair.a);
      for (int n = 0; n < 1000; n++) bump(&pair.a);
      return 0;
    }
    void *right(void *p) { for (int n = 0; n < 1000; n++) bump(&pair.b); return 0; }
    int main(void) {
      pthread_create(&threads[0], 0, left, 0);
      pthread_create(&threads[1], 0, right, 0);
      pthread_join(threads[0], 0); pthread_join(threads[1], 0);
    }
  )c");
  ASSERT_EQ(R.False.size(), 1u);
  EXPECT_EQ(R.False[0].Fields.size(), 2u);
}

TEST(SourceSharing, JoinsOfFailedStartsPartNothing) {
  const SharingReport R = sharingIn(R"c(
    struct pair { long a, b; } pair;
    void *left(void *p) { for (int n = 0; n < 1000; n++) pair.a++; return 0; }
    void *right(void *p) { for (int n = 0; n < 1000; n++) pair.b++; return 0; }
    int main(void) {
      if (pthread_create(&threads[0], 0, left, 0)) return 1;
      if (pthread_create(&threads[1], 0, right, 0)) {
        pthread_join(threads[0], 0);
        return 1;
      }
      pthread_join(threads[0], 0); pthread_join(threads[1], 0);
      return 0;
    }
  )c");
  EXPECT_EQ(R.False.size(), 1u);
}

TEST(SourceSharing, LocksAreMemory) {
  const SharingReport R = sharingIn(R"c(
    typedef struct { long words[5]; } pthread_mutex_t;
    extern int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
    struct shared { pthread_mutex_t lock; long config; } shared;
    long seen;
    void *locks(void *p) {
      for (int n = 0; n < 1000; n++) { pthread_mutex_lock(&shared.lock); pthread_mutex_unlock(&shared.lock); }
      return 0;
    }
    void *reads(void *p) { long sum = 0; for (int n = 0; n < 1000; n++) sum += shared.config; return (void *)sum; }
    int main(void) {
      pthread_create(&threads[0], 0, locks, 0);
      pthread_create(&threads[1], 0, reads, 0);
      pthread_join(threads[0], 0); pthread_join(threads[1], 0);
    }
  )c");
  ASSERT_EQ(R.False.size(), 1u);
  EXPECT_EQ(R.False[0].Fields, (std::vector<std::string>{"lock", "config"}));
}

TEST(SourceSharing, UnknownPointersAreSaid) {
  const SharingReport R = sharingIn(R"c(
    struct job { void *(*run)(void *); long *arg; struct job *next; };
    struct job *queue;
    void *work(void *p) {
      for (int n = 0; n < 1000; n++) ++*queue->next->arg;
      return 0;
    }
    int main(void) {
      for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, 0);
      for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    }
  )c");
  EXPECT_FALSE(R.Limits.empty());
}

TEST(SourceSharing, BranchesOnTheThreadsNumber) {
  auto Fields = [](const std::string &Arms) {
    return inLoop(R"c(
      struct { long x, y, z; } A;
      void *work(void *arg) {
        long me = (long)arg;
        for (int n = 0; n < 1000; n++) )c" +
                      Arms + " return 0; }",
                  "i");
  };
  // All threads write both: true sharing, and what they use together.
  EXPECT_TRUE(Fields("{ A.x++; A.y++; }").False.empty());
  for (const char *Arms :
       {"if ((me & 1) == 0) A.x++; else A.y++;",
        "if (!(me % 2)) A.x++; else A.y++;", "if (2 > me) A.x++; else A.y++;",
        "if (me) A.y++; else A.x++;",
        "{ if (me == 1) A.x++; if (me != 1) A.y++; }"}) {
    const SharingReport R = Fields(Arms);
    ASSERT_EQ(R.False.size(), 1u) << Arms;
    EXPECT_EQ(R.False[0].Between, SharedParts::Fields) << Arms;
    EXPECT_EQ(R.False[0].Fields.size(), 2u) << Arms;
  }
  // Of four threads none gets there, but there may be more: all do.
  const SharingReport Later = Fields("if (me < 8) A.x++; else A.y++;");
  ASSERT_EQ(Later.False.size(), 0u); // they use both
  EXPECT_FALSE(Later.True.empty());
}

TEST(SourceSharing, BranchesOnAConstantOfTheCaller) {
  const SharingReport R = sharingIn(R"c(
    struct { long x, y; } A;
    static void both(int which) {
      for (int n = 0; n < 1000; n++)
        if (which == 0) A.x++; else A.y++;
    }
    void *one(void *arg) { both(0); return arg; }
    void *two(void *arg) { both(1); return arg; }
    int main(void) {
      pthread_create(&threads[0], 0, one, 0);
      pthread_create(&threads[1], 0, two, 0);
      pthread_join(threads[0], 0);
      pthread_join(threads[1], 0);
      return 0;
    }
  )c");
  ASSERT_EQ(R.False.size(), 1u);
  EXPECT_EQ(R.False[0].Fields.size(), 2u);
  EXPECT_GT(R.False[0].Cycles, 5); // what a thread stays in counts whole
}

/// The only accesses are in what the library calls for each event.
static const char *EventLoop = R"c(
  struct base; struct event;
  extern struct event *event_new(struct base *, int, short,
                                 void (*)(int, short, void *), void *);
  extern int event_base_loop(struct base *, int);
  struct slot { long requests, other; };
  static struct slot slots[4];
  static void served(int fd, short what, void *arg) {
    ((struct slot *)arg)->requests++;
  }
  void *work(void *arg) {
    struct base *b = 0;
    REGISTER
    event_base_loop(b, 0);
    return 0;
  }
)c";

TEST(SourceSharing, WhatALibraryCallsBackRunsInTheThreadThatGaveIt) {
  auto With = [](const std::string &Register) {
    return inLoop("#define REGISTER " + Register + "\n" + EventLoop,
                  "&slots[i]");
  };
  const SharingReport R = With("event_new(b, 0, 0, served, arg);");
  ASSERT_EQ(R.False.size(), 1u);
  EXPECT_EQ(R.False[0].Object, "slots");
  EXPECT_TRUE(With("").False.empty());
}

TEST(SourceSharing, AnEventThatSetsTheNextOneIsNoLoopInALoop) {
  auto Cycles = [](const std::string &Again) {
    std::string Code = EventLoop;
    const std::string Counts = "requests++;";
    Code.insert(Code.find(Counts) + Counts.size(), Again);
    const SharingReport R =
        inLoop("#define REGISTER event_new(b, 0, 0, served, arg);\n" + Code,
               "&slots[i]");
    return R.False.size() == 1 ? R.False[0].Cycles : 0;
  };
  EXPECT_GT(Cycles(""), 0);
  EXPECT_NEAR(Cycles("event_new(0, fd, what, served, arg);"), Cycles(""),
              0.01 * Cycles(""));
}
