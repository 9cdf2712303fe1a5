#!/bin/sh
# bracket_depth.sh N: N nested parentheses around a constant, through clang -fsyntax-only. Leaves no file.
{
  printf 'int value = '
  printf '%*s' "$1" '' | tr ' ' '('
  printf 1
  printf '%*s' "$1" '' | tr ' ' ')'
  echo ';'
} | clang-14 -fsyntax-only -x c -
