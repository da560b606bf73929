/* The command `brio`. */
#include "cli/options.h"
#include "cli/run.h"

#include <brio/base.h>
#include <stdio.h>
#include <string.h>

static void print_help(void)
{
    printf("usage: brio run [options] script.py [arguments]\n"
           "       brio run [options] -m module [arguments]\n"
           "       brio run [options] -c code [arguments]\n"
           "       brio run [options] -          (the script comes on standard input)\n"
           "       brio --version | --help\n\n"
           "Runs an unedited Python script with its NumPy work accelerated.\n\noptions:\n");
    for (const brio_cli_option *option = brio_cli_options; option->name; option++) {
        char left[64];
        if (option->arity == BRIO_CLI_FLAG)
            snprintf(left, sizeof left, "%s", option->name);
        else if (option->arity == BRIO_CLI_VALUE)
            snprintf(left, sizeof left, "%s %s", option->name, option->value);
        else
            snprintf(left, sizeof left, "%s[=%s]", option->name, option->value);
        printf("  %-28s %s\n", left, option->help);
    }
    printf("  %-28s %s\n  %-28s %s\n", "-i", "keep the interpreter open afterwards", "-v", "say what is run");
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "--help";
    if (strcmp(command, "run") == 0) {
        if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)) {
            print_help();
            return 0;
        }
        return brio_cli_run_main(argc - 2, argv + 2);
    }
    if (strcmp(command, "--version") == 0 || strcmp(command, "-V") == 0) {
        printf("brio %s\n", BRIO_VERSION_STRING);
        return 0;
    }
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0 || strcmp(command, "help") == 0) {
        print_help();
        return argc > 1 ? 0 : 2;
    }
    fprintf(stderr, "brio: no such command or option: %s (see brio --help)\n", command);
    return 2;
}
