#!/bin/sh
# template_depth.sh N: a template that instantiates itself N levels deep, through g++ -fsyntax-only. Leaves no file.
exec g++ -std=c++17 -fsyntax-only -x c++ - <<SOURCE
template <int n> struct Level { static constexpr int value = Level<n - 1>::value + 1; };
template <> struct Level<0> { static constexpr int value = 0; };
int deepest = Level<$1>::value;
SOURCE
