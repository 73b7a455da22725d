// SPDX-License-Identifier: GPL-2.0-or-later
//
// Start and end of the program or shared library that this copy of the runtime
// is linked into. Where several files of a process have a copy and see each
// other's symbols, one copy does the work and the others only tell it that
// their file comes and goes; else each writes a file of its own.

#define _GNU_SOURCE
#include "Internal.h"
#include "kst.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define HIDDEN __attribute__((weak, visibility("hidden")))
extern const ElfW(Ehdr) __ehdr_start HIDDEN;
extern const char _end[] HIDDEN;
extern const char __kst_counted HIDDEN;
extern const struct kst_object __start___kst_objects[] HIDDEN;
extern const struct kst_object __stop___kst_objects[] HIDDEN;

static struct sigaction handled_before;
static int handled;

void kst_image(void) {}

static bool is_program(void) {
  return &__ehdr_start && (const char *)&__ehdr_start + __ehdr_start.e_phoff ==
                              (const char *)getauxval(AT_PHDR);
}

// Two copies may both be asked: each calls the one before it.
static void on_signal(int number, siginfo_t *info, void *context) {
  kst_dump();
  if (handled_before.sa_flags & SA_SIGINFO)
    handled_before.sa_sigaction(number, info, context);
  else if (handled_before.sa_handler != SIG_DFL &&
           handled_before.sa_handler != SIG_IGN)
    handled_before.sa_handler(number);
}

static int signal_number(const char *name) {
  if (*name >= '0' && *name <= '9') {
    char *end;
    long number = strtol(name, &end, 10);
    return *end || number >= NSIG ? 0 : (int)number;
  }
  if (!strncmp(name, "SIG", 3))
    name += 3;
  static const struct {
    const char *name;
    int number;
  } known[] = {{"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},
               {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"ALRM", SIGALRM},
               {"TERM", SIGTERM}, {"PROF", SIGPROF}, {"WINCH", SIGWINCH},
               {"URG", SIGURG},   {"PWR", SIGPWR},   {"IO", SIGIO}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (!strcmp(name, known[i].name))
      return known[i].number;
  return 0;
}

static void handle_signal(void) {
  const char *name = secure_getenv("KST_SIGNAL");
  if (!name || !*name)
    return;
  int number = signal_number(name);
  struct sigaction action = {.sa_sigaction = on_signal,
                             .sa_flags = SA_SIGINFO | SA_RESTART};
  sigfillset(&action.sa_mask);
  if (!number || sigaction(number, &action, &handled_before))
    kst_complain("KST_SIGNAL: no such signal", name, 0);
  else
    handled = number;
}

static void end(void);

__attribute__((constructor(101))) static void start(void) {
  struct kst_guard guard;
  kst_lock(&guard);
  kst_init();
  kst_unlock(&guard);
  __kst_rt_load(__start___kst_objects,
                (size_t)(__stop___kst_objects - __start___kst_objects));
  handle_signal();
  if (is_program())
    at_quick_exit(end);
}

static void end(void) {
  struct kst_guard guard;
  bool program = is_program();
  if (!program)
    __kst_rt_unload((const char *)&__ehdr_start, _end, __start___kst_objects,
                    (size_t)(__stop___kst_objects - __start___kst_objects));
  kst_lock(&guard);
  kst_process.finalized = true;
  if ((program && &__kst_counted) || kst_record_count())
    kst_dump_final();
  if (!program)
    kst_unwatch();
  kst_unlock(&guard);
  if (!program && handled) {
    struct sigaction now;
    if (!sigaction(handled, NULL, &now) && now.sa_sigaction == on_signal)
      sigaction(handled, &handled_before, NULL);
  }
}

// Priority 0, which is the last to run; the attribute refuses it.
__attribute__((section(".fini_array.00000"),
               used)) static void (*at_end)(void) = end;
