// SPDX-License-Identifier: GPL-2.0-or-later
//
// The memcached case of dprof_cases.py: on each of two CPUs a client and a
// server that echoes datagrams, in two network namespaces with a pair of
// virtual devices of their own. `steer=1` gives the receiving side of each
// device (RPS) to the other CPU, `steer=0` to the CPU of its processes.

#include "guest.h"

#include <arpa/inet.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { CPUS = 2, PORT = 11211, REQUEST = 100, REPLY = 1000 };

static struct progress {
  atomic_int servers, warm, go, done, end;
} *all;

struct message {
  struct nlmsghdr head;
  struct ifinfomsg info;
  char space[512];
};

static struct rtattr *attribute(struct nlmsghdr *head, int type,
                                const void *data, size_t bytes) {
  struct rtattr *at =
      (struct rtattr *)((char *)head + NLMSG_ALIGN(head->nlmsg_len));
  at->rta_type = type;
  at->rta_len = RTA_LENGTH(bytes);
  if (bytes)
    memcpy(RTA_DATA(at), data, bytes);
  head->nlmsg_len = NLMSG_ALIGN(head->nlmsg_len) + RTA_ALIGN(at->rta_len);
  return at;
}

static void end(struct nlmsghdr *head, struct rtattr *of) {
  of->rta_len = (char *)head + NLMSG_ALIGN(head->nlmsg_len) - (char *)of;
}

/// A pair of devices, the peer in another namespace.
static void make_pair(const char *name, const char *peer, int peer_namespace) {
  struct message m = {0};
  m.head.nlmsg_len = NLMSG_LENGTH(sizeof m.info);
  m.head.nlmsg_type = RTM_NEWLINK;
  m.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK;
  attribute(&m.head, IFLA_IFNAME, name, strlen(name) + 1);
  struct rtattr *link = attribute(&m.head, IFLA_LINKINFO, 0, 0);
  attribute(&m.head, IFLA_INFO_KIND, "veth", 4);
  struct rtattr *data = attribute(&m.head, IFLA_INFO_DATA, 0, 0);
  struct ifinfomsg other = {0};
  struct rtattr *of_peer =
      attribute(&m.head, VETH_INFO_PEER, &other, sizeof other);
  attribute(&m.head, IFLA_IFNAME, peer, strlen(peer) + 1);
  attribute(&m.head, IFLA_NET_NS_FD, &peer_namespace, sizeof peer_namespace);
  end(&m.head, of_peer);
  end(&m.head, data);
  end(&m.head, link);
  int netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  char answer[1024];
  if (send(netlink, &m, m.head.nlmsg_len, 0) < 0 ||
      recv(netlink, answer, sizeof answer, 0) < 0 ||
      ((struct nlmsgerr *)NLMSG_DATA(answer))->error)
    die("a pair of devices");
  close(netlink);
}

static struct sockaddr_in address(int pair, int side, int port) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
  at.sin_addr.s_addr = htonl(10 << 24 | pair << 8 | (side + 1));
  return at;
}

/// Address and receiving CPU of a device in this namespace.
static void bring_up(const char *sys, const char *device, int pair, int side,
                     int steer) {
  struct ifreq r = {0};
  strcpy(r.ifr_name, device);
  int any = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in at = address(pair, side, 0);
  memcpy(&r.ifr_addr, &at, sizeof at);
  if (ioctl(any, SIOCSIFADDR, &r))
    die("SIOCSIFADDR");
  at.sin_addr.s_addr = htonl(0xffffff00);
  memcpy(&r.ifr_netmask, &at, sizeof at);
  if (ioctl(any, SIOCSIFNETMASK, &r))
    die("SIOCSIFNETMASK");
  r.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(any, SIOCSIFFLAGS, &r))
    die("SIOCSIFFLAGS");
  close(any);
  char path[128], mask[16];
  snprintf(path, sizeof path, "%s/class/net/%s/queues/rx-0/rps_cpus", sys,
           device);
  snprintf(mask, sizeof mask, "%x\n", 1 << (steer ? CPUS - 1 - pair : pair));
  put(path, mask);
}

