// SPDX-License-Identifier: GPL-2.0-or-later
//
// The Apache case of dprof_cases.py: a server accepts a connection when one of
// its workers is idle, and each request is the same work. The client keeps up
// to `load` connections open; those that the server's queue of `backlog_size`
// has no place for are given up at once and tried again after the next reply.
// All is on CPU 1, as the paper's servers had a core and its packets to
// themselves; the client comes first there, as packets from outside do, so that
// what waits waits for the server.

#include "guest.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum { PORT = 80, REQUEST = 100, REPLY = 1200, WORKERS = 4, EVENTS = 4 };

static struct progress {
  atomic_int listening;
} *all;

static void bring_up_loopback(void) {
  struct ifreq r = {0};
  strcpy(r.ifr_name, "lo");
  r.ifr_flags = IFF_UP | IFF_RUNNING;
  int any = socket(AF_INET, SOCK_DGRAM, 0);
  if (ioctl(any, SIOCSIFFLAGS, &r))
    die("lo");
  close(any);
}

static struct sockaddr_in address(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT)};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return at;
}

/// In registers, so that it is no access.
static void work(int steps) {
  for (int i = 0; i < steps; ++i)
    __asm__ volatile("" : "+r"(i));
}

struct hired {
  int connections[2], idle[2]; ///< pipes
  int page, steps;
};

static void tell_idle(const struct hired *as) {
  if (write(as->idle[1], "", 1) != 1)
    die("write");
}

static int worker(void *of) {
  const struct hired *as = of;
  char bytes[REPLY];
  int one;
  while (read(as->connections[0], &one, sizeof one) == sizeof one) {
    if (recv(one, bytes, REQUEST, MSG_WAITALL) != REQUEST)
      die("the request");
    work(as->steps);
    if (pread(as->page, bytes, sizeof bytes, 0) != REPLY ||
        send(one, bytes, sizeof bytes, 0) != REPLY)
      die("the reply");
    close(one);
    tell_idle(as);
  }
  return 0;
}

/// Threads, as they share the descriptors.
static void hire(struct hired *as) {
  const size_t stack = 1 << 16;
  char *space = mmap(0, stack, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (space == MAP_FAILED ||
      clone(worker, space + stack,
            CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                CLONE_SYSVSEM,
            as) < 0)
    die("clone");
}

static void serve(int backlog, int steps) {
  static struct hired as;
  int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in at = address();
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&at, sizeof at) ||
      listen(listener, backlog) || pipe(as.connections) || pipe(as.idle))
    die("listen");
  as.page = open("/page", O_RDONLY);
  as.steps = steps;
  for (int i = 0; i < WORKERS; ++i) {
    hire(&as);
    tell_idle(&as);
  }
  atomic_store(&all->listening, 1);
  for (char idle; read(as.idle[0], &idle, 1) == 1;) {
    int one = accept(listener, 0, 0);
    if (one < 0 || write(as.connections[1], &one, sizeof one) != sizeof one)
      die("accept");
  }
}

/// A connection with its request sent, or -1 if the server has no place.
static int connection(int events) {
  static const char request[REQUEST];
  int one = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  // Its end leaves no socket that waits for late packets.
  struct linger none = {1, 0};
  setsockopt(one, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  struct sockaddr_in at = address();
  if (connect(one, (struct sockaddr *)&at, sizeof at) && errno != EINPROGRESS)
    die("connect");
  // Over loopback it is there now or it never is.
  struct epoll_event about = {EPOLLIN, {.fd = one}};
  if (send(one, request, sizeof request, 0) != REQUEST ||
      epoll_ctl(events, EPOLL_CTL_ADD, one, &about)) {
    close(one);
    return -1;
  }
  return one;
}

struct counts {
  long replies, refused, open_sum;
};

/// So many replies; `*open_now` connections stay open.
static struct counts drive(int events, int load, long replies, int *open_now) {
  static char bytes[REPLY];
  struct counts so_far = {0, 0, 0};
  while (so_far.replies < replies) {
    while (*open_now < load && connection(events) >= 0)
      ++*open_now;
    so_far.refused += *open_now < load;
    struct epoll_event happened[EVENTS];
    int number = epoll_wait(events, happened, EVENTS, 60000);
    if (number <= 0)
      die("no reply");
    for (int i = 0; i < number; ++i) {
      ssize_t got = recv(happened[i].data.fd, bytes, sizeof bytes, 0);
      if (got < 0)
        die("recv");
      if (got > 0)
        continue;
      so_far.open_sum += *open_now;
      close(happened[i].data.fd);
      --*open_now;
      ++so_far.replies;
    }
  }
  return so_far;
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  mount_at("proc", "/proc");
  const int backlog = setting("backlog_size", 64), load = setting("load", 64),
            replies = setting("replies", 600), steps = setting("steps", 100000);
  all = shared(sizeof *all);
  bring_up_loopback();
  put("/proc/sys/net/core/somaxconn", "4096\n");
  static char page[REPLY + 1];
  memset(page, 'x', REPLY);
  put("/page", page);
  if (!fork()) {
    pin(1);
    serve(backlog, steps);
  }
  pin(1);
  const struct sched_param first = {1};
  if (sched_setscheduler(0, SCHED_FIFO, &first))
    die("sched_setscheduler");
  while (!atomic_load(&all->listening))
    usleep(1000);
  int events = epoll_create1(0), open_now = 0;
  drive(events, load, load + 200, &open_now);
  mark_start();
  struct counts in_window = drive(events, load, replies, &open_now);
  mark_stop();
  printf("case requests %ld refused %ld open %.1f\n", in_window.replies,
         in_window.refused, (double)in_window.open_sum / in_window.replies);
  reboot(RB_POWER_OFF);
  return 0;
}
