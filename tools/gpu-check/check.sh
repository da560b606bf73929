#!/bin/sh
# Checks the cuda plug-in on the device of this machine, and times it beside CuPy and PyTorch.
#
# usage: check.sh FOLDER [LOGS]    FOLDER holds check_cuda and libbrio_cuda.so; LOGS receives the whole output
#
# The checks are shared by several processes, since most of their time is compiling kernels.
set -u
folder=$1
logs=${2:-$(mktemp -d)}
program=$folder/check_cuda
plugin=$folder/libbrio_cuda.so
here=$(dirname "$0")
shares=16

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
k=0
while [ "$k" -lt "$shares" ]; do
    { "$program" --share "$k" "$shares" "$plugin" >"$logs/check.$k" 2>&1 || echo "share $k: exit status $?" >>"$logs/check.$k"; } &
    k=$((k + 1))
done
wait
cat "$logs"/check.* >"$logs/check"
rm -f "$logs"/check.*
grep -v -e ' passed ' -e failures "$logs/check"
awk '/ passed / { p[$1] += $2; f[$1] += $4; r[$1] += $6 }
     END { for (s in p) printf "%-12s %6d passed %5d failed %5d refused\n", s, p[s], f[s], r[s] }' "$logs/check"
"$program" --time "$plugin" 2>&1 | tee "$logs/times"
python3 "$here/peers.py" 2>&1 | tee "$logs/peers"
