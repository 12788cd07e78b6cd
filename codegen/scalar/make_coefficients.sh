#!/bin/sh
# Writes coefficients.h from polynomials.sollya. Needs sollya 8 and clang-format-19; takes a minute.
cd "$(dirname "$0")" || exit 1
{
  echo '// Coefficients of the polynomials. Made by make_coefficients.sh: change polynomials.sollya.'
  echo '#pragma once'
  echo
  echo '#include "codegen/scalar/lanes.h"'
  echo
  echo 'namespace rondo::codegen::inline RONDO_ISA::scalar {'
  sollya polynomials.sollya | grep -v '^The ' | sed -e 's|; *// [-0-9.]*$|;|' -e 's|^//|\n//|'
  echo
  echo '}  // namespace rondo::codegen::inline RONDO_ISA::scalar'
} | clang-format-19 --assume-filename=coefficients.h > coefficients.h.new &&
  mv coefficients.h.new coefficients.h
