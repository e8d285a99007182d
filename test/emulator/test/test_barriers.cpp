// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of CTAs, mbarriers and clusters; deadlocks and races.
#include "harness.h"

using namespace hk::emulator;

namespace {

const char *const kShared = ".extern .shared .align 128 .b8 smem[];\n";

class Barriers : public testing::Test {
protected:
  Barriers() { device.config.sharedBytes = 4096; }

  /// Results of `threads` threads; %r1 is the thread, %r2 its warp.
  std::vector<uint32_t> run(const std::string &body, uint32_t threads,
                            uint32_t ctas = 1) {
    const uint64_t out = device.allocate(threads * ctas * 4);
    device.config.parameters.clear();
    device.argument(out);
    device.config.block = {threads, 1, 1};
    device.config.grid = {ctas, 1, 1};
    device.run(text(body));
    return device.download<uint32_t>(out, threads * ctas);
  }

  std::string fault(const std::string &body, uint32_t threads) {
    try {
      run(body, threads);
    } catch (const Fault &fault) {
      return fault.what();
    }
    return "no fault";
  }

  static std::string text(const std::string &body) {
    return kernelText("mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; mov.u32 %r40, "
                      "0; shl.b32 %r3, %r1, 2; mov.u32 %r50, smem;\n" +
                          body +
                          "\nmov.u32 %r41, %ctaid.x; mov.u32 %r42, %ntid.x;\n"
                          "mad.lo.u32 %r43, %r41, %r42, %r1;\n"
                          "mul.wide.u32 %rd1, %r43, 4; add.u64 %rd1, %rd1, "
                          "%rd31; st.global.u32 [%rd1], %r40;",
                      1, kShared);
  }

