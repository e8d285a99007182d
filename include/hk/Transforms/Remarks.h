// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a pass decided, and what it refused: one remark each, under the name of
// the pass and of the function.

#ifndef HK_TRANSFORMS_REMARKS_H
#define HK_TRANSFORMS_REMARKS_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace hk {

class PassRemarks {
public:
  /// `pass` is the argument of the pass, such as "hk-fold-norms". Remarks name
  /// `function`.
  PassRemarks(llvm::StringRef pass, mlir::FunctionOpInterface function)
      : pass(pass), function(function.getName()) {}

  /// Something was done.
  void passed(mlir::Location loc, llvm::StringRef name,
              const llvm::Twine &message) const {
    mlir::remark::passed(loc, options(name)) << message.str();
  }

  /// Something could not be done; the message says why.
  void missed(mlir::Location loc, llvm::StringRef name,
              const llvm::Twine &message) const {
    mlir::remark::missed(loc, options(name)) << message.str();
  }

  /// A figure that says nothing of success.
  void analysis(mlir::Location loc, llvm::StringRef name,
                const llvm::Twine &message) const {
    mlir::remark::analysis(loc, options(name)) << message.str();
  }

private:
  mlir::remark::RemarkOpts options(llvm::StringRef name) const {
    return mlir::remark::RemarkOpts::name(name).category(pass).function(
        function);
  }

  llvm::StringRef pass;
  llvm::StringRef function;
};

} // namespace hk

#endif // HK_TRANSFORMS_REMARKS_H
