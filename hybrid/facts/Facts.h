// SPDX-License-Identifier: GPL-2.0-or-later
//
// What one translation unit says about accesses, calls and records: the
// output of the front end and the only input of the linker. Flat tables of
// plain numbers, so that writing, hashing and reading a file of facts is one
// copy per table. Facts name no target struct: one file serves every --struct.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kst {

using StrId = uint32_t;   ///< index into TuFacts::Strings; 0 is ""
using ValueId = uint32_t; ///< index into TuFacts::Values
inline constexpr uint32_t None = ~0u;

/// A half-open range of indices into one of the tables of TuFacts.
struct Range {
  uint32_t Begin = 0;
  uint32_t End = 0;
  uint32_t size() const { return End - Begin; }
  bool operator==(const Range &) const = default;
};

/// The rows of a table that a range names.
template <typename T>
std::span<const T> rowsOf(const std::vector<T> &Table, Range Rows) {
  return {Table.data() + Rows.Begin, Rows.size()};
}

/// The little language in which the front end says *which* memory is meant.
/// Two equal nodes of one function denote the same value at run time unless a
/// `Local` in them was reassigned in between. Operands A, B, C by kind:
enum class ValueKind : uint32_t {
  Unknown,   ///< A: serial number; never equal to another
  Param,     ///< A: index of the parameter
  Local,     ///< several definitions. Args: their values; A: serial; B: the
             ///< loop in which it is redefined (function-relative), or None
  Global,    ///< address of a variable. A: name; B: GlobalFlags
  Function,  ///< address of a function. A: key
  Const,     ///< A, B: low and high half of the 64-bit value
  ThisCpu,   ///< the number, or the per-CPU offset, of the running CPU
  Current,   ///< the running task (`current`)
  Field,     ///< address of a member. A: address of the record; B: record
             ///< (index into Records); C: field number
  Element,   ///< address of an array element. A: address of the array; B: index
             ///< or None; C: bytes by which an index is further, 0: not known
  Load,      ///< the value stored at address A
  PerCpu,    ///< the instance of per-CPU variable or allocation A for CPU B
  Container, ///< container_of: the record B whose field C has address A
  Call,      ///< result of call A (index into Calls)
  Choice,    ///< one of Args (conditional operator)
  Object,    ///< address of a local variable that lives in memory. A: serial;
             ///< B: name
};

enum GlobalFlags : uint32_t {
  GlobalPerCpu = 1, ///< lies in a per-CPU section, or each thread has its own
};

struct ValueFact {
  ValueKind Kind = ValueKind::Unknown;
  uint32_t A = 0, B = 0, C = 0;
  Range Args; ///< into TuFacts::ValueArgs; Local, Choice
  bool operator==(const ValueFact &) const = default;
};

enum class AccessForm : uint32_t {
  Read,
  Write,
  ReadWrite,
  BulkRead,
  BulkWrite
};

enum AccessQualifier : uint32_t {
  QualOnce = 1,   ///< through a volatile lvalue: READ_ONCE, WRITE_ONCE
  QualAtomic = 2, ///< atomic operation on the field
  QualAssumed = 4 ///< a callee whose body was not seen is taken to do it
};

/// One access to memory at a place in the source.
struct AccessFact {
  ValueId Address = None; ///< what is accessed
  AccessForm Kind = AccessForm::Read;
  uint32_t Qualifiers = 0; ///< AccessQualifier bits
  uint32_t Block = 0;      ///< relative to the function's first block
  uint32_t Order = 0; ///< accesses, calls and stores of a block: as they run
  StrId File = 0;     ///< where it is spelled (macro: expansion point)
  uint32_t Line = 0;
  /// Of the member's name in a read, of the operator in a write: where debug
  /// information has it. 0: not known.
  uint32_t Column = 0;
  uint32_t SizeBytes = 0;
  bool operator==(const AccessFact &) const = default;
};

enum class CallKind : uint32_t {
  Direct,  ///< Callee: key of the function
  Table,   ///< through field TableField of record TableRecord
  Pointer, ///< through any other pointer
};

