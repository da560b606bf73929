/* `brio run` sets BRIO_ACCELERATE and executes the interpreter, so that everything about the script
 * (sys.argv, __main__, tracebacks, exit codes, signals) is the interpreter's own. */
#include "cli/run.h"

#include "cli/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The interpreter beside this command: it must not be resolved further, for a virtual environment is
 * recognised by the place of the link that was executed. Without one there: python3 of PATH. */
static const char *interpreter(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - sizeof("python"));
    if (length > 0) {
        path[length] = 0;
        char *slash = strrchr(path, '/');
        if (slash) {
            memcpy(slash + 1, "python", sizeof("python"));
            if (access(path, X_OK) == 0)
                return path;
        }
    }
    return "python3";
}

static int execute(const brio_cli_run *run, const char *python)
{
    char **words = calloc((size_t)run->nflags + (size_t)run->ntarget + 2, sizeof *words);
    if (!words) {
        fprintf(stderr, "brio: no memory\n");
        return 1;
    }
    int count = 0;
    words[count++] = (char *)python;
    for (int i = 0; i < run->nflags; i++)
        words[count++] = (char *)run->flags[i];
    memcpy(words + count, run->target, (size_t)run->ntarget * sizeof *words);
    if (run->verbose)
        fprintf(stderr, "brio: running %s with %s\n", run->target[0], python);
    execvp(python, words);
    int code = errno == ENOENT ? 127 : 126;
    fprintf(stderr, "brio: cannot execute %s: %s\n", python, strerror(errno));
    free(words);
    return code;
}

int brio_cli_run_main(int argc, char **argv)
{
    char problem[300] = "";
    brio_cli_run run = {0};
    run.flags = calloc((size_t)argc + 1, sizeof *run.flags);
    if (!run.flags || setenv("BRIO_ACCELERATE", "1", 1) != 0) {
        fprintf(stderr, "brio: no memory\n");
        free(run.flags);
        return 1;
    }
    int code = 2;
    if (brio_cli_parse(argc, argv, &run, problem, sizeof problem) == 0) {
        char path[PATH_MAX];
        code = execute(&run, run.python ? run.python : interpreter(path, sizeof path));
    } else {
        fprintf(stderr, "brio run: %s\n", problem);
    }
    free(run.flags);
    return code;
}
