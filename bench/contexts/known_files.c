// SPDX-License-Identifier: GPL-2.0-or-later
//
// Does a known number of things with files and sockets, and says which: what
// `contexts report` finds must be that. Modes:
//   files N BYTES DIR    writes N files of that size, one after another, closes
//                        them, and reads them again
//   sockets N            N connections over loopback TCP, a message each way
//   alone BYTES DIR      writes one file, while nothing else writes
//   alternate BYTES DIR  writes two files in turns, a block each
//   churn OPENS PERCENT BYTES DIR
//                        opens so many files one after another, reads each four
//                        times and closes it; so many of a hundred are opened
//                        again, one of the last 32 by chance, the others are
//                        new and written first
//   hold N BYTES DIR     makes N files, of which every other stays open and is
//                        mapped and locked, and N of each: connections over
//                        loopback TCP, UDP sockets, pairs of UNIX sockets and
//                        pipes, all with what nobody reads; makes /tmp/held,
//                        and waits for the end of the machine
// Prints "file DEVICE INODE BYTES" for each file and "socket INODE" for each
// socket that it made.

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { Block = 4096, MostSockets = 4096 };
static char Data[Block];

static void must(int Good, const char *What) {
  if (!Good) {
    perror(What);
    exit(1);
  }
}

static void say(int File) {
  struct stat Of;
  must(!fstat(File, &Of), "fstat");
  if (S_ISSOCK(Of.st_mode))
    printf("socket %lu\n", (unsigned long)Of.st_ino);
  else
    printf("file %u:%u %lu %lu\n", major(Of.st_dev), minor(Of.st_dev),
           (unsigned long)Of.st_ino, (unsigned long)Of.st_size);
}