struct CallFact {
  CallKind Kind = CallKind::Direct;
  StrId Callee = 0;
  uint32_t TableRecord = None; ///< index into Records
  uint32_t TableField = 0;
  Range Args; ///< into TuFacts::ValueArgs, one ValueId (or None) per argument
  uint32_t PointerArgs = 0; ///< bit i: argument i (< 32) is a pointer
  uint32_t ConstArgs = 0;   ///< bit i: one whose target is only read
  uint32_t Block = 0;
  uint32_t Order = 0; ///< as in AccessFact
  StrId File = 0;
  uint32_t Line = 0;
  bool operator==(const CallFact &) const = default;
};

/// A pointer, or a number kept in a local object, stored to memory, also by
/// `asm` (xchg, cmpxchg): lets the linker see what `env->dst_rq` holds in a
/// callee that got `&env`, and where an object is published.
struct StoreFact {
  ValueId Address = None;
  ValueId Stored = None;
  uint32_t Block = 0; ///< relative to the function's first block
  uint32_t Order = 0; ///< as in AccessFact
  bool operator==(const StoreFact &) const = default;
};

struct BlockFact {
  double Frequency = 0; ///< expected executions per call of the function
  uint32_t Loop = None; ///< innermost loop, relative to the function's first
  bool operator==(const BlockFact &) const = default;
};

/// One way from block to block, both relative to the function's first.
struct EdgeFact {
  uint32_t From = 0, To = 0;
  double Probability = 0; ///< 0..1, that From goes on to To
  bool operator==(const EdgeFact &) const = default;
};

enum class TestKind : uint32_t {
  Equal,
  Unequal,
  Less,
  Greater,
  AtMost,
  AtLeast,
};

/// A branch at the end of a block that compares what a parameter is or leads
/// to with a number. Blocks are relative to the function's first.
struct TestFact {
  uint32_t Block = 0;
  uint32_t Then = 0, Else = 0; ///< where it goes on
  ValueId Value = None;
  uint32_t Modulus = 0; ///< the remainder by this is compared; 0: the value
  TestKind Kind = TestKind::Equal;
  int64_t With = 0;
  bool operator==(const TestFact &) const = default;
};

struct LoopFact {
  uint32_t Parent = None; ///< enclosing loop, relative to the function's
  uint32_t Line = 0;
  double EntryFrequency = 0;  ///< how often it is entered, per call
  double HeaderFrequency = 0; ///< how often its header runs, per call
  bool operator==(const LoopFact &) const = default;
};

enum FunctionFlags : uint32_t {
  FnStatic = 1, ///< no other unit calls this body: C++ inline ones, too
  FnInit = 2,   ///< __init, __exit and other discarded sections
  FnCold = 4,   ///< __cold
  FnNoReturn = 8,
  FnExported = 16, ///< EXPORT_SYMBOL*
  FnSyscall = 32,  ///< body of a SYSCALL_DEFINE
  FnWeak = 64,
  FnOwn = 128, ///< defined in the unit's own text and not in a header of it
};

/// One function body. The object of a C++ method is its first parameter.
struct FunctionFact {
  /// External: its name; static: "file:name". Of C++: the mangled name, since
  /// overloads and methods of several classes share a name.
  StrId Key = 0;
  StrId Name = 0;
  StrId File = 0;
  uint32_t Line = 0;
  uint32_t Flags = 0;
  uint32_t ParamCount = 0;
  Range Values, Accesses, Calls, Stores, Blocks, Loops;
  Range Edges; ///< by From
  Range Tests;
  Range Returns;      ///< into ValueArgs: values the function may return
  Range ParamRecords; ///< into ValueArgs: per parameter the record (index into
                      ///< Records) it points to, or None
  bool operator==(const FunctionFact &) const = default;
};

/// A function stored in a field of a table of functions, or in a pointer.
struct TableFact {
  uint32_t Record = None;
  uint32_t Field = 0;
  StrId Function = 0; ///< key
  bool operator==(const TableFact &) const = default;
};

