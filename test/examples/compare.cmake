# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs TOOL with OPTIONS and compares what it writes to ACTUAL with EXPECTED.
execute_process(COMMAND ${TOOL} ${OPTIONS} -o ${ACTUAL} RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "expects ${TOOL} to exit with 0, but got ${code}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${EXPECTED} ${ACTUAL}
  RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "expects ${EXPECTED} to be what hk-model writes, but got "
    "another file in ${ACTUAL}; build the target update-examples")
endif()
