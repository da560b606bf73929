/* Reading the command line of `brio run`. Everything after the target belongs to the script. */
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const brio_cli_option brio_cli_options[] = {
    {"--results", BRIO_CLI_VALUE, "BRIO_RESULTS", "exact|close", "exact|close",
     "close (default): the last digits may differ from NumPy's; exact: they may not"},
    {"--threads", BRIO_CLI_VALUE, "BRIO_THREADS", NULL, "N", "threads one operation may use"},
    {"--device", BRIO_CLI_VALUE, "BRIO_DEVICE", NULL, "DEVICE", "auto, cpu"},
    {"--memory-limit", BRIO_CLI_VALUE, "BRIO_HOST_LIMIT", NULL, "SIZE", "scratch memory at most, e.g. 4GiB"},
    {"--scope", BRIO_CLI_VALUE, "BRIO_SCOPE", "auto|user|all", "auto|user|all",
     "last digits may differ in one's own calls (auto) or in all; user: other calls stay NumPy's"},
    {"--include", BRIO_CLI_VALUE, "BRIO_INCLUDE", NULL, "PKG,...",
     "treat these packages as the script's own code"},
    {"--exclude", BRIO_CLI_VALUE, "BRIO_EXCLUDE", NULL, "PKG,...", "leave calls from these packages alone"},
    {"--verify", BRIO_CLI_MAYBE, "BRIO_VERIFY", NULL, "SAMPLE",
     "run the original too and compare; exit code 3 when anything differs"},
    {"--strict", BRIO_CLI_FLAG, "BRIO_STRICT", NULL, NULL,
     "a large operation that is left to NumPy is an error (for tests)"},
    {"--report", BRIO_CLI_FLAG, "BRIO_REPORT", NULL, NULL, "three lines on stderr at exit"},
    {"--no-children", BRIO_CLI_FLAG, "BRIO_NO_CHILDREN", NULL, NULL, "leave the script's subprocesses alone"},
    {"--python", BRIO_CLI_VALUE, NULL, NULL, "PATH",
     "the interpreter (default: the one beside this command)"},
    {"--python-flag", BRIO_CLI_VALUE, NULL, NULL, "FLAG", "a flag for the interpreter, e.g. -Xdev"},
    {NULL, BRIO_CLI_FLAG, NULL, NULL, NULL, NULL},
};

static const brio_cli_option *find(const char *word, size_t length)
{
    for (const brio_cli_option *option = brio_cli_options; option->name; option++)
        if (strlen(option->name) == length && memcmp(option->name, word, length) == 0)
            return option;
    return NULL;
}

static int is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (const char *at = choices; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, value, length) == 0 && (at[length] == '|' || at[length] == 0))
            return 1;
    }
    return 0;
}

static int store(const brio_cli_option *option, const char *value, brio_cli_run *run, char *problem,
                 unsigned long size)
{
    if (option->choices && !is_choice(option->choices, value)) {
        snprintf(problem, size, "%s takes %s, not '%s'", option->name, option->choices, value);
        return -1;
    }
    if (option->variable)
        return setenv(option->variable, value, 1);
    if (strcmp(option->name, "--python") == 0)
        run->python = value;
    else
        run->flags[run->nflags++] = value;
    return 0;
}

/* Whether the target begins at this word. */
static int begins_target(const char *word)
{
    return word[0] != '-' || word[1] == 0 || strcmp(word, "-m") == 0 || strcmp(word, "-c") == 0;
}

/* Reads the option at argv[at]; returns how many words it took, or -1. */
static int take_option(int argc, char **argv, int at, brio_cli_run *run, char *problem, unsigned long size)
{
    const char *word = argv[at];
    if (strcmp(word, "-i") == 0) {
        run->flags[run->nflags++] = word;
        return 1;
    }
    if (strcmp(word, "-v") == 0) {
        run->verbose = 1;
        return setenv("BRIO_VERBOSE", "1", 1) ? -1 : 1;
    }
    const char *equals = strchr(word, '=');
    const brio_cli_option *option = find(word, equals ? (size_t)(equals - word) : strlen(word));
    if (!option) {
        snprintf(problem, size, "no such option: %s", word);
        return -1;
    }
    if (option->arity == BRIO_CLI_FLAG && equals) {
        snprintf(problem, size, "%s takes no value", option->name);
        return -1;
    }
    if (option->arity == BRIO_CLI_VALUE && !equals) {
        if (at + 1 >= argc) {
            snprintf(problem, size, "%s needs a value", option->name);
            return -1;
        }
        return store(option, argv[at + 1], run, problem, size) ? -1 : 2;
    }
    return store(option, equals ? equals + 1 : "1", run, problem, size) ? -1 : 1;
}

int brio_cli_parse(int argc, char **argv, brio_cli_run *run, char *problem, unsigned long size)
{
    int at = 0;
    while (at < argc && !begins_target(argv[at])) {
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        int words = take_option(argc, argv, at, run, problem, size);
        if (words < 0)
            return -1;
        at += words;
    }
    if (at >= argc) {
        snprintf(problem, size, "which script? (brio run [options] script.py [arguments])");
        return -1;
    }
    if ((strcmp(argv[at], "-m") == 0 || strcmp(argv[at], "-c") == 0) && at + 1 >= argc) {
        snprintf(problem, size, "%s needs an argument", argv[at]);
        return -1;
    }
    run->target = argv + at;
    run->ntarget = argc - at;
    return 0;
}
