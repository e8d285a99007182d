// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime has to say beside errors: to the caller's function, or to
// stderr where HK_LOG asks for it, or to nobody.
#ifndef HK_RUNTIME_LOG_H
#define HK_RUNTIME_LOG_H

#include "hk/runtime.h"

#include <cstdio>
#include <string>

namespace hk {

struct Log {
  hk_log function = nullptr;
  void *user = nullptr;
  bool toStderr = false;

  void operator()(const std::string &message) const {
    if (function)
      function(user, message.c_str());
    else if (toStderr)
      std::fprintf(stderr, "hk: %s\n", message.c_str());
  }
};

} // namespace hk

#endif // HK_RUNTIME_LOG_H
