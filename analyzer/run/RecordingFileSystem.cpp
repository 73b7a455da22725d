// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/RecordingFileSystem.h"

#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

using namespace llvm;

namespace kst {

const char RecordingFileSystem::ID = 0;

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

static sys::fs::file_type typeOf(mode_t Mode) {
  switch (Mode & S_IFMT) {
  case S_IFREG:
    return sys::fs::file_type::regular_file;
  case S_IFDIR:
    return sys::fs::file_type::directory_file;
  case S_IFBLK:
    return sys::fs::file_type::block_file;
  case S_IFCHR:
    return sys::fs::file_type::character_file;
  case S_IFIFO:
    return sys::fs::file_type::fifo_file;
  case S_IFSOCK:
    return sys::fs::file_type::socket_file;
  }
  return sys::fs::file_type::type_unknown;
}

static vfs::Status toStatus(const Twine &Name, const struct stat &St) {
  return vfs::Status(
      Name, sys::fs::UniqueID(St.st_dev, St.st_ino),
      sys::toTimePoint(St.st_mtim.tv_sec, St.st_mtim.tv_nsec), St.st_uid,
      St.st_gid, St.st_size, typeOf(St.st_mode),
      static_cast<sys::fs::perms>(St.st_mode & sys::fs::all_perms));
}

/// An open regular file. Refers to the file system that opened it.
class RecordingFileSystem::OpenFile : public vfs::File {
public:
  OpenFile(RecordingFileSystem &Owner, int Fd, vfs::Status Stat,
           StringRef Absolute)
      : Owner(Owner), Fd(Fd), Stat(std::move(Stat)), Absolute(Absolute) {}
  ~OpenFile() override { close(); }

