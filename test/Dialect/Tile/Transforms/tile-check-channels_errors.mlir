// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: hk-opt %s -split-input-file -tile-check-channels -verify-diagnostics

// Kernels broken by hand, each in one place.

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>

// A wait too many.
tile.kernel @wait_too_many(%t: !t) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c = tile.chan bulk : !c
  tile.role producer {
    %s = tile.acquire %c : !c -> !b
    tile.copy %t[%c0] to %s : !t -> !b
    tile.commit %c : !c
  }
  tile.role consumer {
    %0 = tile.wait %c : !c -> !b
    tile.release %c : !c
    // expected-error @+2 {{expects a slot to become full, but got a deadlock}}
    // expected-note @+1 {{the producer has ended}}
    %1 = tile.wait %c : !c -> !b
    tile.release %c : !c
  }
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>

// Copies that no one waits for: the third finds no room.
tile.kernel @wait_too_few(%t: !t) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c = tile.chan bulk : !c
  tile.role producer {
    scf.for %i = %c0 to %c3 step %c1 {
      // expected-error @+2 {{expects a slot to become empty, but got a deadlock}}
      // expected-note @+1 {{the consumers have ended}}
      %s = tile.acquire %c : !c -> !b
      tile.copy %t[%i] to %s : !t -> !b
      tile.commit %c : !c
    }
  }
  tile.role consumer {
  }
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>

// The consumers take the channels in another order than the producer: with
// one slot each, both wait for the other.
tile.kernel @order(%t: !t, %n: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.chan bulk : !tile.chan<64x64xf16, 1>
  %d = tile.chan bulk : !tile.chan<64x64xf16, 1>
  tile.role producer {
    scf.for %i = %c0 to %n step %c1 {
      // expected-note @+1 {{the producer waits for an empty slot here}}
      %s = tile.acquire %c : !tile.chan<64x64xf16, 1> -> !b
      tile.copy %t[%i] to %s : !t -> !b
      tile.commit %c : !tile.chan<64x64xf16, 1>
    }
    %s = tile.acquire %d : !tile.chan<64x64xf16, 1> -> !b
    tile.copy %t[%c0] to %s : !t -> !b
    tile.commit %d : !tile.chan<64x64xf16, 1>
  }
  tile.role consumer {
    // expected-error @+1 {{expects a slot to become full, but got a deadlock}}
    %1 = tile.wait %d : !tile.chan<64x64xf16, 1> -> !b
    tile.release %d : !tile.chan<64x64xf16, 1>
    scf.for %i = %c0 to %n step %c1 {
      %0 = tile.wait %c : !tile.chan<64x64xf16, 1> -> !b
      tile.release %c : !tile.chan<64x64xf16, 1>
    }
  }
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>

// A loop without a release.
tile.kernel @no_release(%t: !t, %n: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expects all slots to be empty at the end, but got 1 acquired, 1 committed, 1 waited for and 0 released}}
  %c = tile.chan bulk : !c
  tile.role producer {
    scf.for %i = %c0 to %n step %c1 {
      %s = tile.acquire %c : !c -> !b
      tile.copy %t[%i] to %s : !t -> !b
      tile.commit %c : !c
    }
  }
  tile.role consumer {
    scf.for %i = %c0 to %n step %c1 {
      %0 = tile.wait %c : !c -> !b
    }
  }
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>

// More slots held than there are.
tile.kernel @held(%t: !t) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c = tile.chan bulk : !c
  tile.role producer {
    scf.for %i = %c0 to %c3 step %c1 {
      %s = tile.acquire %c : !c -> !b
      tile.copy %t[%i] to %s : !t -> !b
      tile.commit %c : !c
    }
  }
  tile.role consumer {
    %0 = tile.wait %c : !c -> !b
    %1 = tile.wait %c : !c -> !b
    // expected-error @+1 {{expects a slot more than the units hold, but got none}}
    %2 = tile.wait %c : !c -> !b
    tile.release %c : !c
    tile.release %c : !c
    tile.release %c : !c
  }
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>
!a = !tile.frag<16x64xf16>

