// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a running cluster: CTAs, warps, registers, barriers, and the
// asynchronous operations in flight.
#ifndef HK_EMULATOR_MACHINE_H
#define HK_EMULATOR_MACHINE_H

#include "device_memory.h"
#include "module.h"
#include "program.h"
#include "race.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace hk::emulator {

struct Cluster;
struct Cta;
struct Warp;

/// A bar.sync-style barrier of a CTA.
struct NamedBarrier {
  struct Waiter {
    Warp *warp;
    uint32_t mask;
    const Instruction *instruction;
  };
  uint32_t arrived = 0;  ///< threads, in whole warps
  uint32_t expected = 0; ///< 0 while nobody is there
  bool hasCount = false; ///< the instruction gave the count
  std::vector<Waiter> waiters;
  uint32_t trueLanes = 0, votes = 0; ///< barrier.red
  Clocks clocks;
};

/// The object that lives in 8 bytes of shared memory.
struct Mbarrier {
  uint32_t expected = 0;
  int64_t pending = 0;
  int64_t transactions = 0;
  uint64_t phase = 0;
  Clocks clocks;    ///< of this phase's arrivals
  Clocks completed; ///< of the phases that are complete
};

/// One cp.async of one thread.
struct CopyAsync {
  uint32_t target;
  uint64_t source;
  uint32_t size, sourceSize; ///< bytes; the rest is zero
  unsigned line;
};

/// A bulk copy out of shared memory, until its group is waited for.
struct BulkStore {
  std::function<void()> complete;
};

/// What one thread has in flight, the open group last.
struct LaneAsync {
  std::vector<CopyAsync> openCopies;
  std::deque<std::vector<CopyAsync>> copyGroups;
  std::vector<BulkStore> openStores;
  std::deque<std::vector<BulkStore>> storeGroups;
};

/// A wgmma that is issued and not waited for; `compute` runs it.
struct WgmmaInFlight {
  std::function<void()> compute;
  std::vector<uint32_t> accumulators;
};

/// What keeps a lane from running.
enum class Lane : uint8_t { AtWarp, AtBarrier, AtMbarrier, AtCluster, Exited };
constexpr unsigned kLaneStates = 5;

struct Warp {
  Cta *cta = nullptr;
  uint32_t index = 0; ///< in the CTA
  uint32_t slot = 0;  ///< in the cluster; its place in clocks
  uint32_t lanes = 0; ///< those that exist
  uint32_t running = 0;
  uint32_t in[kLaneStates] = {};
  uint32_t pc[kWarpSize] = {};
  uint32_t rotation = 0; ///< which group of diverged lanes runs next

  std::vector<uint64_t> registers; ///< [register][lane]
  std::vector<uint32_t> valid;     ///< [register], a bit a lane
  std::vector<uint16_t> inFlight;  ///< [register], wgmmas that write it
  std::vector<uint8_t> unfenced;   ///< [register], written since wgmma.fence
  std::vector<std::unique_ptr<Bytes>> local; ///< [lane]

  LaneAsync async[kWarpSize];
  std::vector<WgmmaInFlight> openWgmma;
  std::deque<std::vector<WgmmaInFlight>> wgmmaGroups;

  const Mbarrier *waitsFor[kWarpSize] = {};
  uint32_t failedWait[kWarpSize] = {}; ///< pc + 1 of a try_wait that gave false
  uint64_t clusterPhase[kWarpSize] = {};
  uint32_t clusterArrived = 0; ///< lanes that arrived and did not wait yet
  uint32_t registerBudget = 0; ///< of setmaxnreg; 0: never set
  uint32_t gridWaited = 0;     ///< lanes past a griddepcontrol.wait
  Clocks clocks;

  uint32_t &state(Lane lane) { return in[static_cast<unsigned>(lane)]; }
  uint32_t exited() const { return in[static_cast<unsigned>(Lane::Exited)]; }
  uint32_t alive() const { return lanes & ~exited(); }
};

struct Cta {
  explicit Cta(size_t sharedBytes) : shared(sharedBytes) {}

  Cluster *cluster = nullptr;
  uint32_t rank = 0; ///< in the cluster
  std::array<uint32_t, 3> id{};
  Bytes shared;
  std::vector<std::unique_ptr<Warp>> warps;
  NamedBarrier barriers[16];
  std::map<uint32_t, Mbarrier> mbarriers;
  std::unique_ptr<RaceDetector> races;
};

struct Cluster {
  std::vector<std::unique_ptr<Cta>> ctas;
  std::array<uint32_t, 3> id{};
  /// Copies of lazy mode, oldest first.
  std::deque<std::function<void()>> pending;
  uint64_t phase = 0; ///< of barrier.cluster
  uint32_t arrived = 0;
  Clocks clocks;
  uint32_t asyncClock = 0; ///< of the agent that copies in bulk

  uint32_t warpCount() const {
    return static_cast<uint32_t>(ctas.size() * ctas[0]->warps.size());
  }
};

/// What all instructions of a launch share.
struct Launch {
  const Program *program = nullptr;
  Memory *memory = nullptr;
  LaunchConfig config;
  Options options;
  std::vector<uint64_t> constants; ///< [constant][lane]
  LaunchStatistics statistics;
};

} // namespace hk::emulator

#endif // HK_EMULATOR_MACHINE_H