  ErrorOr<vfs::Status> status() override { return Stat; }
  ErrorOr<std::unique_ptr<MemoryBuffer>>
  getBuffer(const Twine &Name, int64_t FileSize, bool, bool) override;
  std::error_code close() override {
    int Old = std::exchange(Fd, -1);
    return Old >= 0 && ::close(Old) != 0 ? lastError() : std::error_code();
  }

private:
  RecordingFileSystem &Owner;
  int Fd;
  vfs::Status Stat;
  std::string Absolute;
};

ErrorOr<std::unique_ptr<MemoryBuffer>>
RecordingFileSystem::OpenFile::getBuffer(const Twine &Name, int64_t, bool,
                                         bool) {
  size_t Size = Stat.getSize();
  auto Buffer = WritableMemoryBuffer::getNewUninitMemBuffer(Size, Name);
  if (!Buffer)
    return make_error_code(errc::not_enough_memory);
  size_t Got = 0;
  while (Got < Size) {
    ssize_t N = pread(Fd, Buffer->getBufferStart() + Got, Size - Got, Got);
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      return lastError();
    if (N == 0) // truncated since it was opened: no answer would be right
      return make_error_code(errc::io_error);
    Got += N;
  }
  Owner.record(Absolute, {DependencyKind::Contents, Size,
                          hash128({Buffer->getBufferStart(), Size})});
  return std::unique_ptr<MemoryBuffer>(std::move(Buffer));
}

/// A file of the overlay: a regular one with an identity of its own.
static vfs::Status overlaidStatus(const Twine &Name,
                                  const FileOverlay::File &File) {
  return vfs::Status(Name, sys::fs::UniqueID(~0ull, xxh3_64bits(*File.Text)),
                     sys::TimePoint<>(), 0, 0, File.Text->size(),
                     sys::fs::file_type::regular_file, sys::fs::all_read);
}

class RecordingFileSystem::OverlaidFile : public vfs::File {
public:
  OverlaidFile(RecordingFileSystem &Owner, const FileOverlay::File &Contents,
               vfs::Status Stat, StringRef Absolute)
      : Owner(Owner), Contents(Contents), Stat(std::move(Stat)),
        Absolute(Absolute) {}
  ErrorOr<vfs::Status> status() override { return Stat; }
  ErrorOr<std::unique_ptr<MemoryBuffer>> getBuffer(const Twine &Name, int64_t,
                                                   bool, bool) override {
    Owner.record(Absolute, {DependencyKind::Contents, Contents.Text->size(),
                            Contents.Hash});
    return MemoryBuffer::getMemBufferCopy(*Contents.Text, Name);
  }
  std::error_code close() override { return {}; }

private:
  RecordingFileSystem &Owner;
  const FileOverlay::File &Contents;
  vfs::Status Stat;
  std::string Absolute;
};

SmallString<256> RecordingFileSystem::absolute(const Twine &Path) const {
  SmallString<256> Text;
  StringRef Given = Path.toStringRef(Text);
  SmallString<256> Result;
  if (!Given.starts_with("/")) {
    Result = Directory;
    Result += '/';
  }
  Result += Given;
  // Not "..": behind a symbolic link it leads elsewhere.
  sys::path::remove_dots(Result, /*remove_dot_dot=*/false);
  return Result;
}

void RecordingFileSystem::record(StringRef Absolute, const Answer &Seen) {
  auto [It, New] = Answers.try_emplace(Absolute, Seen);
  Answer &Known = It->second;
  if (New || (Known.Kind == Seen.Kind && Known.SizeBytes == Seen.SizeBytes &&
              Known.Hash == Seen.Hash))
    return;
  auto IsFile = [](DependencyKind Kind) {
    return Kind == DependencyKind::File || Kind == DependencyKind::Contents;
  };
  bool SameFile = IsFile(Known.Kind) && IsFile(Seen.Kind) &&
                  Known.SizeBytes == Seen.SizeBytes && Known.Kind != Seen.Kind;
  if (!SameFile)
    Exact = false;
  if (Seen.Kind == DependencyKind::Contents)
    Known = Seen;
}

void RecordingFileSystem::record(StringMap<Hash128> &Where, StringRef Absolute,
                                 const Hash128 &Seen) {
  auto [It, New] = Where.try_emplace(Absolute, Seen);
  if (!New && !(It->second == Seen))
    Exact = false;
}

ErrorOr<vfs::Status> RecordingFileSystem::status(const Twine &Path) {
  SmallString<256> Absolute = absolute(Path);
  if (const FileOverlay::File *File = overlaid(Absolute)) {
    if (!File->Text) {
      record(Absolute, {});
      return make_error_code(errc::no_such_file_or_directory);
    }
    record(Absolute, {DependencyKind::File, File->Text->size(), {}});
    return overlaidStatus(Path, *File);
  }
  struct stat St;
  if (::stat(Absolute.c_str(), &St) != 0) {
    std::error_code Why = lastError();
    if (Over && Over->isDirectory(Absolute)) {
      record(Absolute, {DependencyKind::Directory, 0, {}});
      return vfs::Status(Path, sys::fs::UniqueID(~0ull, xxh3_64bits(Absolute)),
                         sys::TimePoint<>(), 0, 0, 0,
                         sys::fs::file_type::directory_file, sys::fs::all_read);
    }
    record(Absolute, {});
    return Why;
  }
  if (S_ISREG(St.st_mode))
    record(Absolute, {DependencyKind::File, uint64_t(St.st_size), {}});
  else if (S_ISDIR(St.st_mode))
    record(Absolute, {DependencyKind::Directory, 0, {}});
  else
    record(Absolute, {DependencyKind::Special, 0, {}});
  return toStatus(Path, St);
}

ErrorOr<std::unique_ptr<vfs::File>>
RecordingFileSystem::openFileForRead(const Twine &Path) {
  // Look first: merely opening some devices does something.
  ErrorOr<vfs::Status> Before = status(Path);
  if (!Before)
    return Before.getError();
  if (Before->isDirectory())
    return make_error_code(errc::is_a_directory);
  if (!Before->isRegularFile())
    return make_error_code(errc::no_such_device);
  SmallString<256> Absolute = absolute(Path);
  if (const FileOverlay::File *File = overlaid(Absolute))
    return std::make_unique<OverlaidFile>(*this, *File, *Before, Absolute);
  int Fd = ::open(Absolute.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0) {
    std::error_code Why = lastError();
    Exact = false; // there, but not readable: not a question we can repeat
    return Why;
  }
  struct stat St;
  if (::fstat(Fd, &St) != 0 || !S_ISREG(St.st_mode)) {
    ::close(Fd);
    Exact = false;
    return make_error_code(errc::no_such_device);
  }
  record(Absolute, {DependencyKind::File, uint64_t(St.st_size), {}});
  return std::make_unique<OpenFile>(*this, Fd, toStatus(Path, St), Absolute);
}

vfs::directory_iterator RecordingFileSystem::dir_begin(const Twine &Dir,
                                                       std::error_code &EC) {
  SmallString<256> Absolute = absolute(Dir);
  record(Listings, Absolute, hashListing(Absolute.c_str()));
  return vfs::getRealFileSystem()->dir_begin(Absolute, EC);
}

std::error_code
RecordingFileSystem::setCurrentWorkingDirectory(const Twine &Path) {
  ErrorOr<vfs::Status> Stat = status(Path);
  if (!Stat)
    return Stat.getError();
  if (!Stat->isDirectory())
    return make_error_code(errc::not_a_directory);
  Directory = std::string(absolute(Path));
  return {};
}

std::error_code
RecordingFileSystem::getRealPath(const Twine &Path,
                                 SmallVectorImpl<char> &Output) {
  SmallString<256> Absolute = absolute(Path);
  if (const FileOverlay::File *File = overlaid(Absolute); File && File->Text) {
    // The same name as without the overlay; a new file has that of its folder.
    if (sys::fs::real_path(Absolute, Output)) {
      if (sys::fs::real_path(sys::path::parent_path(Absolute), Output))
        Output.assign(Absolute.begin(), Absolute.end());
      else
        sys::path::append(Output, sys::path::filename(Absolute));
      sys::path::remove_dots(Output, /*remove_dot_dot=*/true);
    }
    record(Links, Absolute, hash128({Output.data(), Output.size()}));
    return {};
  }
  record(Links, Absolute, hashLink(Absolute.c_str()));
  return sys::fs::real_path(Absolute, Output);
}

std::vector<Dependency> RecordingFileSystem::dependencies() const {
  std::vector<Dependency> All;
  All.reserve(Answers.size());
  for (const auto &Entry : Answers)
    All.push_back({Entry.getKey().str(), Entry.second.Kind,
                   Entry.second.SizeBytes, Entry.second.Hash});
  for (const auto &Entry : Listings)
    All.push_back(
        {Entry.getKey().str(), DependencyKind::Listing, 0, Entry.second});
  for (const auto &Entry : Links)
    All.push_back(
        {Entry.getKey().str(), DependencyKind::Link, 0, Entry.second});
  std::ranges::sort(All, [](const auto &A, const auto &B) {
    return std::tie(A.Path, A.Kind) < std::tie(B.Path, B.Kind);
  });
  return All;
}

} // namespace kst