  Device device;
};

#define EXPECT_CONTAINS(TEXT, PART)                                            \
  do {                                                                         \
    const std::string got = TEXT;                                              \
    EXPECT_NE(got.find(PART), std::string::npos) << got;                       \
  } while (false)

TEST_F(Barriers, ExchangeBetweenWarps) {
  device.options.races = true;
  // Each thread reads what the thread of the other end wrote.
  const auto got = run("st.shared.u32 [%r3], %r1; bar.sync 0;\n"
                       "sub.u32 %r4, 508, %r3; ld.shared.u32 %r40, [%r4];",
                       128);
  for (uint32_t t = 0; t < 128; ++t)
    EXPECT_EQ(got[t], 127 - t);
}

TEST_F(Barriers, MissingBarrierIsARace) {
  const std::string body = "st.shared.u32 [%r3], %r1;\n"
                           "sub.u32 %r4, 508, %r3; ld.shared.u32 %r40, [%r4];";
  device.options.races = true;
  const std::string message = fault(
      "sub.u32 %r5, 508, %r3; st.shared.u32 [%r3+1024], 1;\n" + body, 128);
  EXPECT_CONTAINS(message, "expects ");
  // Within a warp no barrier is needed.
  EXPECT_EQ(fault("st.shared.u32 [%r3], %r1; xor.b32 %r4, %r3, 4; "
                  "ld.shared.u32 %r40, [%r4];",
                  128),
            "no fault");
}

TEST_F(Barriers, RaceNamesBothSides) {
  device.options.races = true;
  const std::string message =
      fault("setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r1, 40;\n"
            "@%p1 st.shared.u32 [%r3], 7;\n@%p2 ld.shared.u32 %r40, [smem+20];",
            64);
  EXPECT_CONTAINS(message, "thread 40: expects a barrier between a write and "
                           "this read of shared byte 20, but got none after "
                           "warp 0 of the cluster (line ");
  // Neighbouring halves of a word belong to different warps.
  EXPECT_EQ(fault("cvt.u16.u32 %h1, %r1; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 "
                  "%p2, %r1, 32;\n@%p1 st.shared.u16 [smem], %h1;\n@%p2 "
                  "st.shared.u16 [smem+2], %h1;",
                  64),
            "no fault");
}

TEST_F(Barriers, NamedBarrierOfProducerAndConsumer) {
  device.options.races = true;
  const std::string body =
      "setp.eq.u32 %p1, %r2, 0; @%p1 bra consume;\n"
      "st.shared.u32 [%r3], %r1; bar.arrive 3, 64; bra out;\n"
      "consume: bar.sync 3, 64; ld.shared.u32 %r40, [%r3+128]; out:";
  const auto got = run(body, 64);
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(got[t], t + 32);
  EXPECT_CONTAINS(fault(mutate(body, "bar.sync 3, 64;", "bar.sync 3, 32;"), 64),
                  "expects ");
  EXPECT_CONTAINS(fault(mutate(body, "bar.arrive 3, 64;", ""), 64),
                  "barrier 3 of CTA (0, 0, 0) has 32 of 64 threads");
  EXPECT_CONTAINS(
      fault(mutate(body, "bar.arrive 3, 64;", "bar.arrive 4, 64;"), 64),
      "got a deadlock");
}

TEST_F(Barriers, Reductions) {
  const std::string p = "setp.lt.u32 %p1, %r1, 40;\n";
  EXPECT_EQ(run(p + "barrier.cta.red.popc.aligned.u32 %r40, 0, %p1;", 64)[63],
            40u);
  EXPECT_EQ(
      run(p + "bar.red.or.pred %p2, 0, %p1; selp.u32 %r40, 1, 0, %p2;", 64)[63],
      1u);
  EXPECT_EQ(run(p + "bar.red.and.pred %p2, 1, 64, %p1; selp.u32 %r40, 1, 0, "
                    "%p2;",
                64)[0],
            0u);
}

TEST_F(Barriers, WrongUses) {
  EXPECT_CONTAINS(fault("bar.sync 16;", 32), "expects a barrier from 0 to 15");
  EXPECT_CONTAINS(fault("bar.sync 1, 33;", 64), "multiple of 32");
  EXPECT_CONTAINS(fault("bar.sync 1, 96;", 64), "at most the CTA's 64");
  EXPECT_CONTAINS(fault("setp.eq.u32 %p1, %r2, 0; @%p1 ret; bar.sync 0;", 64),
                  "but warp 0 has exited");
  EXPECT_CONTAINS(fault("setp.eq.u32 %p1, %r2, 0; @%p1 bra other; bar.sync 1, "
                        "64; ret; other: bar.sync 1, 32; bar.sync 1, 32;",
                        64),
                  "expects ");
  // Half of a warp at another barrier.
  EXPECT_CONTAINS(fault("setp.lt.u32 %p1, %r1, 16; @%p1 bra low; bar.sync 0; "
                        "ret; low: bar.sync 0;",
                        32),
                  "got a deadlock");
}

TEST_F(Barriers, MbarrierPhasesAndStates) {
  const auto got =
      run("setp.eq.u32 %p1, %r1, 0;\n"
          "@%p1 mbarrier.init.shared.b64 [smem], 64; bar.sync 0;\n"
          "mbarrier.arrive.shared.b64 %rd2, [smem];\n"
          "again: mbarrier.test_wait.shared.b64 %p2, [smem], %rd2;\n"
          "@!%p2 bra again;\n"
          "mbarrier.test_wait.parity.shared.b64 %p3, [smem], 0;\n"
          "mbarrier.test_wait.parity.shared.b64 %p4, [smem], 1;\n"
          "selp.u32 %r4, 1, 0, %p3; selp.u32 %r5, 2, 0, %p4;\n"
          "add.u32 %r40, %r4, %r5;",
          64);
  EXPECT_EQ(got[5], 1u); // phase 0 is over, phase 1 is not
}

TEST_F(Barriers, MbarrierWrongUses) {
  EXPECT_CONTAINS(fault("mbarrier.arrive.shared.b64 _, [smem];", 1),
                  "expects an initialised mbarrier");
  EXPECT_CONTAINS(fault("mbarrier.init.shared.b64 [smem], 0;", 1),
                  "expects a count from 1");
  EXPECT_CONTAINS(fault("mbarrier.init.shared.b64 [smem+4], 1;", 1),
                  "aligned to 8 bytes");
  const std::string init = "mbarrier.init.shared.b64 [smem], 1;";
  EXPECT_CONTAINS(fault(init + init, 1), "expects mbarrier.inval before");
  EXPECT_EQ(fault(init + "mbarrier.inval.shared.b64 [smem];" + init, 1),
            "no fault");
  EXPECT_CONTAINS(fault(init + "ld.shared.u64 %rd2, [smem];", 1),
                  "expects mbarrier instructions on an mbarrier");
  EXPECT_CONTAINS(fault(init + "mbarrier.arrive.shared.b64 _, [smem], 2;", 1),
                  "expects at most 1 arrivals in a phase");
  EXPECT_CONTAINS(
      fault(init + "w: mbarrier.try_wait.parity.shared.b64 %p1, [smem], 0;"
                   "@!%p1 bra w;",
            1),
      "phase 0 lacks 1 arrivals and 0 bytes");
}

TEST_F(Barriers, ClusterSharedMemory) {
  device.config.cluster = {2, 1, 1};
  device.options.races = true;
  const std::string body =
      "mov.u32 %r4, %cluster_ctarank; xor.b32 %r5, %r4, 1;\n"
      "mapa.shared::cluster.u32 %r6, %r3, %r5; mad.lo.u32 %r7, %r4, 100, %r1;\n"
      "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
      "st.shared::cluster.u32 [%r6], %r7;\n"
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;\n"
      "ld.shared.u32 %r40, [%r3];";
  const auto got = run(body, 64, 2);
  for (uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(got[t], 100 + t);
    EXPECT_EQ(got[64 + t], t);
  }
  device.config.cluster = {1, 1, 1};
  EXPECT_CONTAINS(
      fault("mov.u32 %r5, 1; mapa.shared::cluster.u32 %r6, %r3, %r5;", 32),
      "expects a rank below the cluster's 1 CTAs, but got 1");
}

TEST_F(Barriers, ClusterBarrierCountsThreadsThatLive) {
  device.config.cluster = {2, 1, 1};
  // Three of four warps end, one of them after its arrival.
  const auto got = run("mov.u32 %r4, %cluster_ctarank; mad.lo.u32 %r5, %r4, 2, "
                       "%r2;\nsetp.eq.u32 %p1, %r5, 0; mov.u32 %r40, 9;\n"
                       "@!%p1 bra others; barrier.cluster.arrive;\n"
                       "barrier.cluster.wait; bra out; others:\n"
                       "setp.eq.u32 %p2, %r5, 1; @%p2 barrier.cluster.arrive;\n"
                       "out:",
                       64, 2);
  EXPECT_EQ(got[0], 9u);
}

TEST_F(Barriers, RemoteArrivalAndStoreAsync) {
  device.config.cluster = {2, 1, 1};
  for (const bool lazy : {false, true}) {
    device.options.lazy = lazy;
    device.options.races = true;
    // Rank 0 sends two words to rank 1, which waits for 8 bytes.
    const auto got = run(
        "mov.u32 %r4, %cluster_ctarank; setp.eq.u32 %p1, %r4, 0;\n"
        "mbarrier.init.shared.b64 [smem], 1;\n"
        "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [smem], 8;\n"
        "barrier.cluster.arrive; barrier.cluster.wait;\n"
        "@!%p1 bra receive;\n"
        "mov.u32 %r5, 1; mov.u32 %r6, smem;\n"
        "mapa.shared::cluster.u32 %r7, %r6, %r5;\n"
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 "
        "[%r7+16], {%r5, 41}, [%r7];\n"
        "bra out; receive:\n"
        "w: mbarrier.try_wait.parity.shared.b64 %p2, [smem], 0; @!%p2 bra w;\n"
        "ld.shared.v2.u32 {%r8, %r9}, [smem+16]; add.u32 %r40, %r8, %r9; out:",
        1, 2);
    EXPECT_EQ(got[1], 42u);
  }
}

TEST_F(Barriers, SetmaxnregGoesItsWay) {
  EXPECT_EQ(fault("setmaxnreg.dec.sync.aligned.u32 40; "
                  "setmaxnreg.inc.sync.aligned.u32 232;",
                  128),
            "no fault");
  EXPECT_CONTAINS(fault("setmaxnreg.dec.sync.aligned.u32 40; "
                        "setmaxnreg.dec.sync.aligned.u32 232;",
                        128),
                  "expects setmaxnreg to lower the count from 40");
}

} // namespace
