# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# With HK_STATIC, hk-compile is linked against the component libraries of MLIR
# and LLVM, so that it is one file that needs the C library alone. hk-opt and
# hk-lsp-server are not built: they register all of MLIR, which needs every
# target of LLVM.

add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections -static-libstdc++ -static-libgcc)

# Debian's libraries of MLIR name libLLVM as what they need. Beside the
# component libraries that would be a second LLVM in the same process.
foreach(target IN LISTS MLIR_EXPORTED_TARGETS)
  if(TARGET ${target})
    get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
    if(libraries)
      list(FILTER libraries EXCLUDE REGEX "^(LLVM|\\$<LINK_ONLY:LLVM>)$")
      set_target_properties(${target} PROPERTIES
        INTERFACE_LINK_LIBRARIES "${libraries}")
    endif()
  endif()
endforeach()

# And LLVM names shared libraries of others.
find_library(HK_LIBZ NAMES libz.a REQUIRED)
get_target_property(libraries LLVMSupport INTERFACE_LINK_LIBRARIES)
list(TRANSFORM libraries REPLACE "^zstd::libzstd_shared$" "zstd::libzstd_static")
list(TRANSFORM libraries REPLACE "^ZLIB::ZLIB$" "${HK_LIBZ}")
list(FILTER libraries EXCLUDE REGEX "libz3")
set_target_properties(LLVMSupport PROPERTIES
  INTERFACE_LINK_LIBRARIES "${libraries}")

llvm_map_components_to_libnames(HK_LLVM_LIBS
  analysis asmparser bitreader bitwriter codegen core irreader ipo linker mc
  object passes remarks scalaropts support target targetparser transformutils
  nvptxcodegen nvptxdesc nvptxinfo
  x86asmparser x86codegen x86desc x86info frontendopenmp)

# What libMLIR is in a build with shared libraries.
set(HK_MLIR_LIBS
  MLIRAffineDialect MLIRAffineToStandard
  MLIRArithDialect MLIRArithToLLVM MLIRArithTransforms
  MLIRBufferizationDialect MLIRBufferizationTransforms
  MLIRBuiltinToLLVMIRTranslation
  MLIRControlFlowDialect MLIRControlFlowToLLVM
  MLIRConvertToLLVMPass
  MLIRFuncDialect MLIRFuncToLLVM
  MLIRIndexDialect MLIRIndexToLLVM
  MLIRLLVMDialect MLIRLLVMToLLVMIRTranslation MLIRNVVMDialect
  MLIRLinalgDialect MLIRLinalgTransforms
  MLIRMathDialect MLIRMathToLLVM MLIRMathTransforms
  MLIRMemRefDialect MLIRMemRefToLLVM MLIRMemRefTransforms
  MLIRNVVMDialect MLIRNVVMToLLVMIRTranslation
  MLIRParser MLIRPass
  MLIRReconcileUnrealizedCasts
  MLIRSCFDialect MLIRSCFToControlFlow MLIRSCFTransforms
  MLIRTargetLLVMIRExport
  MLIRTensorDialect MLIRTensorTransforms
  MLIRTransforms
  MLIRUBDialect MLIRUBToLLVM
  MLIRVectorDialect MLIRVectorToLLVM MLIRVectorToLLVMPass MLIRVectorToSCF
  MLIRVectorTransforms
  ${HK_LLVM_LIBS})