tile.kernel @use_after_release(%t: !t) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c = tile.chan bulk : !c
  tile.role producer {
    %s = tile.acquire %c : !c -> !b
    tile.copy %t[%c0] to %s : !t -> !b
    tile.commit %c : !c
  }
  tile.role consumer {
    %0 = tile.wait %c : !c -> !b
    tile.release %c : !c
    // expected-error @+1 {{expects a slot that is not released, but got one that the producer may fill again}}
    %f = tile.fetch %0[%c0, %c0] : !b -> !a
  }
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>
!a = !tile.frag<16x64xf16>

// Slots are released in the order of the waits: the release in the loop is
// one of the slot that is used after it.
tile.kernel @release_of_another(%t: !t, %n: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tile.chan bulk : !c
  tile.role producer {
    %s = tile.acquire %c : !c -> !b
    tile.copy %t[%c0] to %s : !t -> !b
    tile.commit %c : !c
    scf.for %i = %c0 to %n step %c1 {
      %r = tile.acquire %c : !c -> !b
      tile.copy %t[%i] to %r : !t -> !b
      tile.commit %c : !c
    }
  }
  tile.role consumer {
    %0 = tile.wait %c : !c -> !b
    scf.for %i = %c0 to %n step %c1 {
      %1 = tile.wait %c : !c -> !b
      tile.release %c : !c
    }
    // expected-error @+1 {{expects a slot that is not released, but got one that the producer may fill again}}
    %f = tile.fetch %0[%c0, %c0] : !b -> !a
    tile.release %c : !c
  }
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>

tile.kernel @release_without_wait(%t: !t) attributes {units = 4 : i64} {
  %c = tile.chan bulk : !c
  tile.role producer {
  }
  tile.role consumer {
    // expected-error @+1 {{expects a slot that is waited for, but got none}}
    tile.release %c : !c
  }
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>

tile.kernel @commit_without_acquire(%t: !t) attributes {units = 4 : i64} {
  %c = tile.chan bulk : !c
  tile.role producer {
    // expected-error @+1 {{expects a slot that is acquired, but got none}}
    tile.commit %c : !c
  }
  tile.role consumer {
    %0 = tile.wait %c : !c -> !b
    tile.release %c : !c
  }
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>

tile.kernel @copy_after_commit(%t: !t) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c = tile.chan bulk : !c
  tile.role producer {
    %s = tile.acquire %c : !c -> !b
    tile.commit %c : !c
    // expected-error @+1 {{expects a copy before the commit of its slot, but got one after it}}
    tile.copy %t[%c0] to %s : !t -> !b
  }
  tile.role consumer {
    %0 = tile.wait %c : !c -> !b
    tile.release %c : !c
  }
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>

// The roles disagree on how often the loop runs.
tile.kernel @trips(%t: !t, %n: index, %m: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expects all slots to be empty at the end, but got 1 acquired, 1 committed, 0 waited for and 0 released}}
  %c = tile.chan bulk : !c
  tile.role producer {
    scf.for %i = %c0 to %n step %c1 {
      %s = tile.acquire %c : !c -> !b
      tile.copy %t[%i] to %s : !t -> !b
      tile.commit %c : !c
    }
  }
  tile.role consumer {
    scf.for %i = %c0 to %m step %c1 {
      %0 = tile.wait %c : !c -> !b
      tile.release %c : !c
    }
  }
  tile.return
}

// -----

!b = !tile.buf<64x64xf16>
!t = !tile.tiles<64x64xf16>
!c = !tile.chan<64x64xf16, 2>

tile.kernel @control(%t: !t, %n: index) attributes {units = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c = tile.chan bulk : !c
  tile.role producer {
    // expected-error @+1 {{expects channels within scf.for and scf.if only, but got some inside}}
    scf.execute_region {
      %s = tile.acquire %c : !c -> !b
      tile.copy %t[%c0] to %s : !t -> !b
      tile.commit %c : !c
      scf.yield
    }
  }
  tile.role consumer {
    %0 = tile.wait %c : !c -> !b
    tile.release %c : !c
  }
  tile.return
}
