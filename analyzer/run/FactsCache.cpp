// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyzer/run/FactsCache.h"

#include "hybrid/facts/FactsFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace kst {

static constexpr char EntrySuffix[] = ".facts";
static constexpr char TemporarySuffix[] = ".tmp";
/// Stands where the magic of a facts file would be.
static constexpr StringLiteral FailureMagic = "KSTFAILS";
/// Use is marked by the entry's mtime; no need to write it at every run.
static constexpr std::chrono::hours MarkEvery{1};
/// A writer needs a second; older half-written files have no owner.
static constexpr std::chrono::hours TemporaryLife{1};

std::string defaultCacheDirectory() {
  SmallString<128> Path;
  auto Xdg = sys::Process::GetEnv("XDG_CACHE_HOME");
  if (Xdg && sys::path::is_absolute(*Xdg))
    Path = *Xdg;
  else if (auto Home = sys::Process::GetEnv("HOME");
           Home && sys::path::is_absolute(*Home))
    sys::path::append(Path, *Home, ".cache");
  else
    return "";
  sys::path::append(Path, "kstatic-affinity");
  return std::string(Path);
}

std::optional<TuFacts> CachedFacts::load(std::string &Reason) const {
  SmallVector<uint8_t, 0> Room;
  std::optional<StringRef> Bytes = Entry.facts(Room);
  if (!Bytes)
    return std::nullopt;
  if (Bytes->consume_front(FailureMagic)) {
    Reason = Bytes->str();
    return std::nullopt;
  }
  Result<TuFacts> Facts = readFacts(*Bytes);
  if (!Facts)
    return std::nullopt;
  return std::move(*Facts);
}

FactsCache::FactsCache(FactsCacheOptions Options)
    : ToolId(std::move(Options.ToolId)), CapBytes(Options.CapBytes),
      Overlaid(Options.Over && !Options.Over->empty()), States(Options.Over) {
  if (Options.Directory.empty())
    return;
  SmallString<128> Path(Options.Directory);
  sys::fs::make_absolute(Path);
  sys::path::append(Path, "facts");
  Folder = std::string(Path);
  auto Now = std::chrono::system_clock::now().time_since_epoch().count();
  TemporaryTag = ("." + Twine(::getpid()) + "-" + Twine(Now)).str();
}

Hash128 unitKey(const RunUnit &Unit, StringRef ToolId) {
  std::string All;
  auto Add = [&](StringRef Part) {
    All += std::to_string(Part.size());
    All += ':';
    All += Part;
  };
  Add(ToolId);
  Add(std::to_string(FactsFormatVersion));
  Add(std::to_string(CacheEntryVersion));
  Add(Unit.File);
  Add(Unit.Relative);
  Add(Unit.Directory);
  for (const std::string &Arg : Unit.Args)
    Add(Arg);
  return hash128(All);
}

std::string FactsCache::entryPath(const Hash128 &Key) const {
  return Folder + "/" + Key.hex() + EntrySuffix;
}

/// The file as memory; nothing unless it is a regular file.
static std::unique_ptr<MemoryBuffer> openEntry(const std::string &Path,
                                               sys::TimePoint<> &Used) {
  int Fd = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return nullptr;
  sys::fs::file_status Stat;
  std::unique_ptr<MemoryBuffer> Buffer;
  if (!sys::fs::status(Fd, Stat) &&
      Stat.type() == sys::fs::file_type::regular_file) {
    Used = Stat.getLastModificationTime();
    auto Opened = MemoryBuffer::getOpenFile(sys::fs::convertFDToNativeFile(Fd),
                                            Path, Stat.getSize(),
                                            /*RequiresNullTerminator=*/false);
    if (Opened)
      Buffer = std::move(*Opened);
  }
  ::close(Fd);
  return Buffer;
}

/// Of the same unit under an overlay.
static Hash128 overlaidKey(const Hash128 &Key) {
  return hash128("overlay " + Key.hex());
}

std::optional<CachedFacts> FactsCache::find(const RunUnit &Unit) {
  if (!enabled())
    return std::nullopt;
  // What was made of the disk serves an overlay with the same contents, and
  // the other way round: today's head is tomorrow's base.
  const Hash128 Key = key(Unit);
  if (auto Found = findAt(Key))
    return Found;
  return findAt(overlaidKey(Key));
}

