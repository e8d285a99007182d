// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libm_imports.h"

#include <cmath>

namespace hk {
namespace {

template <typename Function> void *address(Function *function) {
  return reinterpret_cast<void *>(function);
}

using Unary = double(double);
using Binary = double(double, double);
using Ternary = double(double, double, double);

struct Import {
  std::string_view name;
  void *function;
};

} // namespace

void *findLibmImport(std::string_view name) {
  const Import imports[] = {
      {"acos", address<Unary>(::acos)},
      {"asin", address<Unary>(::asin)},
      {"atan", address<Unary>(::atan)},
      {"atan2", address<Binary>(::atan2)},
      {"cbrt", address<Unary>(::cbrt)},
      {"ceil", address<Unary>(::ceil)},
      {"copysign", address<Binary>(::copysign)},
      {"cos", address<Unary>(::cos)},
      {"cosh", address<Unary>(::cosh)},
      {"erf", address<Unary>(::erf)},
      {"erfc", address<Unary>(::erfc)},
      {"exp", address<Unary>(::exp)},
      {"exp2", address<Unary>(::exp2)},
      {"expm1", address<Unary>(::expm1)},
      {"fabs", address<Unary>(::fabs)},
      {"floor", address<Unary>(::floor)},
      {"fma", address<Ternary>(::fma)},
      {"fmax", address<Binary>(::fmax)},
      {"fmin", address<Binary>(::fmin)},
      {"fmod", address<Binary>(::fmod)},
      {"log", address<Unary>(::log)},
      {"log10", address<Unary>(::log10)},
      {"log1p", address<Unary>(::log1p)},
      {"log2", address<Unary>(::log2)},
      {"pow", address<Binary>(::pow)},
      {"rint", address<Unary>(::rint)},
      {"round", address<Unary>(::round)},
      {"roundeven", address<Unary>(::rint)},
      {"sin", address<Unary>(::sin)},
      {"sinh", address<Unary>(::sinh)},
      {"sqrt", address<Unary>(::sqrt)},
      {"tan", address<Unary>(::tan)},
      {"tanh", address<Unary>(::tanh)},
      {"trunc", address<Unary>(::trunc)},
  };
  for (const Import &import : imports)
    if (import.name == name)
      return import.function;
  return nullptr;
}

} // namespace hk
