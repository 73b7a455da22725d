// SPDX-License-Identifier: GPL-2.0-or-later

#include "test/unit/program/Analysed.h"

using namespace kst;

namespace {

const char *Threads = R"c(
  struct s { long count; int stop; int config; };
  extern int pthread_create(void *, const void *, void *(*)(void *), void *);
  extern int thread_id;
)c";

/// How many times more often the thread's loop runs than the rest of it.
double rounds(const std::string &Code, const char *InLoop = "count",
              const char *Outside = "config") {
  Analysed Of({Threads + Code});
  return Of.use(InLoop).total() / Of.use(Outside).total();
}

} // namespace

TEST(Rounds, EachIterationOfAThreadIsAVisit) {
  Analysed Of({Threads + std::string(R"c(
    static void *work(void *arg) {
      struct s *p = arg;
      p->config = 1;
      while (!p->stop) p->count++;
      return 0;
    }
    void start(struct s *p) { pthread_create(&thread_id, 0, work, p); }
  )c")});
  ASSERT_EQ(Of.Evidence.Sets.size(), 2u);
  const CoAccessSet &Round = Of.Evidence.Sets[0];
  EXPECT_EQ(Round.Kind, SetKind::Loop);
  ASSERT_EQ(Round.Touches.size(), 2u);
  EXPECT_EQ(Of.Evidence.Sets[1].Touches.size(), 1u);
  EXPECT_GT(Round.Weight, 500 * Of.Evidence.Sets[1].Weight);
}

TEST(Rounds, NoThreadNoRounds) {
  EXPECT_LT(rounds(R"c(
    void work(struct s *p) { p->config = 1; while (!p->stop) p->count++; }
  )c"),
            50);
}

TEST(Rounds, ThroughCallsParametersAndFields) {
  const std::string Work = R"c(
    static void work(struct s *p) { p->config = 1; while (!p->stop) p->count++; }
  )c";
  // Called once by what was started.
  EXPECT_GT(rounds(Work + R"c(
    static void *run(void *p) { work(p); return 0; }
    void start(struct s *p) { pthread_create(&thread_id, 0, run, p); }
  )c"),
            500);
  // Through a wrapper, from a table.
  EXPECT_GT(rounds(Work + R"c(
    struct job { void *(*run)(void *); void (*inner)(struct s *); struct s *of; };
    static void *run(void *p) { struct job *j = p; j->inner(j->of); return 0; }
    static void spawn(void *(*f)(void *), void *p) { pthread_create(&thread_id, 0, f, p); }
    void start(struct s *p) {
      struct job jobs[2] = {{run, work, p}, {run, work, p}};
      for (int i = 0; i < 2; i++) spawn(jobs[i].run, &jobs[i]);
    }
  )c"),
            500);
  // Called in a loop, it is no stretch that a thread stays in.
  EXPECT_LT(rounds(Work + R"c(
    static void *run(void *p) { for (;;) work(p); return 0; }
    void start(struct s *p) { pthread_create(&thread_id, 0, run, p); }
  )c"),
            50);
}

TEST(Rounds, OfAServerTheLoopThatWaits) {
  const std::string Server = R"c(
    struct event { int fd; };
    extern int epoll_wait(int, struct event *, int, int);
    static int next(void) { struct event e; return epoll_wait(0, &e, 1, -1); }
    static int (*const poller)(void) = next;
    extern int more(void);
    static void *idle(void *p) { return p; }
    static struct s *made;
    void helper(struct s *p) { p->stop++; }
    static void setUp(struct s *p) { while (more()) { p->config++; helper(p); } }
    int main(void) {
      setUp(made);
      START
      for (;;) { WAIT(); made->count++; }
    }
  )c";
  const std::string Threads =
      "#define START pthread_create(&thread_id, 0, idle, 0);\n";
  EXPECT_GT(rounds(Threads + "#define WAIT next\n" + Server), 500);
  // What the program's own code calls, it calls as often as that.
  EXPECT_GT(rounds(Threads + "#define WAIT next\n" + Server, "count", "stop"),
            200);
  // Nothing waits, or nobody else is there: every loop counts.
  EXPECT_LT(rounds(Threads + "#define WAIT more\n" + Server), 50);
  EXPECT_LT(rounds("#define START\n#define WAIT next\n" + Server), 50);
}