static int bound(int pair, int side) {
  int one = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in at = address(pair, side, PORT);
  struct timeval long_time = {.tv_sec = 60};
  setsockopt(one, SOL_SOCKET, SO_RCVTIMEO, &long_time, sizeof long_time);
  if (one < 0 || bind(one, (struct sockaddr *)&at, sizeof at))
    die("bind");
  return one;
}

static void serve(int pair) {
  int own = bound(pair, 1);
  struct sockaddr_in from;
  char bytes[REPLY] = {0};
  atomic_fetch_add(&all->servers, 1);
  for (;;) {
    socklen_t length = sizeof from;
    if (recvfrom(own, bytes, sizeof bytes, 0, (struct sockaddr *)&from,
                 &length) < 0)
      die("the server received nothing");
    sendto(own, bytes, sizeof bytes, 0, (struct sockaddr *)&from, length);
  }
}

/// So many requests, `flight` at a time.
static void ask(int own, const struct sockaddr_in *server, int requests,
                int flight) {
  char bytes[REPLY] = {0};
  for (int done = 0; done < requests; done += flight) {
    for (int i = 0; i < flight; ++i)
      if (sendto(own, bytes, REQUEST, 0, (const struct sockaddr *)server,
                 sizeof *server) != REQUEST)
        die("sendto");
    for (int i = 0; i < flight; ++i)
      if (recv(own, bytes, sizeof bytes, 0) != REPLY)
        die("no reply");
  }
}

static void client(int pair, int requests, int warm_up, int flight) {
  int own = bound(pair, 0);
  struct sockaddr_in server = address(pair, 1, PORT);
  while (atomic_load(&all->servers) < CPUS)
    usleep(1000);
  ask(own, &server, warm_up, flight);
  atomic_fetch_add(&all->warm, 1);
  if (pair == 0) {
    while (atomic_load(&all->warm) < CPUS)
      usleep(1000);
    mark_start();
    atomic_store(&all->go, 1);
  }
  while (!atomic_load(&all->go))
    ;
  ask(own, &server, requests, flight);
  atomic_fetch_add(&all->done, 1);
  if (pair == 0) {
    while (atomic_load(&all->done) < CPUS)
      ;
    mark_stop();
    atomic_store(&all->end, 1);
  }
  while (!atomic_load(&all->end)) // its socket stays in the tables
    ;
  _exit(0);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  mount_at("proc", "/proc");
  const int steer = setting("steer", 0), requests = setting("requests", 1000),
            warm_up = setting("warm_up", 500), flight = setting("flight", 4);
  all = shared(sizeof *all);
  int ours = open("/proc/self/ns/net", O_RDONLY);
  mount_at("sysfs", "/sys0");
  if (unshare(CLONE_NEWNET))
    die("unshare");
  int theirs = open("/proc/self/ns/net", O_RDONLY);
  mount_at("sysfs", "/sys1");
  setns(ours, CLONE_NEWNET);
  make_pair("client0", "server0", theirs);
  make_pair("client1", "server1", theirs);
  bring_up("/sys0", "client0", 0, 0, steer);
  bring_up("/sys0", "client1", 1, 0, steer);
  setns(theirs, CLONE_NEWNET);
  bring_up("/sys1", "server0", 0, 1, steer);
  bring_up("/sys1", "server1", 1, 1, steer);
  pid_t clients[CPUS];
  for (int pair = 0; pair < CPUS; ++pair) {
    if (!fork()) {
      pin(pair);
      serve(pair);
    }
    if (!(clients[pair] = fork())) {
      pin(pair);
      setns(ours, CLONE_NEWNET);
      client(pair, requests, warm_up, flight);
    }
  }
  for (int pair = 0; pair < CPUS; ++pair)
    waitpid(clients[pair], 0, 0);
  printf("case requests %d\n", CPUS * requests);
  reboot(RB_POWER_OFF);
  return 0;
}
