; SPDX-License-Identifier: GPL-2.0-or-later
; Loops that read a member once in each round; each function another variable.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.s = type { i32, i32 }

; Left behind the step of the variable.
define void @up(ptr %p, i64 noundef %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}

; Left before the step of the variable, behind the read; start is not known.
define void @down(ptr %p, i64 noundef %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %next, %latch ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %stop = icmp slt i64 %i, 1
  br i1 %stop, label %out, label %latch
latch:
  %next = add i64 %i, -1
  br label %loop
out:
  ret void
}

; Left before the read, perhaps in the first round, and behind it.
define i32 @exits(ptr %p, i64 noundef %n, i32 %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 5, %entry ], [ %next, %latch ]
  %done = icmp uge i64 %i, %n
  br i1 %done, label %out, label %body
body:
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %found = icmp eq i32 %v, %x
  br i1 %found, label %out, label %latch
latch:
  %next = add i64 %i, 1
  br label %loop
out:
  %r = phi i32 [ 0, %loop ], [ %v, %body ]
  ret i32 %r
}

; A stride of eight bytes, and one of twelve; left where it is known what the
; pointer is.
define void @pointer(ptr %p, ptr noundef %from, ptr %to) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %from, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  store i32 %v, ptr %at
  %next = getelementptr inbounds i8, ptr %at, i64 8
  %done = icmp uge ptr %next, %to
  br i1 %done, label %out, label %loop
out:
  ret void
}

define void @twelve(ptr %p, ptr noundef %from, ptr %to) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %from, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  store i32 %v, ptr %at
  %next = getelementptr inbounds i8, ptr %at, i64 12
  %done = icmp eq ptr %next, %to
  br i1 %done, label %out, label %loop
out:
  ret void
}

; 32 bits: bounded by the condition to 2 to the 32 rounds, so that the
; difference of the next value could be 0 for all of them; and with a flag.
define void @narrow(ptr %p, i32 noundef %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %next = add i32 %i, -1
  %done = icmp eq i32 %next, 0
  br i1 %done, label %out, label %loop
out:
  ret void
}

define void @flag(ptr %p, ptr %q) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %next = add nuw nsw i32 %i, 1
  %at = zext i32 %next to i64
  %g = getelementptr i8, ptr %q, i64 %at
  %w = load i8, ptr %g
  %done = icmp eq i8 %w, 0
  br i1 %done, label %out, label %loop
out:
  ret void
}

; Known not to go round twice, as it would not end; once is 256 rounds.
define void @around(ptr %p, i8 noundef %n) mustprogress {
entry:
  br label %loop
loop:
  %i = phi i8 [ %n, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %next = add i8 %i, 1
  %done = icmp eq i8 %next, %n
  br i1 %done, label %out, label %loop
out:
  ret void
}

; A start that is not defined need not be the same twice: not by the variable.
define void @undefined(ptr %p, ptr %q) {
entry:
  br label %loop
loop:
  %i = phi i64 [ undef, %entry ], [ %next, %loop ]
  %at = phi ptr [ %q, %entry ], [ %after, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %after = load ptr, ptr %at
  %next = add i64 %i, 1
  %w = load i8, ptr %after
  %done = icmp eq i8 %w, 0
  br i1 %done, label %out, label %loop
out:
  ret void
}

; 32 bits that may go round: not by the variable.
define void @wraps(ptr %p, ptr %q, i32 noundef %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %next = add i32 %i, 3
  %at = zext i32 %next to i64
  %g = getelementptr i8, ptr %q, i64 %at
  %w = load i8, ptr %g
  %done = icmp eq i8 %w, 0
  br i1 %done, label %out, label %loop
out:
  ret void
}

; Not in each round: not by the variable.
define void @sometimes(ptr %p, ptr %q, i64 noundef %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %g = getelementptr i8, ptr %q, i64 %i
  %w = load i8, ptr %g
  %c = icmp eq i8 %w, 0
  br i1 %c, label %then, label %latch
then:
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  br label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}

; More than once in a round, without a loop of its own: not by the variable.
; What returns twice gives each read a counter of its own.
declare i32 @twice(ptr) returns_twice
define void @twisted(ptr %p, ptr %q, i64 noundef %n) {
entry:
  %again = call i32 @twice(ptr %q)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %g = getelementptr i8, ptr %q, i64 %i
  %w = load i8, ptr %g
  %c = icmp eq i8 %w, 0
  br i1 %c, label %one, label %two
one:
  br label %shared
two:
  br label %shared
shared:
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  switch i32 %v, label %latch [ i32 1, label %one
                                i32 2, label %two ]
latch:
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}

; "x or else no round to go": the next value is not asked for where x ends it.
define void @either(ptr %p, i64 noundef %n, i32 %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %found = icmp eq i32 %v, %x
  %next = add i64 %i, -1
  %none = icmp eq i64 %next, 0
  %done = select i1 %found, i1 true, i1 %none
  br i1 %done, label %out, label %loop
out:
  ret void
}

; "x and a round to go", the other way round.
define void @both(ptr %p, i64 noundef %n, i32 %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %same = icmp eq i32 %v, %x
  %next = add i64 %i, -1
  %some = icmp ne i64 %next, 0
  %again = select i1 %same, i1 %some, i1 false
  br i1 %again, label %loop, label %out
out:
  ret void
}

; As @either, but the next value is a phi: it stays in its block.
define void @joined(ptr %p, i64 noundef %n, i32 %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %next, %latch ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %less = add i64 %i, -1
  %stop = icmp eq i32 %v, 5
  br i1 %stop, label %out, label %latch
latch:
  %next = phi i64 [ %less, %loop ]
  %found = icmp eq i32 %v, %x
  %none = icmp eq i64 %next, 0
  %done = select i1 %found, i1 true, i1 %none
  br i1 %done, label %out, label %loop
out:
  ret void
}

; May never end: counted in memory.
declare void @unknown()
define void @calls(ptr %p, i64 noundef %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  call void @unknown()
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}

; A start that may not be defined is made one value, for all that ask for it.
define void @unsettled(ptr %p, ptr %q, ptr %from) {
entry:
  %n = load i64, ptr %from
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %next = add i64 %i, 1
  %g = getelementptr i8, ptr %q, i64 %next
  %w = load i8, ptr %g
  %done = icmp eq i8 %w, 0
  br i1 %done, label %out, label %loop
out:
  %r = add i64 %n, 5
  store i64 %r, ptr %from
  ret void
}

; A variable, but no counter that it tells: the loop stays as it is.
define void @untold(ptr %p, ptr %q, i64 noundef %n, i32 %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %next, %latch ]
  %g = getelementptr i8, ptr %q, i64 %i
  %w = load i8, ptr %g
  %c = icmp eq i8 %w, 0
  br i1 %c, label %then, label %latch
then:
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  br label %latch
latch:
  %r = phi i32 [ %v, %then ], [ 0, %loop ]
  %found = icmp eq i32 %r, %x
  %next = add i64 %i, -1
  %none = icmp eq i64 %next, 0
  %done = select i1 %found, i1 true, i1 %none
  br i1 %done, label %out, label %loop
out:
  ret void
}

; The last next value may overflow where nobody asks for it: the amount does.
define void @unasked(ptr %p, ptr %q, i64 noundef %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  %v = load i32, ptr %f
  %mask = and i64 %i, 63
  %g = getelementptr i8, ptr %q, i64 %mask
  %w = load i8, ptr %g
  %next = add nsw i64 %i, 1
  %done = icmp eq i8 %w, 0
  br i1 %done, label %out, label %loop
out:
  ret void
}