std::optional<CachedFacts> FactsCache::findAt(const Hash128 &Key) {
  std::string Path = entryPath(Key);
  sys::TimePoint<> Used;
  CachedFacts Found;
  Found.File = openEntry(Path, Used);
  if (!Found.File)
    return std::nullopt;
  std::optional<CacheEntry> Entry =
      CacheEntry::open(Found.File->getBuffer(), Key);
  if (!Entry ||
      !Entry->forEachDependency([&](StringRef Path, DependencyKind Kind,
                                    uint64_t SizeBytes, const Hash128 &Hash) {
        return States.holds(Path, Kind, SizeBytes, Hash);
      }))
    return std::nullopt;
  Found.Entry = *Entry;
  if (std::chrono::system_clock::now() - Used > MarkEvery)
    ::utimensat(AT_FDCWD, Path.c_str(), nullptr, 0);
  return Found;
}

static Error writeWhole(const std::string &Path, StringRef Bytes) {
  int Fd = ::open(Path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (Fd < 0)
    return errorCodeToError(std::error_code(errno, std::generic_category()));
  int Why = 0;
  while (!Bytes.empty() && Why == 0) {
    ssize_t N = ::write(Fd, Bytes.data(), Bytes.size());
    if (N >= 0)
      Bytes = Bytes.drop_front(N);
    else if (errno != EINTR)
      Why = errno;
  }
  if (::close(Fd) != 0 && Why == 0)
    Why = errno;
  return errorCodeToError(std::error_code(Why, std::generic_category()));
}

Error FactsCache::store(const RunUnit &Unit, ArrayRef<Dependency> Dependencies,
                        StringRef Facts) const {
  if (!enabled())
    return Error::success();
  // One that no entry can express: paths that long do not open anyway.
  for (const Dependency &D : Dependencies)
    if (D.Path.size() > UINT16_MAX)
      return Error::success();
  auto Context = [&](Error E) {
    return createStringError(inconvertibleErrorCode(),
                             "while writing to the cache in " + Folder + ": " +
                                 toString(std::move(E)));
  };
  Hash128 Key = key(Unit);
  if (Overlaid)
    Key = overlaidKey(Key);
  std::string Temporary = Folder + "/" + Key.hex() + "-" +
                          std::to_string(::getpid()) + TemporaryTag +
                          TemporarySuffix;
  std::string Bytes = encodeCacheEntry(Key, Dependencies, Facts);
  if (std::error_code EC = sys::fs::create_directories(Folder))
    return Context(errorCodeToError(EC));
  Error E = writeWhole(Temporary, Bytes);
  if (!E && ::rename(Temporary.c_str(), entryPath(Key).c_str()) == 0)
    return Error::success();
  if (!E)
    E = errorCodeToError(std::error_code(errno, std::generic_category()));
  ::unlink(Temporary.c_str());
  return Context(std::move(E));
}

Error FactsCache::storeFailure(const RunUnit &Unit,
                               ArrayRef<Dependency> Dependencies,
                               StringRef Reason) const {
  return store(Unit, Dependencies, (FailureMagic + Reason).str());
}

/// Calls Each with the name and status of every file in the folder.
static void forEachFile(
    const std::string &Folder,
    std::function<void(StringRef, const sys::fs::basic_file_status &)> Each) {
  std::error_code EC;
  for (sys::fs::directory_iterator I(Folder, EC), End; !EC && I != End;
       I.increment(EC))
    if (auto Stat = I->status();
        Stat && Stat->type() == sys::fs::file_type::regular_file)
      Each(I->path(), *Stat);
}

void FactsCache::trim() const {
  if (!enabled())
    return;
  struct Item {
    sys::TimePoint<> Used;
    std::string Path;
    uint64_t Bytes;
  };
  std::vector<Item> Items;
  uint64_t Total = 0;
  auto Now = std::chrono::system_clock::now();
  forEachFile(Folder, [&](StringRef Path, const auto &Stat) {
    if (Path.ends_with(TemporarySuffix) &&
        Now - Stat.getLastModificationTime() > TemporaryLife)
      ::unlink(Path.str().c_str());
    if (!Path.ends_with(EntrySuffix))
      return;
    Items.push_back(
        {Stat.getLastModificationTime(), Path.str(), Stat.getSize()});
    Total += Stat.getSize();
  });
  std::ranges::sort(Items, [](const Item &A, const Item &B) {
    return std::tie(A.Used, A.Path) < std::tie(B.Used, B.Path);
  });
  for (const Item &I : Items) {
    if (Total <= CapBytes)
      return;
    ::unlink(I.Path.c_str());
    Total -= I.Bytes;
  }
}

void FactsCache::removeTemporaries() const {
  if (!enabled())
    return;
  std::string Ours = TemporaryTag + TemporarySuffix;
  forEachFile(Folder, [&](StringRef Path, const auto &) {
    if (Path.ends_with(Ours))
      ::unlink(Path.str().c_str());
  });
}

} // namespace kst
