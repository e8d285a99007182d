// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a network to its MLIR text and its parameters.
#ifndef HK_TOOLS_HK_MODEL_EMIT_H
#define HK_TOOLS_HK_MODEL_EMIT_H

#include "common/parameters.h"
#include "network.h"

#include <string>
#include <vector>

namespace hk::tools {

struct Emission {
  std::string mlir;                  ///< A module with the function @forward.
  std::vector<Parameter> parameters; ///< What its hk.param ops name, in order.
};

/// The same network gives the same text, byte for byte. The network is valid.
Emission emitNetwork(const Network &network);

} // namespace hk::tools

#endif // HK_TOOLS_HK_MODEL_EMIT_H
