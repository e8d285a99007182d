// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch: checks of its shape, then cluster after cluster.
#ifndef HK_EMULATOR_LAUNCH_H
#define HK_EMULATOR_LAUNCH_H

#include "execution.h"

namespace hk::emulator {

uint32_t maxThreadsOf(const Program &program);
/// Throws ModuleError where the launch does not fit the kernel, else Fault.
LaunchStatistics runLaunch(const Program &program, const std::string &target,
                           const LaunchConfig &config, Memory &memory,
                           const Options &options);
/// Runs all threads of a cluster to their end.
void runCluster(Launch &launch, Cluster &cluster);

} // namespace hk::emulator

#endif // HK_EMULATOR_LAUNCH_H
