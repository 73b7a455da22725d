// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/FileStates.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kst {

void FileStates::look(const char *Path, State &S) {
  if (const FileOverlay::File *File = Over ? Over->find(Path) : nullptr) {
    if (!File->Text)
      return;
    S = {DependencyKind::File, true, true, File->Text->size(), File->Hash};
    return;
  }
  struct stat St;
  if (::stat(Path, &St) != 0) {
    if (Over && Over->isDirectory(Path))
      S.Kind = DependencyKind::Directory;
    return;
  }
  if (S_ISREG(St.st_mode)) {
    S.Kind = DependencyKind::File;
    S.SizeBytes = St.st_size;
  } else {
    S.Kind = S_ISDIR(St.st_mode) ? DependencyKind::Directory
                                 : DependencyKind::Special;
  }
}

void FileStates::readContents(const char *Path, State &S) {
  S.Hashed = true;
  int Fd = ::open(Path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return;
  // One byte more than expected: a file that grew meanwhile is noticed.
  if (Buffer.size() < S.SizeBytes + 1)
    Buffer.resize(S.SizeBytes + 1);
  size_t Got = 0;
  while (Got <= S.SizeBytes) {
    ssize_t N = ::read(Fd, Buffer.data() + Got, S.SizeBytes + 1 - Got);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      break;
    Got += N;
  }
  ::close(Fd);
  S.Readable = Got == S.SizeBytes;
  S.Hash = hash128({Buffer.data(), Got});
}

bool FileStates::sameAnswer(llvm::StringRef Path, DependencyKind Kind,
                            const Hash128 &Hash) {
  bool Listing = Kind == DependencyKind::Listing;
  auto [It, New] = (Listing ? Listings : Links).try_emplace(Path);
  if (New)
    It->second = Listing ? hashListing(Path.str()) : hashLink(Path.str());
  return It->second == Hash;
}

bool FileStates::holds(llvm::StringRef Path, DependencyKind Kind,
                       uint64_t SizeBytes, const Hash128 &Hash) {
  if (Kind == DependencyKind::Listing || Kind == DependencyKind::Link)
    return sameAnswer(Path, Kind, Hash);
  auto [It, New] = Known.try_emplace(Path);
  State &S = It->second;
  if (New) // keys of a StringMap end in NUL
    look(It->getKeyData(), S);
  if (Kind != DependencyKind::Contents)
    return S.Kind == Kind &&
           (Kind != DependencyKind::File || S.SizeBytes == SizeBytes);
  if (S.Kind != DependencyKind::File || S.SizeBytes != SizeBytes)
    return false;
  if (!S.Hashed)
    readContents(It->getKeyData(), S);
  return S.Readable && S.Hash == Hash;
}

} // namespace kst
