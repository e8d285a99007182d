# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lit tests of the compiler: one folder for each folder of lib/, and one for
# each tool.
import os
import shutil

import lit.formats

config.name = "hk"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
# ctest runs these folders, and `inputs` holds what tests read.
config.excludes = ["e2e", "emulator", "examples", "gpu", "inputs", "performance", "python", "source", "tile", "unit"]

# Tools of ours first, then LLVM's.
config.environment["PATH"] = os.pathsep.join(
    [config.hk_tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
config.substitutions.append(("%python", config.hk_python))
config.substitutions.append(("%source_dir", config.hk_source_dir))
config.substitutions.append(
    ("%runner_utils", os.path.join(os.path.dirname(config.llvm_tools_dir), "lib"))
)


def present(tool):
    """True if `tool` is in one of the two folders of tools."""
    return any(
        os.access(os.path.join(folder, tool), os.X_OK)
        for folder in (config.hk_tools_dir, config.llvm_tools_dir)
    )


# `REQUIRES: hk-run` and the like. hk-opt, FileCheck and not are always there.
for tool in ("hk-compile", "hk-run", "hk-model", "hk-lsp-server", "mlir-runner"):
    if present(tool):
        config.available_features.add(tool)

# The leaks of LLVM's own tools are not ours to find.
if config.hk_sanitize.upper() in ("ON", "1", "TRUE"):
    config.available_features.add("asan")
    # LLVM's allocators poison memory where they are inlined into our code, and
    # the library, which is not instrumented, does not unpoison it.
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0:allow_user_poisoning=0"

# A module does not depend on what the machine has installed, and nor do tests,
# but for those that ask for it.
config.environment["HK_PTXAS"] = "none"
ptxas = shutil.which(
    "ptxas",
    path=os.pathsep.join(
        [
            os.path.join(os.environ.get("CUDA_HOME") or "/usr/local/cuda", "bin"),
            os.environ.get("PATH", ""),
        ]
    ),
)
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
config.substitutions.append(("%tools", config.hk_tools_dir + os.pathsep + config.llvm_tools_dir))
# The driver's stand-in: see docs/emulator.md.
emulated_cuda = os.path.join(config.test_exec_root, "emulator", "libhk_emulated_cuda.so")
if os.path.exists(emulated_cuda):
    config.available_features.add("emulated-cuda")
    config.substitutions.append(("%emulated_cuda", emulated_cuda))

for name in ("HOME", "TMPDIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
