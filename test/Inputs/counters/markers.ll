; SPDX-License-Identifier: GPL-2.0-or-later
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.s = type { i32, i32 }
@note = private unnamed_addr constant [5 x i8] c"note\00", section "llvm.metadata"

declare void @unknown()
declare void @returns() nounwind willreturn
declare void @llvm.var.annotation.p0.p0(ptr, ptr, ptr, i32, ptr)

define void @straight(ptr %p) {
  %b = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  store volatile i32 1, ptr %b
  %a = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 0
  store volatile i32 2, ptr %a
  ret void
}

define void @calls(ptr %p) {
  %b = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  store volatile i32 1, ptr %b
  call void @unknown()
  store volatile i32 2, ptr %b
  call void @returns()
  store volatile i32 3, ptr %b
  ret void
}

define void @arms(ptr %p, i1 %c) {
  %b = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
  br i1 %c, label %yes, label %no
yes:
  store volatile i32 1, ptr %b
  br label %end
no:
  store volatile i32 1, ptr %b
  br label %end
end:
  ret void
}

define void @none(ptr %p) {
  %x = alloca i32
  call void @llvm.var.annotation.p0.p0(ptr %x, ptr @note, ptr @note, i32 1, ptr null)
  store volatile i32 1, ptr %x
  ret void
}