enum RecordFlags : uint32_t {
  RecUnion = 1,
  RecPacked = 2,
  RecRandomizeLayout = 4,
  RecSystem = 8,   ///< in a system header, as the compiler was told
  RecInMacro = 16, ///< its braces come from a macro
  RecOfPlace = RecSystem | RecInMacro,
  RecForeignRules = 32, ///< FieldOffsets does not know how it is laid out
  /// Why the order of the members of a C++ class does not alone decide where
  /// they lie. Offsets are true, but nothing is to be moved.
  RecHasBase = 64,
  RecHasVtable = 128,
  RecNotStandard = 256, ///< no standard layout for another reason
  RecTemplate = 512,    ///< one of several that one text makes
  /// A condition around or among its members, or those of a member, asks which
  /// compiler reads it.
  RecAsksCompiler = 1024,
};

struct RecordFact {
  StrId Name = 0;
  StrId File = 0;
  uint32_t Line = 0, EndLine = 0;
  uint64_t SizeBytes = 0;
  uint32_t AlignBytes = 1, ExplicitAlignBytes = 0;
  uint32_t Flags = 0;
  Range Fields;
  Range Groups;
  bool operator==(const RecordFact &) const = default;
};

/// An anonymous struct whose members are fields of the record around it. Groups
/// of a record are in the order of the definition, outer before inner.
struct GroupFact {
  StrId Name = 0;         ///< its members, joined with '|'
  uint32_t Parent = None; ///< the group around it, by its number in the record
  Range Fields;           ///< numbers in the record
  uint32_t AlignBytes = 1, ExplicitAlignBytes = 0;
  uint32_t Line = 0, EndLine = 0;
  bool operator==(const GroupFact &) const = default;
};

enum FieldFlags : uint32_t {
  FldBitField = 1,
  FldAnonymous = 2,
  FldZeroSize = 4,
  FldFlexibleArray = 8,
  FldPacked = 16,
  FldPointer = 32,
};

struct FieldFact {
  StrId Name = 0;
  StrId TypeName = 0;
  uint64_t OffsetBits = 0, SizeBits = 0;
  uint32_t AlignBytes = 1, ExplicitAlignBytes = 0;
  uint32_t StorageUnitBits = 0;
  uint32_t Flags = 0;
  uint32_t Line = 0;
  uint32_t Embedded = None; ///< record held by value (or array of it)
  bool operator==(const FieldFact &) const = default;
};

enum SlabFlags : uint32_t {
  SlabOnLines = 1,    ///< SLAB_HWCACHE_ALIGN
  SlabLinkBehind = 2, ///< the pointer to the next free object is behind it
};

/// A slab cache whose objects are of the size of a record.
struct SlabFact {
  uint32_t Record = None;
  uint32_t AlignBytes = 0; ///< asked for; 0: none
  uint32_t Flags = 0;      ///< SlabFlags
  uint32_t PointerBytes = 8;
  StrId File = 0;
  uint32_t Line = 0;
  bool operator==(const SlabFact &) const = default;
};

enum VariableFlags : uint32_t {
  VarInitialized = 1, ///< with more than zeros, or so the compiler is to assume
  VarConstant = 2,    ///< nothing writes it
  VarOfThread = 4,    ///< each thread or CPU has its own
  VarInSection = 8,   ///< the source says in which section it is
};

/// A variable with static storage that the unit defines, in the order of their
/// definitions.
struct VariableFact {
  StrId Key = 0; ///< as a Global names it
  StrId File = 0;
  uint32_t Line = 0;
  uint32_t Flags = 0; ///< VariableFlags
  uint64_t SizeBytes = 0;
  uint32_t AlignBytes = 1;
  uint32_t Record = None; ///< that it is, or its elements are
  bool operator==(const VariableFact &) const = default;
};

/// A member in a body for which clang builds no control flow graph; or, with a
/// Function and no Record, a whole body of the unit's own that was not read.
struct DropFact {
  uint32_t Record = None; ///< of the member
  StrId File = 0;
  uint32_t Line = 0;
  StrId Function = 0; ///< name
  bool operator==(const DropFact &) const = default;
};