static int make(const char *Folder, int Number) {
  char Name[256];
  snprintf(Name, sizeof(Name), "%s/known%d", Folder, Number);
  int File = open(Name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  must(File >= 0, Name);
  return File;
}

static void files(int Number, long Bytes, const char *Folder) {
  for (int Round = 0; Round < 2; ++Round)
    for (int I = 0; I < Number; ++I) {
      char Name[256];
      snprintf(Name, sizeof(Name), "%s/known%d", Folder, I);
      int File = Round ? open(Name, O_RDONLY) : make(Folder, I);
      must(File >= 0, Name);
      for (long Done = 0; Done < Bytes; Done += Block)
        must((Round ? read(File, Data, Block) : write(File, Data, Block)) ==
                 Block,
             "read or write");
      if (!Round)
        say(File);
      close(File);
    }
}

static void sockets(int Number) {
  static int Ends[MostSockets][2];
  struct sockaddr_in Here = {.sin_family = AF_INET};
  socklen_t Length = sizeof(Here);
  int Listener = socket(AF_INET, SOCK_STREAM, 0);
  Here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  must(Listener >= 0 && !bind(Listener, (void *)&Here, sizeof(Here)) &&
           !listen(Listener, 128) &&
           !getsockname(Listener, (void *)&Here, &Length),
       "listen");
  say(Listener);
  for (int I = 0; I < Number; ++I) {
    int *End = Ends[I];
    End[0] = socket(AF_INET, SOCK_STREAM, 0);
    must(End[0] >= 0 && !connect(End[0], (void *)&Here, sizeof(Here)),
         "connect");
    End[1] = accept(Listener, NULL, NULL);
    must(End[1] >= 0, "accept");
    say(End[0]);
    say(End[1]);
    for (int Way = 0; Way < 2; ++Way)
      must(write(End[Way], Data, Block) == Block &&
               read(End[!Way], Data, Block) > 0,
           "message");
  }
  for (int I = 0; I < Number; ++I) {
    close(Ends[I][0]);
    close(Ends[I][1]);
  }
}

static int bound(int Kind, struct sockaddr_in *Here) {
  socklen_t Length = sizeof(*Here);
  int Socket = socket(AF_INET, Kind, 0);
  *Here = (struct sockaddr_in){.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  must(Socket >= 0 && !bind(Socket, (void *)Here, Length) &&
           !getsockname(Socket, (void *)Here, &Length),
       "bind");
  say(Socket);
  return Socket;
}

/// Messages that lie in the kernel.
static void unread(int To, int Number) {
  for (int I = 0; I < Number; ++I)
    must(write(To, Data, 512) == 512, "message");
}

static void holdSockets(int Number) {
  struct sockaddr_in Here, There;
  int Listener = bound(SOCK_STREAM, &Here);
  must(!listen(Listener, 128), "listen");
  for (int I = 0; I < Number; ++I) {
    int End = socket(AF_INET, SOCK_STREAM, 0), Pair[2];
    must(End >= 0 && !connect(End, (void *)&Here, sizeof(Here)), "connect");
    say(End);
    unread(End, 2);
    if (I % 4) { // else nobody accepts it
      int Other = accept(Listener, NULL, NULL);
      must(Other >= 0, "accept");
      say(Other);
      unread(Other, 2);
    }
    bound(SOCK_DGRAM, &There);
    int Datagrams = bound(SOCK_DGRAM, &(struct sockaddr_in){});
    must(!connect(Datagrams, (void *)&There, sizeof(There)), "connect");
    unread(Datagrams, 2);
    must(!socketpair(AF_UNIX, I % 2 ? SOCK_STREAM : SOCK_DGRAM, 0, Pair),
         "socketpair");
    say(Pair[0]);
    say(Pair[1]);
    unread(Pair[0], 2);
    must(!pipe(Pair), "pipe");
    unread(Pair[1], 2);
  }
}

static void hold(int Number, long Bytes, const char *Folder) {
  for (int I = 0; I < Number; ++I) {
    char Name[256];
    // Every third name is too long for a dentry.
    snprintf(Name, sizeof(Name), "%s/%s%d", Folder,
             I % 3 ? "held"
                   : "held-with-a-name-that-a-dentry-cannot-hold-itself",
             I);
    int File = open(Name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    must(File >= 0, Name);
    for (long Done = 0; Done < Bytes; Done += Block)
      must(write(File, Data, Block) == Block, "write");
    say(File);
    struct flock Lock = {.l_type = F_WRLCK, .l_start = I, .l_len = 1};
    if (I % 2)
      must(!fcntl(File, F_SETLK, &Lock) &&
               mmap(NULL, Block, PROT_READ, MAP_SHARED, File, 0) != MAP_FAILED,
           "lock and map");
    else
      close(File);
  }
  holdSockets(Number);
  fflush(stdout);
  must(open("/tmp/held", O_CREAT | O_WRONLY, 0600) >= 0, "/tmp/held");
  pause();
}

static void inTurns(int Number, long Bytes, const char *Folder) {
  int File[2];
  for (int I = 0; I < Number; ++I)
    File[I] = make(Folder, 100 + I);
  for (long Done = 0; Done < Bytes; Done += Block)
    for (int I = 0; I < Number; ++I)
      must(write(File[I], Data, Block) == Block, "write");
  for (int I = 0; I < Number; ++I)
    say(File[I]);
  for (int I = 0; I < Number; ++I)
    close(File[I]);
}

/// x' = a x + c, upper bits: Knuth's MMIX.
static unsigned chance(unsigned Below) {
  static unsigned long State = 1;
  State = State * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(State >> 33) % Below;
}

static void churn(int Opens, int Percent, long Bytes, const char *Folder) {
  enum { Kept = 32, Readings = 4 };
  int Files = 0, Again = 0;
  for (int I = 0; I < Opens; ++I) {
    const int Old = Files && (int)chance(100) < Percent;
    char Name[256];
    snprintf(Name, sizeof(Name), "%s/known%d", Folder,
             Old ? Files - 1 - (int)chance(Files < Kept ? Files : Kept)
                 : Files);
    int File = Old ? open(Name, O_RDONLY) : make(Folder, Files++);
    must(File >= 0, Name);
    for (long Done = 0; !Old && Done < Bytes; Done += Block)
      must(write(File, Data, Block) == Block, "write");
    for (int Time = 0; Time < Readings; ++Time)
      for (long Done = 0; Done < Bytes; Done += Block)
        must(pread(File, Data, Block, Done) == Block, "read");
    close(File);
    Again += Old;
  }
  printf("churn: %d of %d opened again\n", Again, Opens);
}

int main(int Count, char **Words) {
  const char *Mode = Count > 1 ? Words[1] : "";
  if (!strcmp(Mode, "files") && Count == 5)
    files(atoi(Words[2]), atol(Words[3]), Words[4]);
  else if (!strcmp(Mode, "sockets") && Count == 3 &&
           atoi(Words[2]) <= MostSockets)
    sockets(atoi(Words[2]));
  else if (!strcmp(Mode, "alone") && Count == 4)
    inTurns(1, atol(Words[2]), Words[3]);
  else if (!strcmp(Mode, "alternate") && Count == 4)
    inTurns(2, atol(Words[2]), Words[3]);
  else if (!strcmp(Mode, "hold") && Count == 5)
    hold(atoi(Words[2]), atol(Words[3]), Words[4]);
  else if (!strcmp(Mode, "churn") && Count == 6)
    churn(atoi(Words[2]), atoi(Words[3]), atol(Words[4]), Words[5]);
  else
    return fprintf(stderr, "usage: see the source\n"), 2;
  return 0;
}
