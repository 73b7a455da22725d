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
// Prints "file DEVICE INODE BYTES" for each file and "socket INODE" for each
// socket that it made.

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
  else if (!strcmp(Mode, "churn") && Count == 6)
    churn(atoi(Words[2]), atoi(Words[3]), atol(Words[4]), Words[5]);
  else
    return fprintf(stderr, "usage: see the source\n"), 2;
  return 0;
}