/// How code relies on where a field of a record lies. Fields are numbers in the
/// record.
enum class DemandKind : uint32_t {
  Block,          ///< the bytes up to Field are handled as one
  Tail,           ///< the size of some objects is the offset of Field, plus
                  ///< something that varies
  Distance,       ///< the distance from Field to Other is used; Other None: to
                  ///< the end of the record or of the object
  Compared,       ///< a length is compared with the offset of Field
  Overrun,        ///< bytes from Field to Other are handled as one; either may
                  ///< be None: from the start, to the end
  Assembly,       ///< the offset of Field is an operand of assembly
  Positional,     ///< an initialiser without names sets the fields up to Field
  AssertedOffset, ///< the build fails when the offset of Field changes
  AssertedOrder,  ///< ... when Field and Other change sides
  AssertedSpan,   ///< ... when the distance of Field and Other changes
  AssertedEnd,    ///< ... when Field is no longer the last
  MadeAfter,      ///< C++: Field's initialiser, constructor or destructor may
                  ///< rely on Other being made first
  Count
};

struct DemandFact {
  DemandKind Kind = DemandKind::Block;
  uint32_t Record = None;
  uint32_t Field = None;
  uint32_t Other = None; ///< a field of Record
  StrId Function = 0;    ///< name; "" at file scope
  StrId File = 0;
  uint32_t Line = 0;
  bool operator==(const DemandFact &) const = default;
};

/// What may hold a pointer, whatever it points to. A, B, C by kind:
enum class SlotKind : uint32_t {
  Record,      ///< any pointer to record A (index into Records)
  Param,       ///< parameter B of function A (key)
  Result,      ///< what function A (key) returns
  Member,      ///< field B of record A
  Global,      ///< variable A (key)
  TableParam,  ///< parameter C of the functions in field B of record A
  TableResult, ///< what those return
  Scalar,      ///< a pointer to numbers of A bytes each; B: to pointers
  Holder,      ///< parameter B of the functions that variable A (key) holds
  Byte,        ///< a pointer of which the byte A bytes behind it is used
  Opaque,      ///< a use at line B of file A; C: OpaqueKind
  Number,      ///< no pointer; A: NumberKind
  Count
};

/// What a number is that flows.
enum class NumberKind : uint32_t {
  Measured, ///< a size or an offset that the compiler computes
  Counted,  ///< so many bytes from a pointer on, which a rule keeps together
  Written,  ///< any other that a call gets
  Count
};

/// How code reaches memory other than by members, where neither the extent nor
/// the offset is known. Numbers flow there too, as far as they are known.
enum class OpaqueKind : uint32_t {
  Offset,   ///< bytes at an offset that varies
  Length,   ///< so many bytes, a number that varies
  Rest,     ///< the same, not from a pointer but from a member behind it on
  Assembly, ///< an address that inline assembly computes
  Foreign,  ///< bytes are taken for a record: flows on to that
  Count
};

struct SlotFact {
  SlotKind Kind = SlotKind::Record;
  uint32_t A = 0, B = 0, C = 0;
  bool operator==(const SlotFact &) const = default;
};

/// A pointer goes from one slot to another. From Record to Record: a cast, or a
/// copy of the bytes. To Record: the pointer is used as one to that record.
struct PointerFlowFact {
  SlotFact From, To;
  StrId Function = 0; ///< name; "" at file scope
  StrId File = 0;
  uint32_t Line = 0;
  bool operator==(const PointerFlowFact &) const = default;
};

/// The facts of one translation unit. Same source and flags, same bytes.
struct TuFacts {
  std::vector<std::string> Strings{""};
  StrId MainFile = 0;
  StrId Triple = 0;
  std::vector<RecordFact> Records;
  std::vector<FieldFact> Fields;
  std::vector<GroupFact> Groups;
  std::vector<FunctionFact> Functions;
  std::vector<ValueFact> Values;
  std::vector<uint32_t> ValueArgs;
  std::vector<AccessFact> Accesses;
  std::vector<CallFact> Calls;
  std::vector<StoreFact> Stores;
  std::vector<BlockFact> Blocks;
  std::vector<LoopFact> Loops;
  std::vector<EdgeFact> Edges;
  std::vector<TestFact> Tests;
  std::vector<TableFact> Tables;
  std::vector<SlabFact> Slabs;
  std::vector<VariableFact> Variables;
  std::vector<DropFact> Drops;
  /// The first place of the unit for each (Kind, Record, Field, Other).
  std::vector<DemandFact> Demands;
  /// The first place of the unit for each (From, To).
  std::vector<PointerFlowFact> PointerFlows;
  bool operator==(const TuFacts &) const = default;
};

} // namespace kst
