#!/bin/bash
# cases.sh NAME N: a real compiler on an input of size N. Exit 0: accepted, else the compiler's own status. What each name
# exercises stands beside it; thresholds.py knows the answers.
set -u
name=$1 n=$2
export LC_ALL=C
folder=$(mktemp -d) && cd "$folder" || exit 126
trap 'rm -rf "$folder"' EXIT

repeat() { local text=; for ((i = 0; i < $2; i++)); do text+=$1; done; printf %s "$text"; }

case $name in
  gxx-template)        # recursive instantiation against the default -ftemplate-depth
    printf 'template<int i> struct D { enum { v = D<i - 1>::v }; };\ntemplate<> struct D<0> { enum { v = 0 }; };\nint r = D<%d>::v;\n' "$n" > t.cpp
    g++ -fsyntax-only t.cpp ;;
  gxx-budget)          # the same fixed depth against a budget: larger is easier
    printf 'template<int i> struct D { enum { v = D<i - 1>::v }; };\ntemplate<> struct D<0> { enum { v = 0 }; };\nint r = D<150>::v;\n' > t.cpp
    g++ -fsyntax-only -ftemplate-depth="$n" t.cpp ;;
  gxx-constexpr)       # recursion of a constexpr function against the default -fconstexpr-depth
    printf 'constexpr int f(int i) { return i == 0 ? 0 : 1 + f(i - 1); }\nstatic_assert(f(%d) >= 0, "");\n' "$n" > t.cpp
    g++ -std=c++14 -fsyntax-only t.cpp ;;
  clang-bracket)       # nested initialiser braces against the default -fbracket-depth
    { printf 'int x = '; repeat '(' "$n"; printf 0; repeat ')' "$n"; echo ';'; } > t.c
    clang-14 -fsyntax-only t.c ;;
  clang-constexpr)     # the constant evaluator's default depth
    printf 'constexpr int f(int i) { return i == 0 ? 0 : 1 + f(i - 1); }\nstatic_assert(f(%d) >= 0, "");\n' "$n" > t.cpp
    clang++-14 -std=c++14 -fsyntax-only t.cpp ;;
  python-parens)       # the tokenizer's stack of open brackets
    { repeat '(' "$n"; printf 1; repeat ')' "$n"; echo; } > t.py
    /usr/bin/python3 -c 'compile(open("t.py").read(), "t.py", "exec")' ;;
  python-indent)       # nested blocks: one limit for the compiler's static blocks, another for the tokenizer
    : > t.py
    for ((i = 0; i < n; i++)); do printf '%*swhile 1:\n' "$i" '' >> t.py; done
    printf '%*spass\n' "$n" '' >> t.py
    /usr/bin/python3 -c 'compile(open("t.py").read(), "t.py", "exec")' ;;
  gcc-alignas)         # accepted at powers of two only
    echo "_Alignas($n) char x;" > t.c
    gcc -fsyntax-only t.c ;;
  gcc-variables)       # nothing fails
    { for ((i = 0; i < n; i++)); do echo "int v$i;"; done; } > t.c
    gcc -fsyntax-only t.c ;;
  gcc-nonsense)        # everything fails
    echo 'int x;' > t.c
    gcc -std=nonsense -fsyntax-only t.c ;;
  *) echo "cases.sh: no case $name" >&2; exit 126 ;;
esac
